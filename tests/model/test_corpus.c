// What fuzzing found stays harmless: every file of tests/fuzz/corpus is read, as a model, as a
// setting and as an expression, and either there is a model or an error says why not.
#include "expr/expr.h"
#include "files.h"

#include "model/model.h"

#define CORPUS_DIR ZWANG_SOURCE_DIR "/tests/fuzz/corpus/"

static void read_in_every_way(const char *name, const Text *text)
{
    Source *source = source_new(name, text->at, text->length);
    Source *plain = source_new("m.zw", "coord x\nkinetic x'^2\n", 21);
    ModelSetting setting = {source};
    ExprPool *pool = expr_pool_new();
    for (int way = 0; way < 3; way++) {
        Diag *diag = diag_new();
        Model *model = NULL;
        Expr value;
        Status status = way == 0   ? model_read(source, NULL, 0, diag, &model)
                        : way == 1 ? model_read(plain, &setting, 1, diag, &model)
                                   : model_read_expression(pool, source, diag, &value);
        bool refused = diag_count(diag, DIAG_ERROR) > 0;
        assert_true((status == STATUS_OK) == !refused);
        assert_true(way == 2 || (model == NULL) == refused);
        Text said = {0};
        diag_render(diag, DIAG_NOTE, &said);
        text_clear(&said);
        model_free(model);
        diag_free(diag);
    }
    expr_pool_free(pool);
    source_free(plain);
    source_free(source);
}

static void the_corpus_is_read(void **state)
{
    (void)state;
    size_t count = 0;
    DIR *folder = opendir(CORPUS_DIR);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        Text text = read_file(CORPUS_DIR, entry->d_name, "");
        read_in_every_way(entry->d_name, &text);
        text_clear(&text);
        count++;
    }
    closedir(folder);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_read)};
    return cmocka_run_group_tests_name("model/corpus", tests, NULL, NULL);
}

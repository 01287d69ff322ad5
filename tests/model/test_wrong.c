// Every wrong model in tests/text/wrong gives exactly the messages in the file beside it, soon
// and without much memory, however large what it asks for.
#include "files.h"

#include "model/model.h"

#include <sys/resource.h>
#include <time.h>

#define WRONG_DIR ZWANG_SOURCE_DIR "/tests/text/wrong/"

// Sanitizers take their share of time and memory.
#if defined(__SANITIZE_ADDRESS__)
enum { MOST_SECONDS = 20, MOST_KILOBYTES = 2000000 };
#else
enum { MOST_SECONDS = 2, MOST_KILOBYTES = 500000 };
#endif

static bool says_what_is_expected(const char *name)
{
    Text model_text = read_file(WRONG_DIR, name, ".zw");
    Text expected = read_file(WRONG_DIR, name, ".txt");
    Text title = {0}, said = {0};
    text_addf(&title, "%s.zw", name);
    Source *source = source_new(title.at, model_text.at, model_text.length);
    Diag *diag = diag_new();
    Model *model;
    clock_t before = clock();
    Status status = model_read(source, NULL, 0, diag, &model);
    assert_true(clock() - before < (clock_t)MOST_SECONDS * CLOCKS_PER_SEC);
    text_add(&said, "");
    diag_render(diag, DIAG_NOTE, &said);
    bool good = status == STATUS_WRONG && !model && strcmp(said.at, expected.at) == 0;
    if (!good)
        print_message("%s\n-- says\n%s-- and should say\n%s", name, said.at, expected.at);
    model_free(model);
    diag_free(diag);
    source_free(source);
    text_clear(&said);
    text_clear(&title);
    text_clear(&expected);
    text_clear(&model_text);
    return good;
}

static void wrong_models_say_why(void **state)
{
    (void)state;
    const ModelNames *models = model_names(WRONG_DIR);
    size_t bad = 0;
    for (size_t i = 0; i < models->count; i++)
        bad += !says_what_is_expected(models->at[i]);
    assert_int_equal(bad, 0);
    assert_true(models->count >= 200);
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < MOST_KILOBYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_models_say_why)};
    return cmocka_run_group_tests_name("model/wrong", tests, NULL, NULL);
}

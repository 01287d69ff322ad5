// Every wrong model in tests/text/wrong gives exactly the messages in the file beside it.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#define WRONG_DIR ZWANG_SOURCE_DIR "/tests/text/wrong/"

static Text read_file(const char *name, const char *ending)
{
    Text path = {0}, text = {0};
    text_addf(&path, WRONG_DIR "%s%s", name, ending);
    FILE *file = fopen(path.at, "rb");
    if (!file)
        print_message("%s is missing\n", path.at);
    assert_non_null(file);
    char block[4096];
    size_t length;
    text_add(&text, "");
    while ((length = fread(block, 1, sizeof block, file)) > 0)
        text_add_str(&text, (Str){block, length});
    fclose(file);
    text_clear(&path);
    return text;
}

static bool says_what_is_expected(const char *name)
{
    Text model_text = read_file(name, ".zw"), expected = read_file(name, ".txt");
    Text title = {0}, said = {0};
    text_addf(&title, "%s.zw", name);
    Source *source = source_new(title.at, model_text.at, model_text.length);
    Diag *diag = diag_new();
    Model *model;
    Status status = model_read(source, NULL, 0, diag, &model);
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
    DIR *folder = opendir(WRONG_DIR);
    assert_non_null(folder);
    size_t count = 0, bad = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[256];
        size_t length = strlen(entry->d_name);
        if (length < 4 || length > 255 || strcmp(entry->d_name + length - 3, ".zw") != 0)
            continue;
        memcpy(name, entry->d_name, length - 3);
        name[length - 3] = '\0';
        bad += !says_what_is_expected(name);
        count++;
    }
    closedir(folder);
    assert_int_equal(bad, 0);
    assert_true(count >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_models_say_why)};
    return cmocka_run_group_tests_name("model/wrong", tests, NULL, NULL);
}

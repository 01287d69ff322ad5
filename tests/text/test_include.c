// Included files: what the whole text is, and where its places are, against files drawn at random
// that are put together by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "text/include.h"

enum { MOST_FILES = 12 };

static struct {
    char path[64];
    char text[4096];
} files[MOST_FILES];
static size_t file_count;

static void put_file(const char *path, const char *text)
{
    snprintf(files[file_count].path, sizeof files->path, "%s", path);
    snprintf(files[file_count].text, sizeof files->text, "%s", text);
    file_count++;
}

// The number of the file behind a path, through "./".
static size_t find_file(const char *path)
{
    char plain[256];
    size_t length = 0;
    for (const char *at = path; *at && length < sizeof plain - 1; at++)
        if (at[0] == '.' && at[1] == '/')
            at++;
        else
            plain[length++] = *at;
    plain[length] = '\0';
    for (size_t i = 0; i < file_count; i++)
        if (strcmp(files[i].path, plain) == 0)
            return i;
    return MOST_FILES;
}

static const char *read_text(const char *path, Text *text)
{
    size_t at = find_file(path);
    if (at == MOST_FILES)
        return "No such file";
    text_add(text, files[at].text);
    return NULL;
}

static void identify(const char *path, Text *identity)
{
    text_addf(identity, "%zu", find_file(path));
}

static const TextFiles reader = {.read = read_text, .identify = identify};

static Source *open_first(Diag *diag, Status *status)
{
    Source *source = source_new(files[0].path, files[0].text, strlen(files[0].text));
    *status = text_include(&source, &reader, diag);
    return source;
}

static void assert_says(const char *expected)
{
    Diag *diag = diag_new();
    Status status;
    Source *source = open_first(diag, &status);
    Text said = {0};
    text_add(&said, "");
    diag_render(diag, DIAG_NOTE, &said);
    assert_string_equal(said.at, expected);
    assert_int_equal(status, expected[0] ? STATUS_WRONG : STATUS_OK);
    text_clear(&said);
    diag_free(diag);
    source_free(source);
    file_count = 0;
}

static void a_text_without_include_stays(void **state)
{
    (void)state;
    put_file("a.zw",
             "coord include\nparam include2 = include # include \"b\"\ndraw label \"include\"");
    Diag *diag = diag_new();
    Status status;
    Source *source = open_first(diag, &status);
    assert_int_equal(status, STATUS_OK);
    assert_string_equal(source->at, files[0].text);
    assert_int_equal(source->file_count, 0);
    diag_free(diag);
    source_free(source);
    file_count = 0;
}

static void wrong_includes_say_why(void **state)
{
    (void)state;
    put_file("d/a.zw", "coord x\ninclude \"b.zw\"");
    assert_says("d/a.zw:2:9: error: cannot read 'd/b.zw', included in line 2: No such file\n"
                "    include \"b.zw\"\n            ^~~~~~\n");
    put_file("a.zw", "include \"b.zw\"");
    put_file("b.zw", "coord x; include \"./a.zw\"");
    assert_says("b.zw:1:18: error: 'a.zw' includes itself (a.zw → b.zw → a.zw)\n"
                "    coord x; include \"./a.zw\"\n                     ^~~~~~~~\n");
    put_file("a.zw", "for i in 1..2 {\n include \"b.zw\"\n}");
    put_file("b.zw", "coord x");
    assert_says("a.zw:2:2: error: 'include' stands outside of blocks; put it above\n"
                "     include \"b.zw\"\n     ^~~~~~~\n");
}

// ---- Random trees of files.

// Each file has lines "@K.L" of its own, and includes files of higher numbers; what is expected is
// written down by recursion, each file once.
static void expect(size_t file, bool *seen, Text *out)
{
    char line[128];
    const char *at = files[file].text;
    seen[file] = true;
    while (*at) {
        size_t length = strcspn(at, "\n;"), other;
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        if (sscanf(line, " include \"f%zu\"", &other) == 1 ||
            sscanf(line, " include \"./f%zu\"", &other) == 1) {
            if (!seen[other])
                expect(other, seen, out);
        } else if (strchr(line, '@')) {
            const char *mark = strchr(line, '@');
            text_addf(out, "%.*s ", (int)strcspn(mark, " "), mark);
        }
        at += length + (at[length] != '\0');
    }
}

static void make_files(Random *random)
{
    for (size_t f = 0; f < 8; f++) {
        Text text = {0};
        char path[8];
        snprintf(path, sizeof path, "f%zu", f);
        for (size_t line = 0; line < 6; line++) {
            uint64_t kind = random_below(random, 4);
            if (kind == 0 && f < 7)
                text_addf(&text, "include \"%sf%zu\"", random_below(random, 2) ? "./" : "",
                          f + 1 + (size_t)random_below(random, 7 - f));
            else
                text_addf(&text, "@%zu_%zu", f, line);
            text_add(&text, random_below(random, 3) ? "\n" : " ; ");
        }
        put_file(path, text.at);
        text_clear(&text);
    }
}

// Every mark stands where its file has it.
static void check_places(const Source *source, Text *found)
{
    for (uint32_t at = 0; at < source->length; at++) {
        if (source->at[at] != '@')
            continue;
        uint32_t length = 1;
        while (source->at[at + length] > ' ' && source->at[at + length] != ';')
            length++;
        Place origin = place_origin(place_at(source, at, length));
        assert_int_equal(origin.length, length);
        assert_memory_equal(origin.source->at + origin.start, source->at + at, length);
        size_t file, line;
        assert_int_equal(sscanf(source->at + at, "@%zu_%zu", &file, &line), 2);
        assert_string_equal(origin.source->name + strlen(origin.source->name) - 2,
                            files[file].path);
        text_addf(found, "%.*s ", (int)length, source->at + at);
    }
}

static void files_stand_where_they_are_included(void **state)
{
    (void)state;
    Random random = random_seed(23);
    for (size_t round = 0; round < 200; round++) {
        make_files(&random);
        Diag *diag = diag_new();
        Status status;
        bool seen[MOST_FILES] = {false};
        Text expected = {0}, found = {0};
        Source *source = open_first(diag, &status);
        assert_int_equal(status, STATUS_OK);
        expect(0, seen, &expected);
        if (source->file_count == 0)
            text_add_str(&found, (Str){expected.at, expected.length});
        else
            check_places(source, &found);
        assert_string_equal(found.at, expected.at);
        Source *copy = source_copy(source);
        found.length = 0;
        if (copy->file_count > 0) {
            check_places(copy, &found);
            assert_string_equal(found.at, expected.at);
        }
        source_free(copy);
        source_free(source);
        diag_free(diag);
        text_clear(&expected);
        text_clear(&found);
        file_count = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_without_include_stays),
        cmocka_unit_test(wrong_includes_say_why),
        cmocka_unit_test(files_stand_where_they_are_included),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

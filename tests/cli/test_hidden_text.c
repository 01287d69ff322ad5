// Characters that are not seen, but turn or hide what is read, are in no exported source: whoever
// reads the code sees what a compiler does.
#include "program.h"

// Of a title, comments and a file's name: an override of direction, isolates, another end of lines,
// a tag, a mark of no width.
static const char model[] =
    "system hidden \"a \xe2\x80\xae title \xe2\x80\xac of \xf3\xa0\x81\x81 it\"\n"
    "# \xe2\x81\xa6 isolated \xe2\x81\xa9 and \xe2\x80\xa8 int x = 0;\n"
    "coord x   # \xe2\x80\x8b\xef\xbb\xbf\xc2\x85\nmass 1 at [x, 0, 0]\npotential x^2/2\n"
    "initial x = 1\nrun to 1\ndraw sphere at [x, 0, 0] radius 1\n";
#define NAME "m\xe2\x80\xaezw.zw"

static void assert_seen(const char *name, const char *text)
{
    static const char *const hidden[] = {"\xe2\x80\xae", "\xe2\x80\xac", "\xf3\xa0\x81\x81",
                                         "\xe2\x81\xa6", "\xe2\x81\xa9", "\xe2\x80\xa8",
                                         "\xe2\x80\x8b", "\xef\xbb\xbf", "\xc2\x85"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (strstr(text, hidden[i]))
            fail_msg("%s has a hidden character, %zu", name, i);
}

static void sources(void **state)
{
    (void)state;
    static const char *const languages[] = {"c", "python", "julia", "matlab", "latex"};
    put_file(NAME, model, sizeof model - 1);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        char words[200];
        snprintf(words, sizeof words, "export --to %s --out - '" NAME "'", languages[i]);
        zwang(words);
        assert_int_equal(outcome.code, 0);
        assert_true(strlen(outcome.out) > 500);
        assert_seen(languages[i], outcome.out);
    }
    zwang("derive --as json '" NAME "'");
    assert_seen("json", outcome.out);
    assert_non_null(strstr(outcome.out, "\\u202e"));
    assert_non_null(strstr(outcome.out, "\\udb40\\udc41"));
}

// What a person reads, in every command, with the line that an error shows.
static void reports(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "derive",    "derive --steps",        "check",         "at", "run", "run --quiet --summary",
        "stability", "derive --color always", "derive --ascii"};
    put_file(NAME, model, sizeof model - 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char words[200];
        snprintf(words, sizeof words, "%s '" NAME "'", commands[i]);
        zwang(words);
        assert_seen(commands[i], outcome.out);
        assert_seen(commands[i], outcome.err);
    }
    static const char wrong[] = "coord x # \xe2\x80\xae\npotential \xe2\x80\xae y # \x1b[31m\n";
    put_file(NAME, wrong, sizeof wrong - 1);
    zwang("check '" NAME "'");
    assert_int_equal(outcome.code, 2);
    assert_seen("an error", outcome.err);
    assert_null(strchr(outcome.err, '\x1b'));
}

static void pictures(void **state)
{
    (void)state;
    put_file(NAME, model, sizeof model - 1);
    zwang("run '" NAME "' --quiet --plot x:p.svg --picture q.svg");
    assert_int_equal(outcome.code, 0);
    slurp("p.svg", outcome.out);
    assert_seen("a plot", outcome.out);
    slurp("q.svg", outcome.out);
    assert_seen("a picture", outcome.out);
}

// The files of an FMU that are text, whose zip has them as they are or packed.
static void units(void **state)
{
    (void)state;
    if (!is_found("unzip"))
        return;
    put_file(NAME, model, sizeof model - 1);
    zwang("export --to fmu --sources-only --out f.fmu '" NAME "'");
    assert_int_equal(outcome.code, 0);
    char command[400];
    snprintf(command, sizeof command, "cd %s && unzip -p f.fmu '*.xml' '*.c' > text", folder);
    assert_int_equal(system(command), 0);
    slurp("text", outcome.out);
    assert_true(strlen(outcome.out) > 5000);
    assert_seen("an FMU", outcome.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sources), cmocka_unit_test(reports),
                                       cmocka_unit_test(pictures), cmocka_unit_test(units)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

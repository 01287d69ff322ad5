// What is said of tables that cannot be read, with the row; and what can be.
#include "base/text_builder.h"
#include "expr/tables.h"
#include "model/model.h"
#include "near.h"

#include <string.h>

typedef struct {
    Source *source;
    Diag *diag;
    Model *model;
    Status status;
} TableModel;

// A model with one input, and the text of its file.
static TableModel read(const char *signal, const char *file)
{
    Text text = {0};
    text_addf(&text, "input u = %s\ncoord x\nmass 1 at [x, 0, 0]\nforce u along x\n", signal);
    if (file) {
        text_add(&text, "\n#= table \"u.csv\"\n#|");
        for (const char *at = file; *at; at++) {
            text_add_char(&text, *at);
            if (*at == '\n' && at[1])
                text_add(&text, "#|");
        }
    }
    TableModel made = {.diag = diag_new()};
    made.source = source_new("test.zw", text.at, text.length);
    made.status = model_read(made.source, NULL, 0, made.diag, &made.model);
    text_clear(&text);
    return made;
}

static void clear(TableModel *made)
{
    model_free(made->model);
    source_free(made->source);
    diag_free(made->diag);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *signal, *file, *message;
    } cases[] = {
        {"table(\"u.csv\", \"s\", \"z\")", "s,height\n0,1\n1,2\n",
         "'u.csv' has no column 'z'; it has s, height"},
        {"table(\"u.csv\")", "s,z\n0,1\n0.32,2\n0.31,3\n",
         "row 4 of 'u.csv': 0.31 comes after 0.32; the first column of a table rises"},
        {"table(\"u.csv\")", "s,z\n0,1\n0,2\n", "row 3 of 'u.csv': 0 comes after 0"},
        {"table(\"u.csv\", \"z\")", "s,z\n0,1\n1,\n2,3\n",
         "row 3 of 'u.csv' has no number in column z; fill it or remove the row"},
        {"table(\"u.csv\")", "s,z\n0,1\n1,nan\n", "row 3 of 'u.csv' has no number in column z"},
        {"table(\"u.csv\")", "s,z\n0,1\n1,inf\n", "row 3 of 'u.csv' has no number in column z"},
        {"table(\"u.csv\")", "s,z\n0,1\n# a note\n\n1\n",
         "row 5 of 'u.csv' has no number in column z"},
        {"table(\"u.csv\")", "s,z\n0,abc\n", "row 2 of 'u.csv' has no number in column z"},
        {"table(\"u.csv\")", "0 1\n1 2 x\n2 y\n", "row 3 of 'u.csv' has no number in column 2"},
        {"table(\"u.csv\", \"a\")", "0,1\n1,2\n", "its first row are numbers, not names"},
        {"table(\"u.csv\")", "s,z\n0,1\n",
         "'u.csv' has 1 row of numbers; a table needs at least two"},
        {"table(\"u.csv\")", "", "'u.csv' has 0 rows of numbers"},
        {"table(\"u.csv\")", "s\n0\n1\n", "'u.csv' has 1 column; a table needs two"},
        {"table(\"u.csv\", linear, cubic)", "0,1\n1,2\n",
         "a table has one of 'linear', 'cubic' and 'previous'"},
        {"table(\"u.csv\", hold, repeat)", "0,1\n1,2\n", "a table has one of 'hold' and 'repeat'"},
        {"table(\"u.csv\", quadratic)", "0,1\n1,2\n", "unexpected 'quadratic'"},
        {"table(\"u.csv\", cubicc)", "0,1\n1,2\n", "did you mean 'cubic'?"},
        {"table(u)", NULL, "a file's name in quotes is expected here"},
        {"random(normal(0, 1), 0, 7)", NULL,
         "the time between two values is positive, and this is 0"},
        {"random(normal(0, 1), 0.1, -7)", NULL, "a seed is a whole number, 0 or more"},
        {"random(normal(0, 1), 0.1, 1.5)", NULL, "a seed is a whole number, 0 or more"},
        {"random(normal(0, 1), 0.1)", NULL, "a comma with the seed"},
        {"random(gauss(0, 1), 0.1, 1)", NULL, "'normal(m, s)' or 'uniform(a, b)' is expected here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TableModel made = read(cases[i].signal, cases[i].file);
        Text all = {0};
        diag_render(made.diag, DIAG_ERROR, &all);
        if (made.status != STATUS_WRONG || !strstr(all.at ? all.at : "", cases[i].message))
            fail_msg("%s\nlooked for: %s\nwas said: %s", cases[i].file, cases[i].message,
                     all.at ? all.at : "");
        text_clear(&all);
        clear(&made);
    }
}

// The same numbers, however they are written.
static void test_layouts(void **state)
{
    (void)state;
    static const struct {
        const char *signal, *file;
    } cases[] = {
        {"table(\"u.csv\")", "0,1\n2,5\n"},
        {"table(\"u.csv\")", "s,z\n0,1\n2,5"},
        {"table(\"u.csv\", \"z\")", "s;a;z\r\n0;9;1\r\n2;9;5\r\n"},
        {"table(\"u.csv\", \"s\", \"z\")", "# measured\n\n  z  s\n  1.0e0\t0\n 5   +2\n"},
        {"table(\"u.csv\", \"the s\", \"z, raised\")",
         "\"z, raised\",\"the s\"\n\"1\",0\n5,\"2\"\n"},
        {"table(\"u.csv\", linear)", "s\tz\n0\t1\n2\t5\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TableModel made = read(cases[i].signal, cases[i].file);
        assert_int_equal(made.status, STATUS_OK);
        const ExprTable *table = made.model->tables.at[0].table;
        assert_int_equal(table->numbers.count, 2);
        assert_near(table->numbers.knots[0], 0, 0);
        assert_near(table->numbers.knots[1], 2, 0);
        assert_near(table->values[0], 1, 0);
        assert_near(table->values[1], 5, 0);
        clear(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_layouts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

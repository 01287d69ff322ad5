// test_random_systems.c: every form, proved equal on random systems; and every form with one
// planted sign error, caught.
//
// A system is written as a model text from a seed: positive T in up to six coordinates, up to
// three linear conditions with polynomial and trigonometric coefficients, some of them holding
// the time, potentials, forces, and speeds of its own.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

// Each times ZWANG_TEST_SIZE, where that is set: a soak takes 20 or more.
enum { SYSTEMS = 100, SPOILT_SYSTEMS = 10 };

// ---- Writing a system.

typedef struct {
    Text text;
    Random random;
    int n, m;
    bool rheonomic;
} Writer;

static int draw(Writer *writer, int below)
{
    return (int)random_below(&writer->random, (uint64_t)below);
}

// A small non-zero number.
static int small(Writer *writer)
{
    int value = 1 + draw(writer, 3);
    return draw(writer, 2) ? value : -value;
}

// A coefficient in the coordinates, and in t where the system is rheonomic.
static void write_coefficient(Writer *writer)
{
    int q = 1 + draw(writer, writer->n), other = 1 + draw(writer, writer->n);
    switch (draw(writer, writer->rheonomic ? 6 : 5)) {
    case 0: text_addf(&writer->text, "%d", small(writer)); break;
    case 1: text_addf(&writer->text, "q%d", q); break;
    case 2: text_addf(&writer->text, "sin(q%d)", q); break;
    case 3: text_addf(&writer->text, "cos(q%d)", q); break;
    case 4: text_addf(&writer->text, "q%d*q%d", q, other); break;
    default: text_addf(&writer->text, "t*q%d", q); break;
    }
}

// Σ coefficient·q' over a few velocities.
static void write_linear_form(Writer *writer, int terms)
{
    for (int i = 0; i < terms; i++) {
        text_add(&writer->text, i ? " + (" : "(");
        write_coefficient(writer);
        text_addf(&writer->text, ")*q%d'", 1 + draw(writer, writer->n));
    }
}

static void write_energy(Writer *writer)
{
    text_add(&writer->text, "kinetic (");
    for (int i = 1; i <= writer->n; i++)
        text_addf(&writer->text, "%s%d*q%d'^2", i > 1 ? " + " : "", 1 + draw(writer, 3), i);
    text_add(&writer->text, ")/2 + (");
    write_linear_form(writer, 2);
    text_add(&writer->text, ")^2/2\n");
    text_addf(&writer->text, "point P = [q1 + sin(q%d), q%d, 0]\nmass m at P\n",
              1 + draw(writer, writer->n), 1 + draw(writer, writer->n));
    text_addf(&writer->text, "potential k*q%d^2*q%d\n", 1 + draw(writer, writer->n),
              1 + draw(writer, writer->n));
    text_addf(&writer->text, "force q%d' - t along q%d\n", 1 + draw(writer, writer->n),
              1 + draw(writer, writer->n));
}

// Each condition is solved for another velocity, so that all are independent; what it is solved
// for is hidden among the others.
static void write_conditions(Writer *writer)
{
    for (int i = 1; i <= writer->m; i++) {
        text_addf(&writer->text, "constraint c%d: q%d' = ", i, i);
        int terms = 1 + draw(writer, 2);
        for (int j = 0; j < terms; j++) {
            text_add(&writer->text, j ? " + (" : "(");
            write_coefficient(writer);
            int free_velocity = writer->m + 1 + draw(writer, writer->n - writer->m);
            text_addf(&writer->text, ")*q%d'", free_velocity);
        }
        if (writer->rheonomic)
            text_addf(&writer->text, " + t*q%d", 1 + draw(writer, writer->n));
        text_add(&writer->text, "\n");
    }
}

static void write_speeds(Writer *writer)
{
    int last = writer->n;
    if (draw(writer, 2) == 0)
        return;
    text_addf(&writer->text, "speed w = q%d' + ", last);
    write_linear_form(writer, 1);
    text_add(&writer->text, "\n");
}

static Text write_system(uint64_t seed)
{
    Writer writer = {.random = random_seed(seed)};
    writer.n = 2 + draw(&writer, 4);
    writer.m = draw(&writer, writer.n < 4 ? writer.n : 4);
    writer.rheonomic = draw(&writer, 2);
    text_add(&writer.text, "param m = 1, k = 2\ncoord ");
    for (int i = 1; i <= writer.n; i++)
        text_addf(&writer.text, "%sq%d", i > 1 ? ", " : "", i);
    text_add(&writer.text, "\n");
    write_energy(&writer);
    write_conditions(&writer);
    write_speeds(&writer);
    return writer.text;
}

static uint64_t test_size(void)
{
    const char *size = getenv("ZWANG_TEST_SIZE");
    long value = size ? strtol(size, NULL, 10) : 1;
    return value > 0 ? (uint64_t)value : 1;
}

// ---- Proving.

static void fail_with(const char *model, uint64_t seed, FormKind kind, const Verdict *verdict)
{
    print_message("seed %llu, %s: %s %s\n%s", (unsigned long long)seed, form_name(kind),
                  verdict->reason ? verdict->reason : "disagrees at",
                  verdict->witness ? verdict->witness : "", model);
    fail();
}

static void prove_all(uint64_t seed)
{
    Text text = write_system(seed);
    Loaded loaded = load_text("random", text.at);
    if (loaded.status != STATUS_OK)
        print_messages(loaded.diag), print_message("%s", text.at);
    assert_int_equal(loaded.status, STATUS_OK);
    Form *yardstick = form_derive(FORM_MULTIPLIERS, loaded.motion);
    for (int i = 0; i < FORM_COUNT; i++) {
        if (i == FORM_MULTIPLIERS)
            continue;
        Form *form = form_derive((FormKind)i, loaded.motion);
        assert_null(form->reason);
        Verdict verdict = inquiry_forms_agree(loaded.motion, yardstick, form);
        if (verdict.answer != ANSWER_YES)
            fail_with(text.at, seed, (FormKind)i, &verdict);
        verdict_clear(&verdict);
        form_free(form);
    }
    form_free(yardstick);
    unload(&loaded);
    text_clear(&text);
}

static void test_all_forms_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS * test_size(); seed++)
        prove_all(seed);
}

// ---- Sabotage.

// Flips the sign of one term in what vanishes, in the last equation of each set.
static bool spoil(Motion *motion, Form *form, size_t which)
{
    ExprPool *pool = motion->pool;
    FormEquation *equation = &form->equations.at[form->equations.count - 1];
    Expr residual = expr_is_none(equation->residual)
                        ? expr_sub(pool, equation->left, equation->right)
                        : equation->residual;
    residual = algebra_simplify(motion->algebra, residual);
    if (expr_op(pool, residual) != EXPR_SUM || which >= expr_arg_count(pool, residual))
        return false;
    Expr term = expr_mul(pool, expr_number(pool, expr_arg_weight(pool, residual, which)),
                         expr_arg(pool, residual, which));
    equation->residual = expr_sub(pool, residual, expr_mul(pool, expr_int(pool, 2), term));
    return true;
}

static size_t spoil_every_form(uint64_t seed)
{
    Text text = write_system(seed);
    Loaded loaded = load_good("random", text.at);
    Form *yardstick = form_derive(FORM_MULTIPLIERS, loaded.motion);
    size_t caught = 0;
    for (int i = 0; i < FORM_COUNT; i++) {
        Form *form = form_derive((FormKind)i, loaded.motion);
        if (spoil(loaded.motion, form, seed % 3)) {
            Verdict verdict = inquiry_forms_agree(loaded.motion, yardstick, form);
            if (verdict.answer == ANSWER_YES)
                fail_with(text.at, seed, (FormKind)i, &verdict);
            caught += verdict.answer == ANSWER_NO;
            verdict_clear(&verdict);
        }
        form_free(form);
    }
    form_free(yardstick);
    unload(&loaded);
    text_clear(&text);
    return caught;
}

static void test_a_planted_sign_is_caught_in_every_form(void **state)
{
    (void)state;
    size_t caught = 0;
    for (uint64_t seed = 1000; seed < 1000 + SPOILT_SYSTEMS * test_size(); seed++)
        caught += spoil_every_form(seed);
    assert_true(caught > SPOILT_SYSTEMS * test_size() * FORM_COUNT / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_forms_agree),
        cmocka_unit_test(test_a_planted_sign_is_caught_in_every_form),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

// A motion does not depend on how it is described: engines, methods, forms, speeds, --reduce and
// the choice of independent velocities give the gallery's motions, or say that they cannot.
//
// `make test` draws some of all pairs of a model and a description; with ZWANG_TEST_SIZE set all of
// them are run.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support.h"
#include "uniform.h"
#include "zwang.h"

enum { DRAWN_MODELS = 8, DRAWN_DESCRIPTIONS = 4 };

// ---- How a motion may be described.

typedef struct {
    const char *what, *value;
} Description;

static const Description descriptions[] = {
    {"engine", "interpret"}, {"engine", "native"},      {"method", "erk"},    {"method", "adams"},
    {"method", "bdf"},       {"speeds", "orthonormal"}, {"reduce", ""},       {"independent", ""},
    {"form", "multipliers"}, {"form", "korteweg"},      {"form", "maggi"},    {"form", "lagrange"},
    {"form", "appell"},      {"form", "kane"},          {"form", "tzenoff"},  {"form", "voronets"},
    {"form", "hamel"},       {"form", "johnsen1"},      {"form", "johnsen2"}, {"form", "gauss"},
    {"form", "canonical"},   {"form", "action"},
};
enum { DESCRIPTIONS = sizeof descriptions / sizeof *descriptions };

static bool is(const Description *description, const char *what)
{
    return strcmp(description->what, what) == 0;
}

// ---- A run, with its rows.

typedef struct {
    zw_model *model;
    zw_status status;
    zw_result *names;
    size_t columns;
    ARRAY(double) values;
} Rows;

static bool keep_row(void *context, const double *values, size_t count)
{
    Rows *rows = context;
    assert_int_equal(count, rows->columns);
    for (size_t i = 0; i < count; i++)
        array_push(&rows->values, values[i]);
    return true;
}

// `independent`: velocities to keep, NULL for none that were asked for.
static Rows rows_of_text(const char *name, const char *text, const Description *description,
                         const char *independent)
{
    Rows rows = {0};
    zw_run_options options = {0};
    options.row = keep_row;
    options.context = &rows;
    options.engine = is(description, "engine") ? description->value : "interpret";
    options.method = is(description, "method") ? description->value : NULL;
    options.form = is(description, "form") ? description->value : NULL;
    zw_model_options chosen = {.reduce = is(description, "reduce"),
                               .speeds = is(description, "speeds") ? description->value : NULL,
                               .independent = independent};
    rows.status = zw_model_read(name, text, strlen(text), &chosen, &rows.model);
    if (rows.status == ZW_DONE)
        rows.status = zw_run_columns(rows.model, &options, &rows.names);
    if (rows.status == ZW_DONE)
        rows.columns = zw_result_run(rows.names)->columns;
    if (rows.status == ZW_DONE)
        rows.status = zw_run(rows.model, &options, NULL);
    return rows;
}

static Rows rows_of(const char *name, const Description *description, const char *independent)
{
    return rows_of_text(name, zw_gallery_text(name), description, independent);
}

static void rows_free(Rows *rows)
{
    array_clear(&rows->values);
    zw_result_free(rows->names);
    zw_model_free(rows->model);
}

static const char *name_of(const Rows *rows, size_t column)
{
    return zw_result_column_name(rows->names, column);
}

static size_t row_count(const Rows *rows)
{
    return rows->columns ? rows->values.count / rows->columns : 0;
}

static const double *row_at(const Rows *rows, size_t i)
{
    return rows->values.at + i * rows->columns;
}

// ---- Two motions.

static bool counts(const char *name)
{
    return strcmp(name, "t") != 0 && strcmp(name, "energy") != 0 && strncmp(name, "lambda.", 7);
}

static size_t column_of(const Rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->columns; i++)
        if (strcmp(name_of(rows, i), name) == 0)
            return i;
    return SIZE_MAX;
}

static double size_of(const Rows *rows, size_t column)
{
    double most = 1e-3;
    for (size_t i = 0; i < row_count(rows); i++)
        most = fmax(most, fabs(row_at(rows, i)[column]));
    return most;
}

// By how much a column differs, in parts of its size, where both runs have a row of a time. At an
// event they have two, and others between, whose times differ in the last digits.
static double difference(const Rows *one, size_t column, const Rows *other, size_t its)
{
    double worst = 0, size = size_of(one, column);
    for (size_t i = 0, first = 0; i < row_count(other); i++) {
        double t = row_at(other, i)[0], least = INFINITY;
        while (first < row_count(one) && row_at(one, first)[0] < t)
            first++;
        size_t k = first;
        for (; k < row_count(one) && row_at(one, k)[0] == t; k++)
            least = fmin(least, fabs(row_at(one, k)[column] - row_at(other, i)[its]));
        if (k > first)
            worst = fmax(worst, least / size);
    }
    return worst;
}

static void compare(const char *name, const Description *description, const Rows *usual,
                    const char *independent)
{
    Rows rows = rows_of(name, description, independent);
    if (rows.status == ZW_FAILED)
        fail_msg("%s, %s %s %s: %s", name, description->what, description->value,
                 independent ? independent : "", zw_messages(rows.model, ZW_ERROR));
    // What ends early says so; what it has up to there is right.
    if (rows.status == ZW_DONE && usual->status == ZW_DONE)
        assert_true(row_at(&rows, row_count(&rows) - 1)[0] ==
                    row_at(usual, row_count(usual) - 1)[0]);
    // Whatever speeds are shown, the run takes those that are good.
    if (is(description, "speeds") && rows.status == ZW_NEGATIVE)
        fail_msg("%s: %s", name, zw_messages(rows.model, ZW_ERROR));
    for (size_t i = 0; i < rows.columns; i++) {
        size_t its = column_of(usual, name_of(&rows, i));
        if (its == SIZE_MAX || !counts(name_of(&rows, i)))
            continue;
        double off = difference(usual, its, &rows, i);
        if (!(off < 1e-6))
            fail_msg("%s, %s %s %s: %s is off by %g of its size", name, description->what,
                     description->value, independent ? independent : "", name_of(&rows, i), off);
    }
    rows_free(&rows);
}

// As many of the coordinates, in an order that is drawn, as the model takes.
static void compare_independent(const char *name, const Description *description, const Rows *usual,
                                Random *random)
{
    size_t n = 0;
    while (1 + n < usual->columns && !strchr(name_of(usual, 1 + n), '\''))
        n++;
    size_t *order = base_alloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        size_t at = random_below(random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t count = n; count > 0; count--) {
        Text names = {0};
        for (size_t i = 0; i < count; i++)
            text_addf(&names, "%s%s", i ? "," : "", name_of(usual, 1 + order[i]));
        compare(name, description, usual, names.at);
        text_clear(&names);
    }
    base_free(order);
}

static void compare_with(const char *name, const Description *description, const Rows *usual,
                         Random *random)
{
    if (is(description, "independent"))
        compare_independent(name, description, usual, random);
    else
        compare(name, description, usual, NULL);
}

static void test_gallery(void **state)
{
    (void)state;
    static const Description as_it_is = {"", ""};
    bool all = getenv("ZWANG_TEST_SIZE") != NULL;
    size_t models = zw_gallery_count();
    Random random = random_seed(17);
    for (size_t i = 0; i < (all ? models : DRAWN_MODELS); i++) {
        size_t which = all ? i : random_below(&random, models);
        const char *name = zw_gallery_name(which);
        Rows usual = rows_of(name, &as_it_is, NULL);
        assert_true(usual.status != ZW_FAILED);
        for (size_t k = 0; k < (all ? DESCRIPTIONS : DRAWN_DESCRIPTIONS); k++)
            compare_with(name, &descriptions[all ? k : random_below(&random, DESCRIPTIONS)], &usual,
                         &random);
        rows_free(&usual);
    }
}

// Speeds whose own factors become singular along the motion, while they stay well conditioned.
static void test_speeds_that_turn(void **state)
{
    (void)state;
    static const Description as_it_is = {"", ""}, orthonormal = {"speeds", "orthonormal"};
    static const char *const names[] = {"snakeboard", "cue_shot", "trailers"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Rows usual = rows_of(names[i], &as_it_is, NULL);
        assert_int_equal(usual.status, ZW_DONE);
        compare(names[i], &orthonormal, &usual, NULL);
        rows_free(&usual);
    }
}

// ---- Beads on wires with a narrow bend, whose numbers have many digits. Their speed is constant,
// so that they have gone the length of the wire.

typedef struct {
    const char *text; // y in parts of A, of u = (x - c)/w
    double (*slope)(double u);
} Bend;

static double bell_slope(double u)
{
    return -2 * u * exp(-u * u);
}

static double hump_slope(double u)
{
    return -2 * u / pow(1 + u * u, 2);
}

static double step_slope(double u)
{
    return 1 / pow(cosh(u), 2);
}

static double corner_slope(double u)
{
    return u / sqrt(1 + u * u);
}

static const Bend bends[] = {{"exp(-%s^2)", bell_slope},
                             {"1/(1 + %s^2)", hump_slope},
                             {"tanh(%s)", step_slope},
                             {"sqrt(1 + %s^2)", corner_slope}};

// From x = 0 to 1, by Simpson's rule in z with u = sinh(z).
static double length_of(const Bend *bend, double height, double c, double w)
{
    enum { PARTS = 20000 };
    double from = asinh(-c / w), to = asinh((1 - c) / w), sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        double z = from + (to - from) * i / PARTS, slope = height / w * bend->slope(sinh(z));
        double weight = i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2;
        sum += weight * w * cosh(z) * sqrt(1 + slope * slope);
    }
    return sum * (to - from) / PARTS / 3;
}

static void test_wires(void **state)
{
    (void)state;
    static const Description ways[] = {
        {"", ""}, {"reduce", ""}, {"form", "hamel"}, {"method", "erk"}};
    for (uint64_t seed = 0; seed < 16 * (getenv("ZWANG_TEST_SIZE") ? 20 : 1); seed++) {
        Random random = random_seed(seed);
        const Bend *bend = &bends[seed % 4];
        double w = pow(10, uniform(&random, -4, -1)), c = uniform(&random, 0.3, 0.7) + w / 7;
        double height = w * uniform(&random, 0.2, 3), slope = height / w * bend->slope(-c / w);
        Text argument = {0}, wire = {0}, text = {0};
        text_addf(&argument, "((x - %.17g)/%.17g)", c, w);
        text_addf(&wire, bend->text, argument.at);
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wire: y = %.17g*%s\n"
                  "initial x = 0, x' = %.17g\nrun to %.17g every 0.1\n",
                  height, wire.at, 1 / sqrt(1 + slope * slope), length_of(bend, height, c, w));
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            Rows rows = rows_of_text("wire", text.at, &ways[i], NULL);
            if (rows.status != ZW_DONE ||
                !(fabs(row_at(&rows, row_count(&rows) - 1)[1] - 1) < 1e-6))
                fail_msg("seed %d, %s %s: %s\n%s", (int)seed, ways[i].what, ways[i].value,
                         zw_messages(rows.model, ZW_ERROR), text.at);
            rows_free(&rows);
        }
        text_clear(&argument);
        text_clear(&wire);
        text_clear(&text);
    }
}

// ---- What an event sets, and what it keeps: the speeds that the model says, whichever carry the
// run.

static void test_resets(void **state)
{
    (void)state;
    static const Description as_it_is = {"", ""}, orthonormal = {"speeds", "orthonormal"},
                             independent = {"independent", ""};
    static const char *const sets[] = {"a' = %.17g", "a = %.17g", "a = %.17g, a' = 0.7",
                                       "b = %.17g"};
    static const char *const given[] = {"", "independent a, b\n", "independent a, c\n",
                                        "speed p = b' + a*c'\n"};
    static const char *const asked[] = {"a", "b", "c", "c,a", "b,a"};
    for (uint64_t seed = 0; seed < 16 * (getenv("ZWANG_TEST_SIZE") ? 20 : 1); seed++) {
        Random random = random_seed(4000 + seed);
        Text text = {0};
        text_addf(&text,
                  "coord a, b, c, d\nkinetic a'^2 + b'^2*(2 + sin(a)) + c'^2/2 + d'^2 + "
                  "%.17g*a'*b' + %.17g*b'*d'\npotential a^2 + b^2 + %.17g*c*d\n"
                  "constraint n: c' = (1 + a/2)*b'\n%sevent e: t = 0.3 { set ",
                  uniform(&random, -0.8, 0.8), uniform(&random, -0.8, 0.8), uniform(&random, -1, 1),
                  given[random_below(&random, 4)]);
        text_addf(&text, sets[random_below(&random, 4)], uniform(&random, -1, 1));
        text_addf(&text,
                  " }\ninitial a = 0.3, a' = %.17g, b' = 0.4, d' = -0.3\nrun to 1 every 0.2\n",
                  uniform(&random, -1, 1));
        Rows usual = rows_of_text("reset", text.at, &as_it_is, NULL);
        assert_int_equal(usual.status, ZW_DONE);
        for (size_t i = 0; i <= sizeof asked / sizeof *asked; i++) {
            Rows rows = rows_of_text("reset", text.at, i > 0 ? &independent : &orthonormal,
                                     i > 0 ? asked[i - 1] : NULL);
            assert_int_equal(rows.status, ZW_DONE);
            for (size_t k = 1; k <= 8; k++)
                if (!(difference(&usual, k, &rows, k) < 1e-8))
                    fail_msg("seed %d, %s: %s\n%s", (int)seed, i > 0 ? asked[i - 1] : "orthonormal",
                             name_of(&rows, k), text.at);
            rows_free(&rows);
        }
        rows_free(&usual);
        text_clear(&text);
    }
}

// ---- Slider-cranks with two links of nearly the same length, whose numbers have many digits.
// Their energy is ½, which tells how long they take.

typedef struct {
    double crank, rod, pin, slider, turn; // lengths; inertias
} Crank;

static double crank_inertia(const Crank *at, double a)
{
    double sine = -at->crank * sin(a) / at->rod, cosine = sqrt(1 - sine * sine);
    double b = -at->crank * cos(a) / (at->rod * cosine);
    double x = -at->crank * sin(a) - at->rod * sine * b;
    return at->pin + at->slider * x * x + at->turn * b * b;
}

// From an angle to another, by Simpson's rule.
static double crank_time(const Crank *at, double from, double to)
{
    enum { PARTS = 2000 };
    double sum = 0;
    for (int i = 0; i <= PARTS; i++)
        sum += (i == 0 || i == PARTS ? 1
                : i % 2              ? 4
                                     : 2) *
               sqrt(crank_inertia(at, from + (to - from) * i / PARTS));
    return sum * (to - from) / PARTS / 3;
}

static void test_cranks(void **state)
{
    (void)state;
    static const Description ways[] = {
        {"", ""}, {"reduce", ""}, {"speeds", "orthonormal"}, {"method", "erk"}};
    for (uint64_t seed = 0; seed < 8 * (getenv("ZWANG_TEST_SIZE") ? 20 : 1); seed++) {
        Random random = random_seed(1700 + seed);
        Crank at = {.crank = uniform(&random, 0.2, 1),
                    .pin = uniform(&random, 0.1, 2),
                    .slider = uniform(&random, 0.1, 5),
                    .turn = uniform(&random, 0.1, 2)};
        at.rod = at.crank * (1 + pow(10, uniform(&random, -8, -1)));
        double from = uniform(&random, -1.3, -0.5), to = uniform(&random, 0.5, 1.2);
        double time = crank_time(&at, from, to);
        Text text = {0};
        text_addf(&text,
                  "coord a, b, x\nkinetic %.17g*a'^2/2 + %.17g*x'^2/2 + %.17g*b'^2/2\n"
                  "constraint base: %.17g*cos(a) + %.17g*cos(b) = x\n"
                  "constraint height: %.17g*sin(a) + %.17g*sin(b) = 0\n"
                  "initial a = %.17g, b = %.17g, a' = %.17g\nrun to %.17g every %.17g\n",
                  at.pin, at.slider, at.turn, at.crank, at.rod, at.crank, at.rod, from,
                  -asin(at.crank * sin(from) / at.rod), 1 / sqrt(crank_inertia(&at, from)), time,
                  time);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            Rows rows = rows_of_text("crank", text.at, &ways[i], NULL);
            if (rows.status != ZW_DONE ||
                !(fabs(row_at(&rows, row_count(&rows) - 1)[1] - to) < 1e-7))
                fail_msg("seed %d, %s %s: %s\n%s", (int)seed, ways[i].what, ways[i].value,
                         zw_messages(rows.model, ZW_ERROR), text.at);
            rows_free(&rows);
        }
        text_clear(&text);
    }
}

// ---- What rubs on a floor z = ay + bx while a wall y = cx, without friction, leads it and a
// further mass follows by w = dx: it goes along e = (1, c, ac + b).

// x'' while x' > 0. On the mass act its weight, λn and κw of floor and wall, f = −d²x'' along x of
// what follows, and −μλ|n| along e; n and w are across e.
static double sliding_rate(double mu, double a, double b, double c, double d)
{
    double e[3] = {1, c, a * c + b}, n[3] = {-b, -a, 1}, w[2] = {-c, 1}, g = 9.81;
    double ee = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    double nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], ww = w[0] * w[0] + w[1] * w[1];
    double nw = n[0] * w[0] + n[1] * w[1], own = nn - nw * nw / ww;
    double weight = g * n[2] / own, share = (n[0] - w[0] * nw / ww) / own; // λ = weight − f·share
    double rub = mu * sqrt(nn) * sqrt(ee);
    return -(g * e[2] + rub * weight) / (ee + d * d * (1 + rub * share));
}

static void test_rubbing(void **state)
{
    (void)state;
    static const Description ways[] = {
        {"", ""}, {"reduce", ""}, {"speeds", "orthonormal"}, {"method", "erk"}};
    for (uint64_t seed = 0; seed < 8 * (getenv("ZWANG_TEST_SIZE") ? 20 : 1); seed++) {
        Random random = random_seed(900 + seed);
        double mu = uniform(&random, 0.1, 0.6), a = uniform(&random, -0.6, 0.6);
        double b = uniform(&random, -0.6, 0.6), c = uniform(&random, -1, 1);
        double d = uniform(&random, 0.2, 1), v = uniform(&random, 0.5, 3), t = 0.1;
        double rate = sliding_rate(mu, a, b, c, d);
        if (v + rate * t < 0)
            continue;
        Text text = {0};
        text_addf(&text,
                  "param g = 9.81\ncoord x, z, y, w\npoint P = [x, y, z]\nmass 1 at P\n"
                  "mass 1 at [0, w, 5]\ngravity [0, 0, -g]\nconstraint wall: y = %.17g*x\n"
                  "constraint follow: w = %.17g*x\n"
                  "constraint floor: z %s %.17g*y + %.17g*x friction %.17g at P on P\n"
                  "initial x' = %.17g, z' = %.17g\nrun to %.17g every %.17g\n",
                  c, d, seed % 2 ? ">=" : "=", a, b, mu, v, (a * c + b) * v, t, t);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            Rows rows = rows_of_text("rubbing", text.at, &ways[i], NULL);
            if (rows.status != ZW_DONE ||
                !(fabs(row_at(&rows, row_count(&rows) - 1)[1] - (v + rate * t / 2) * t) < 1e-9))
                fail_msg("seed %d, %s %s: %s\n%s", (int)seed, ways[i].what, ways[i].value,
                         zw_messages(rows.model, ZW_ERROR), text.at);
            size_t w = column_of(&rows, "w");
            assert_true(w != SIZE_MAX && (!is(&ways[i], "reduce") || w > 6));
            rows_free(&rows);
        }
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery), cmocka_unit_test(test_speeds_that_turn),
        cmocka_unit_test(test_resets),  cmocka_unit_test(test_wires),
        cmocka_unit_test(test_cranks),  cmocka_unit_test(test_rubbing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

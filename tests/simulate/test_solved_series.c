// test_solved_series.c: power series that solve for accelerations order by order are those of the
// rates as formulas, for the gallery and for chains, trees, loops, rolling and quaternions; and the
// same to the last bit interpreted and compiled.
#include "chain_text.h"
#include "compiler_case.h"
#include "files.h"
#include "support.h"

#include "program/native.h"

#include "dynamics/dynamics.h"
#include "dynamics/hidden/hidden_conditions.h"
#include "dynamics/rates.h"
#include "dynamics/speed_choice.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <math.h>

enum { ORDER = 20, STATES = 3 };

typedef struct {
    const char *name;
    Loaded loaded;
    Simulation *run;
    Random random;
    bool compiles;
    size_t compared;
} Case;

static double around(Random *random, double value, double size)
{
    return value + size * (ldexp((double)(random_next(random) >> 11), -52) - 1);
}

// The series from a state, a row an order.
static double *expand(Rates *rates, const double *ty)
{
    size_t width = 1 + rates->n + rates->k;
    double *table = base_alloc((ORDER + 5) * width * sizeof *table);
    memcpy(table, ty, width * sizeof *table);
    assert_int_equal(rates_expand(rates, ORDER, 1, table), ORDER);
    return table;
}

// Coefficients of positions and speeds, each against the largest of its order.
static void compare_tables(const Case *kase, const Rates *rates, const double *a, const double *b)
{
    size_t width = 1 + rates->n + rates->k;
    for (size_t k = 1; k <= ORDER; k++) {
        double size = 1e-3, most = 0;
        for (size_t i = 0; i < width; i++) {
            size = fmax(size, fabs(a[k * width + i]));
            most = fmax(most, fabs(a[k * width + i] - b[k * width + i]));
        }
        if (!(most <= 1e-9 * size))
            fail_msg("%s, order %zu: off by %g of %g", kase->name, k, most, size);
    }
}

static bool compare_at(Case *kase, const double *ty)
{
    const Equations *eq = kase->run->base->eq;
    State *state = kase->run->base->state;
    Rates direct, solved;
    bool made = rates_init_as(&direct, eq, state, kase->loaded.motion, (RatesWish){0}) &&
                rates_init_as(&solved, eq, state, kase->loaded.motion, (RatesWish){.series = true});
    bool compared = made && solved.solving;
    if (compared) {
        rates_open_series(&direct, ORDER, ORDER);
        rates_open_series(&solved, ORDER, ORDER);
        double *a = expand(&direct, ty), *b = expand(&solved, ty);
        compare_tables(kase, &direct, a, b);
        if (kase->compiles) {
            Text why = {0};
            assert_true(rates_compile(&solved, false, &why));
            double *c = expand(&solved, ty);
            assert_memory_equal(b, c, (ORDER + 1) * (1 + eq->n + eq->k) * sizeof *b);
            base_free(c);
            text_clear(&why);
        }
        base_free(a);
        base_free(b);
    }
    rates_clear(&direct);
    rates_clear(&solved);
    return compared;
}

// At states near the start.
static void compare_case(Case *kase)
{
    RunOptions options = run_options();
    assert_int_equal(run_new(kase->loaded.motion, &options, kase->loaded.diag, &kase->run),
                     STATUS_OK);
    const Equations *eq = kase->run->base->eq;
    State *state = kase->run->base->state;
    size_t n = eq->n, k = eq->k;
    double *ty = base_alloc((1 + n + k) * sizeof *ty);
    state->speeds.own = true;
    kase->random = random_seed(strlen(kase->name));
    for (size_t i = 0; i < STATES; i++) {
        ty[0] = around(&kase->random, 0.5, 0.5);
        for (size_t j = 0; j < n; j++)
            ty[1 + j] = around(&kase->random, kase->run->start.q[j], 0.2);
        for (size_t j = 0; j < k; j++)
            ty[1 + n + j] = around(&kase->random, kase->run->start.u[j], 0.5);
        if (dynamics_velocities(eq, state, ty[0], ty + 1, ty + 1 + n) == DYNAMICS_FOUND &&
            conditioning_now(eq, state) > 1e-3)
            kase->compared += compare_at(kase, ty);
    }
    base_free(ty);
    run_free(kase->run);
    unload(&kase->loaded);
}

static void gallery_agrees(void **state)
{
    (void)state;
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models");
    size_t compared = 0;
    for (size_t i = 0; i < models->count; i++) {
        Case kase = {.name = models->at[i], .loaded = load_model(models->at[i])};
        motion_free(kase.loaded.motion);
        assert_int_equal(
            hidden_motion_new(kase.loaded.model, false, kase.loaded.diag, &kase.loaded.motion),
            STATUS_OK);
        const Motion *motion = kase.loaded.motion;
        if (motion->side_count > 0 || motion->second_count > 0 || motion->curved ||
            motion->servos > 0) {
            unload(&kase.loaded);
            continue;
        }
        compare_case(&kase);
        compared += kase.compared > 0;
        if (kase.compared)
            print_message("%s\n", kase.name);
    }
    assert_true(compared > 0);
}

static const char *const chains[] = {"arm7",   "planar 9", "absolute 9", "spatial 8",
                                     "full 6", "ladder 9", "trailers 3"};

static void chains_agree(void **state)
{
    (void)state;
    need_compiler();
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        Case kase = {.name = chains[i], .loaded = load_chain(chains[i]), .compiles = true};
        compare_case(&kase);
        assert_int_equal(kase.compared, STATES);
    }
}

// How many characters compiled series of rates have, but for tables and names.
static double text_of_series(const char *name)
{
    Loaded loaded = load_chain(name);
    RunOptions options = run_options();
    Simulation *run;
    Rates rates;
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &run), STATUS_OK);
    const Equations *eq = run->base->eq;
    assert_true(rates_init_as(&rates, eq, run->base->state, loaded.motion, (RatesWish){0}));
    int *rate_of = base_alloc((1 + eq->n + eq->k) * sizeof *rate_of);
    for (size_t i = 0; i <= eq->n + eq->k; i++)
        rate_of[i] = i ? (int)i - 1 : PROGRAM_RATE_ONE;
    Text text = {0};
    size_t constants, count = 0;
    program_print_c_flow(rates.program.program, rate_of, ORDER, "f", &constants, &text);
    for (const char *at = text.at; *at; at += strcspn(at, "\n") + 1)
        count += *at == '#' || *at == '{' || strstr(at, "_T[") == at ? 0 : strcspn(at, "\n");
    base_free(rate_of);
    text_clear(&text);
    rates_clear(&rates);
    run_free(run);
    unload(&loaded);
    return (double)count;
}

// Links of one shape are written in one order: twice as many have hardly more code.
static void links_share_code(void **state)
{
    (void)state;
    double few = text_of_series("spatial 40"), many = text_of_series("spatial 80");
    if (!(many < 1.25 * few))
        fail_msg("from %g to %g characters", few, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_share_code),
        cmocka_unit_test(chains_agree),
        cmocka_unit_test(gallery_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

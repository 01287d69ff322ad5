// What has changed the energy along a run: shocks, friction, forces and what moves with the time,
// by every method, against closed forms.
#include "event_case.h"
#include "simulate/run_energy.h"

typedef struct {
    const char *name, *text;
    double shocks, damping, given; // the first two took it
    bool driven;                   // something moves with the time
    double friction;               // dry, which took it too
} Case;

#define DAMPED   "initial x = 0, x' = 3\nrun to 2 every 0.5\n"
#define RESONANT "initial x = 0, x' = 5\nrun to 10*pi every 1\n"
#define PI       3.14159265358979324

static const Case cases[] = {
    {"a block on a rough plane, which still moves: 5·x",
     "coord x\nkinetic x'^2\nforce -5*sign(x') along x\ninitial x = 0, x' = 3\n"
     "run to 1 every 0.1\n",
     0, 5 * (3 - 1.25), 0, false, 0},
    {"a damper: x' = 3·exp(−t/4)", "coord x\nkinetic 2*x'^2\nforce -x' along x\n" DAMPED, 0,
     18 * (1 - 0.36787944117144233), 0, false, 0},
    {"the same, by a dissipation function", "coord x\nkinetic 2*x'^2\ndissipation x'^2/2\n" DAMPED,
     0, 18 * (1 - 0.36787944117144233), 0, false, 0},
    {"the same, at a point",
     "coord x\npoint P = [x, 0, 0]\nmass 4 at P\nforce -velocity(P) at P\n" DAMPED, 0,
     18 * (1 - 0.36787944117144233), 0, false, 0},
    {"an oscillator in resonance, x = 2.5·sin 2t: the drive gives what the damper takes",
     "coord x\nkinetic x'^2/2\npotential 2*x^2\nforce 3*cos(2*t) - 0.6*x' along x\n" RESONANT, 0,
     9 * 10 * PI / 1.2, 9 * 10 * PI / 1.2, false, 0},
    {"the same, as a damper to a wall that moves",
     "coord x\nkinetic x'^2/2\npotential 2*x^2\nforce -0.6*(x' - 5*cos(2*t)) along x\n" RESONANT, 0,
     9 * 10 * PI / 1.2, 9 * 10 * PI / 1.2, false, 0},
    {"a bead on a wire that turns, r = cosh t: T = cosh(2t)/2",
     "coord r, phi\nkinetic (r'^2 + r^2*phi'^2)/2\nconstraint turn: phi' = 1\n"
     "initial r = 1, r' = 0, phi = 0\nrun to 2 every 0.5\n",
     0, 0, (27.308232836016487 - 1) / 2, true, 0},
    {"forces across the motion",
     "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce 2*y' along x\nforce -2*x' along y\n"
     "initial x = 0, y = 0, x' = 1, y' = 0\nrun to 2 every 0.5\n",
     0, 0, 0, false, 0},
    {"a ball strikes with 4 and 2, half is kept; a damper, x' = 2·exp(−t); a push, z = 1.5·t²",
     "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*y\n"
     "constraint floor: y >= 0 restitution 0.5\nforce -x' along x\nforce 3 along z\n"
     "initial x = 0, y = 0.8, z = 0, x' = 2, y' = 0, z' = 0\nrun to 0.9 every 0.1\n",
     7.5, 2 * (1 - 0.16529888822158653), 3.645, false, 0},
    {"a blow of 2 gives (9 − 1)/2 to a ball that then strikes with 3, of which half is kept",
     "coord x\nkinetic x'^2/2\nconstraint wall: x <= 1 restitution 0.5\n"
     "impulse 2 along x when t = 0.25\ninitial x = 0, x' = 1\nrun to 2 every 0.5\n",
     3.375, 0, 4, false, 0},
    {"dry friction beside a damper, x' = 5·exp(−t) − 2, and a push with what it gives, z = t²/2",
     "coord x, z\nkinetic (x'^2 + z'^2)/2\nforce -x' along x\nfriction dry: 2 along x\n"
     "force 1 along z\ninitial x = 0, z = 0, x' = 3, z' = 0\nrun to 0.5 every 0.1\n",
     0, 12.5 * (1 - 0.36787944117144233) - 20 * (1 - 0.60653065971263342) + 2, 0.125, false,
     2 * (5 * (1 - 0.60653065971263342) - 1)},
    {"a block that a belt of speed 2 drags: it takes F·2·t, and half of that is heat",
     "coord x\nkinetic x'^2/2\nfriction belt: 3 against x' - 2\ninitial x = 0, x' = 0\n"
     "run to 1 every 0.1\n",
     0, 0, 4, true, 2},
    {"a ball alone",
     "coord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y >= 0 restitution 0.5\n"
     "initial y = 0.8, y' = 0\nrun to 0.9 every 0.1\n",
     7.5, 0, 0, false, 0},
};

static void test_closed_forms(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF, RUN_TIMESTEPPING};
    for (size_t k = 0; k < 5 * (sizeof cases / sizeof *cases); k++) {
        const Case *is = &cases[k / 5];
        RunOptions options = run_options();
        options.method = methods[k % 5];
        // Timestepping knows no states inside its steps: it tells what all of them gave together.
        if (options.method == RUN_TIMESTEPPING && is->friction > 0)
            continue;
        RunCase kase = case_start(is->text, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        const RunEnergy *energy = kase.summary.energy;
        double lost = energy->friction + energy->damping;
        double given = energy->change + energy->shocks + lost;
        double size = fmax(1, fmax(is->damping, is->given));
        double room = (options.method == RUN_TIMESTEPPING ? 0.03 : 1e-7) * size;
        if (!(fabs(energy->shocks - is->shocks) <= room &&
              fabs(energy->damping - is->damping) <= room && fabs(given - is->given) <= room &&
              fabs(energy->friction - is->friction) <= room && energy->is_driven == is->driven))
            fail_msg(
                "%s, method %d: %.10g in shocks, %.10g in dry friction, %.10g in damping, %.10g "
                "given",
                is->name, (int)options.method, energy->shocks, energy->friction, energy->damping,
                given);
        case_free(&kase);
    }
}

// A run that ends early tells what was lost up to its last row, wherever in a step that is.
static bool stop_at_third(void *context, const double *row)
{
    (void)row;
    return ++*(int *)context < 3;
}

static void test_early_end(void **state)
{
    (void)state;
    RunCase kase = case_start("coord x, y\nkinetic x'^2/2 + y'^2/2\nforce -x' along x\n"
                              "force 1 along y\ninitial x = 0, y = 0, x' = 2, y' = 0\n"
                              "run to 10 every 0.01\n",
                              run_options());
    int rows = 0;
    RunListener listener = {.row = stop_at_third, .context = &rows};
    assert_int_equal(run_go(kase.run, &listener, kase.diag, &kase.summary), STATUS_NEGATIVE);
    const RunEnergy *energy = kase.summary.energy;
    assert_near(energy->damping, 2 * (1 - exp(-0.04)), 1e-10);
    assert_near(energy->change + energy->damping, 0.02 * 0.02 / 2, 1e-10);
    case_free(&kase);
}

// Momenta that are constant, and what was seen of them; a blow begins them anew.
static void test_momenta(void **state)
{
    (void)state;
    RunOptions options = run_options();
    for (int unwatched = 0; unwatched < 2; unwatched++) {
        options.unwatched = unwatched;
        RunCase kase = case_start("coord r, phi, z\nkinetic (r'^2 + r^2*phi'^2 + z'^2)/2\n"
                                  "potential r^2\nimpulse 2 along z when t = 1\n"
                                  "initial r = 1, phi = 0, z = 0, r' = 0, phi' = 2, z' = 1\n"
                                  "run to 5 every 0.1\n",
                                  options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        const RunEnergy *energy = kase.summary.energy;
        assert_int_equal(energy->momentum_count, 2);
        assert_string_equal(energy->momenta[0].coordinate, "phi");
        assert_string_equal(energy->momenta[1].coordinate, "z");
        // phi' r² from the rows; what was seen between them may be a little more. z' as it is.
        double most = 0;
        for (size_t i = 0; i < kase.rows.count; i += kase.columns)
            most = fmax(most, fabs(pow(kase.rows.at[i + 1], 2) * kase.rows.at[i + 5] - 2));
        assert_true(energy->momenta[0].change > most - 1e-14);
        assert_true(energy->momenta[0].change < 1e-12);
        assert_true(most > 0);
        assert_near(energy->momenta[1].change, 0, 1e-14);
        case_free(&kase);
    }
}

// The balance is that of the column, also where the first and the last row lie on a knot of the
// input or on another switch of the forces.
static void test_rows_on_switches(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF, RUN_ADAMS};
    static const char *const forces[] = {"w", "w*(1 + abs(x))", "w + 2*abs(t - 1)", "w + max(x, 0)",
                                         "w*sign(t - 0.5)"};
    Random random = random_seed(4);
    for (size_t i = 0; i < 20 * test_size(); i++) {
        double dt = 0.25 * (double)(1 + random_below(&random, 4));
        double every = 0.25 * (double)(1 + random_below(&random, 8));
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\ninput w = random(normal(3, 1), %g, %zu)\n"
                  "force %s along x\nrun to 2 every %g\n",
                  dt, 1 + (size_t)random_below(&random, 100), forces[i % 5], every);
        RunOptions options = run_options();
        options.method = methods[random_below(&random, 4)];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        double change = case_last(&kase, "energy") - case_value(&kase, 0, "energy");
        assert_near(kase.summary.energy->change, change, 1e-12 * (1 + fabs(change)));
        case_free(&kase);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_early_end),
        cmocka_unit_test(test_momenta),
        cmocka_unit_test(test_rows_on_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Random bodies thrown at a floor and a wall, by Newton's and Poisson's restitution: no shock makes
// energy, the energy only falls, no force leaves its cone, and nothing is drawn down. And what
// rests on a slope that holds it does not move by a bit, however long.
#include "event_case.h"
#include "uniform.h"

#include <stdio.h>

enum { CORNERS = 4 };

typedef struct {
    double floor, wall; // coefficients; wall below 0: there is none
} Boxes;

static Boxes add_box(Random *random, Text *text)
{
    static const char *const laws[] = {"", "law newton", "law poisson"};
    double w = uniform(random, 0.3, 1), h = uniform(random, 0.3, 1), m = uniform(random, 0.5, 3);
    const char *law = laws[random_below(random, 3)];
    Boxes box = {.floor = uniform(random, 0, 1.2),
                 .wall = random_below(random, 2) ? uniform(random, 0, 0.6) : -1};
    double e = random_below(random, 2) ? uniform(random, 0, 1) : 0;
    bool differ = random_below(random, 3) == 0;
    text_addf(text,
              "coord x, z, th\nframe B = world rotate th about y\npoint G = [x, 0, z]\n"
              "body b frame B mass %.17g at G inertia [1, %.17g, 1]\ngravity [0, 0, -9.81]\n",
              m, m * (w * w + h * h) / 12);
    for (int i = 0; i < CORNERS; i++) {
        double own = differ ? uniform(random, 0, 1) : e;
        text_addf(text,
                  "point P%d = G + [%.17g, 0, %.17g] in B\n"
                  "constraint f%d: P%d.z >= 0 %s restitution %.17g friction %.17g at P%d on b\n",
                  i, i % 2 ? w / 2 : -w / 2, i / 2 ? h / 2 : -h / 2, i, i, law, own, box.floor, i);
        if (box.wall >= 0)
            text_addf(
                text,
                "constraint w%d: P%d.x <= 1 %s restitution %.17g friction %.17g at P%d on b\n", i,
                i, law, own, box.wall, i);
    }
    double start[6];
    for (int i = 0; i < 6; i++)
        start[i] = uniform(random, -1, 1);
    text_addf(text,
              "initial th = %.17g, z = %.17g, x = -0.2, x' = %.17g, z' = %.17g, th' = %.17g\n"
              "run to 1.2 every 0.02\n",
              start[0], 1.2 + 0.3 * start[1], 4 * start[2], 2 * start[3] - 1, 8 * start[4]);
    return box;
}

// |F| ≤ μλ at the corners in every row, and the energy falls.
static void look_at_rows(const RunCase *kase, const Boxes *box, size_t seed)
{
    double energy = INFINITY;
    for (size_t row = 0; row < case_row_count(kase); row++) {
        double now = case_value(kase, row, "energy");
        if (now > energy + 1e-8 * fmax(1, fabs(energy)))
            fail_msg("seed %zu: the energy grows from %g to %g", seed, energy, now);
        energy = now;
        for (int i = 0; i < (box->wall >= 0 ? 2 : 1) * CORNERS; i++) {
            char force[32], lambda[32];
            const char *kind = i < CORNERS ? "f" : "w";
            double mu = i < CORNERS ? box->floor : box->wall;
            snprintf(force, sizeof force, "friction.%s%d.%s", kind, i % CORNERS,
                     i < CORNERS ? "x" : "z");
            snprintf(lambda, sizeof lambda, "lambda.%s%d", kind, i % CORNERS);
            double F = fabs(case_value(kase, row, force)), N = case_value(kase, row, lambda);
            if (N < -1e-9 || F > mu * N * (1 + 1e-7) + 1e-6)
                fail_msg("seed %zu: %s %g by %g at row %zu", seed, force, F, N, row);
        }
    }
}

static void boxes_lose_energy(void **state)
{
    (void)state;
    size_t whole = 0, count = 6 * test_size();
    for (size_t seed = 0; seed < count; seed++) {
        Random random = random_seed(900 + seed);
        Text text = {0};
        Boxes box = add_box(&random, &text);
        EventCase kase = event_case_with(text.at, run_options());
        look_at_rows(&kase.run, &box, seed);
        for (size_t i = 0; i < kase.events.count; i++)
            if (kase.events.at[i].kind == RUN_IMPACT && kase.events.at[i].energy_lost < -1e-9)
                fail_msg("seed %zu: a shock makes the energy %g", seed,
                         -kase.events.at[i].energy_lost);
        // What Newton's law would make of energy, and what is not determined, ends a run.
        whole += kase.run.status == STATUS_OK;
        assert_true(kase.run.status == STATUS_OK || kase.run.status == STATUS_NEGATIVE ||
                    case_says(&kase.run, DIAG_ERROR, "cannot be followed"));
        event_case_free(&kase);
        text_clear(&text);
    }
    assert_true(2 * whole > count);
}

static void nothing_creeps(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < 4 * test_size(); seed++) {
        Random random = random_seed(950 + seed);
        double alpha = uniform(&random, 0.05, 1.2), mu = tan(alpha) * uniform(&random, 1.001, 1.5);
        char text[600];
        snprintf(text, sizeof text,
                 "coord s, n\nframe F = world rotate -%.17g about y\npoint P = [s, 0, n] in F\n"
                 "mass %.17g at P\ngravity [0, 0, -9.81]\n"
                 "constraint floor: n >= 0 friction %.17g at P on P\ninitial s' = %.17g\n"
                 "run to 1e6 every 1e5\n",
                 alpha, uniform(&random, 0.1, 10), mu, uniform(&random, -3, 3));
        RunCase kase = case_run(text);
        case_expect(&kase, STATUS_OK);
        size_t rows = case_row_count(&kase);
        double rest = case_value(&kase, rows - 1, "s");
        for (size_t row = 0; row < rows; row++)
            if (case_value(&kase, row, "t") >= 1e5 &&
                (case_value(&kase, row, "s") != rest || case_value(&kase, row, "s'") != 0))
                fail_msg("seed %zu: it creeps", seed);
        case_free(&kase);
    }
}

// A slide that rubs and is thrown against its stop, which holds it for a while: an impact leaves
// some rounding of its velocity, and this is no sliding.
static void stops_hold_slides(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < 10 * test_size(); seed++) {
        Random random = random_seed(970 + seed);
        double a = uniform(&random, 0.3, 2), b = uniform(&random, 0.3, 2);
        char text[600];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic %.17g*x'^2/2 + %.17g*y'^2/2 + %.17g*x'*y'\n"
                 "force -%.17g + 0.3*y + t^2 along x\nforce 0.4*cos(t) along y\n"
                 "constraint wall: x >= 0\nfriction f: %.17g along x\n"
                 "initial x = 0.1, x' = -0.5, y' = %.17g\nrun to 4 every 0.05\n",
                 a, b, uniform(&random, -0.5, 0.5) * sqrt(a * b), uniform(&random, 1, 4),
                 uniform(&random, 0.2, 0.9), uniform(&random, -1, 1));
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        size_t rows = case_row_count(&kase.run);
        for (size_t row = 2; row < rows; row++) {
            double gone = case_value(&kase.run, row, "t") - case_value(&kase.run, row - 1, "t");
            if (gone > 0 && case_value(&kase.run, row, "x'") == 0 &&
                case_value(&kase.run, row - 1, "x'") == 0 &&
                case_value(&kase.run, row, "mode.f") != 1)
                fail_msg("seed %zu: it slides at rest, row %zu", seed, row);
        }
        event_case_free(&kase);
    }
}

// A body on several feet in space is pushed harder and harder through its centre: which foot bears
// what cannot be told, but when all begin to slide, and where to.
static void bodies_slide_on_feet(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < 2 * test_size(); seed++) {
        Random random = random_seed(980 + seed);
        size_t feet = 3 + random_below(&random, 2);
        double m = uniform(&random, 0.5, 4), mu = uniform(&random, 0.1, 0.5);
        double h = uniform(&random, 0.02, 0.12), c = uniform(&random, 1, 4);
        double way = uniform(&random, 0, 6), slip = mu * m * 9.81 / c;
        Text text = {0};
        text_addf(&text,
                  "coord x, y, z, e0, e1, e2, e3\nframe W = world rotate %.17g about x\n"
                  "frame B = W quaternion (e0, e1, e2, e3)\npoint G = [x, y, z] in W\n"
                  "body b frame B mass %.17g at G inertia [0.2, 0.3, 0.4]\n"
                  "gravity [0, 0, -9.81] in W\n",
                  uniform(&random, -1, 1), m);
        for (size_t i = 0; i < feet; i++) {
            double at = 6.28318 * ((double)i + uniform(&random, -0.2, 0.2)) / (double)feet;
            double far = uniform(&random, 0.25, 0.5);
            text_addf(&text,
                      "point P%zu = G + [%.17g, %.17g, %.17g] in B\n"
                      "constraint f%zu: dot(P%zu - origin, W.z) >= 0 friction %.17g at P%zu on b\n",
                      i, far * cos(at), far * sin(at), -h, i, i, mu, i);
        }
        text_addf(&text,
                  "force [%.17g*t, %.17g*t, 0] in W at G on b\ninitial z = %.17g\n"
                  "run to %.17g every 0.5\n",
                  c * cos(way), c * sin(way), h, slip + 1);
        EventCase kase = event_case_with(text.at, run_options());
        case_expect(&kase.run, STATUS_OK);
        size_t rows = case_row_count(&kase.run), i = 0;
        while (i < kase.events.count && kase.events.at[i].kind != RUN_SLIP)
            i++;
        assert_true(i < kase.events.count && fabs(kase.events.at[i].t - slip) <= 1e-10 * slip);
        if (hypot(case_value(&kase.run, rows - 1, "x") - c / m / 6 * cos(way),
                  case_value(&kase.run, rows - 1, "y") - c / m / 6 * sin(way)) > 1e-9)
            fail_msg("seed %zu: it slides elsewhere", seed);
        event_case_free(&kase);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_lose_energy), cmocka_unit_test(nothing_creeps),
        cmocka_unit_test(stops_hold_slides), cmocka_unit_test(bodies_slide_on_feet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Runs from event to event, against closed forms.
#include "event_case.h"

#define G 9.81

// ---- A ball that bounces: t_k and the time at which it has come to rest.

static void bouncing_ball(void **state)
{
    (void)state;
    static const double es[] = {0.5, 0.9, 0.2};
    for (size_t i = 0; i < sizeof es / sizeof *es; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "param e = %g\ncoord x, z\nmass 2 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
                 "constraint floor: z >= 0 restitution e\ninitial z = 1, x' = 3\n"
                 "run to 12 every 0.5\n",
                 es[i]);
        EventCase kase = event_case(text);
        double e = es[i], first = sqrt(2 / G), t = first, v = G * first, lost = 0;
        size_t impacts = kase.events.count - 1;
        for (size_t k = 0; k + 1 < impacts; k++) {
            event_is(&kase, k, RUN_IMPACT, "floor", t, 1e-12);
            assert_near(kase.events.at[k].before[1], -v, 1e-11);
            assert_near(kase.events.at[k].after[1], e * v, 1e-11);
            assert_near(kase.events.at[k].impulse, 2 * (1 + e) * v, 1e-10);
            assert_near(kase.events.at[k].energy_lost, (1 - e * e) * v * v, 1e-10);
            lost += (1 - e * e) * v * v;
            v *= e;
            t += 2 * v / G;
        }
        event_is(&kase, impacts, RUN_REST, "floor", first * (1 + e) / (1 - e), 1e-10);
        assert_true(lost <= 2 * G && lost > 2 * G - 1e-8);
        assert_near(kase.run.summary.energy_lost, 2 * G, 1e-12);
        // Then it slides.
        assert_near(case_last(&kase.run, "x"), 36, 1e-11);
        assert_near(case_last(&kase.run, "z"), 0, 1e-12);
        assert_near(case_last(&kase.run, "lambda.floor"), 2 * G, 1e-12);
        assert_true(kase.run.summary.deepest < 1e-12);
        assert_true(kase.run.summary.energy_drift < 1e-12);
        event_case_free(&kase);
    }
}

// ---- A bob on a string. cos θ, where it goes slack, from v² = v0² − 2gL(1 − cos θ) = −gL cos θ;
// in flight |r|² − L² = τ³(g²τ/4 − g·z'), so that it is tight again after 4z'/g.

// ∫ dθ/ω, by Simpson's rule.
static double time_to(double angle, double v0)
{
    size_t parts = 20000;
    double h = angle / (double)parts, sum = 0;
    for (size_t i = 0; i <= parts; i++) {
        double theta = h * (double)i, weight = i == 0 || i == parts ? 1 : i % 2 ? 4 : 2;
        sum += weight / sqrt(v0 * v0 - 2 * G * (1 - cos(theta)));
    }
    return sum * h / 3;
}

#define BOB                                                                                        \
    "coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"                                     \
    "constraint string: x^2 + z^2 <= 1 restitution %s\n"                                           \
    "initial x = 0, z = -1, x' = 6\nrun to 5 every 0.25\n"

static void check_bob(const EventCase *kase, double tolerance)
{
    double cosine = (2 * G - 36) / (3 * G), angle = acos(cosine), v = sqrt(-G * cosine);
    double slack = time_to(angle, 6), up = v * sin(angle), tight = slack + 4 * up / G;
    event_is(kase, 0, RUN_RELEASE, "string", slack, tolerance);
    assert_near(kase->events.at[0].after[0], v * cosine, tolerance);
    assert_near(kase->events.at[0].after[1], up, tolerance);
    event_is(kase, 1, RUN_IMPACT, "string", tight, tolerance);
    double x = sin(angle) + v * cosine * (tight - slack);
    double z = -cosine + up * (tight - slack) - G / 2 * pow(tight - slack, 2);
    double vx = v * cosine, vz = up - G * (tight - slack), radial = x * vx + z * vz;
    assert_near(kase->events.at[1].before[1], vz, 10 * tolerance);
    assert_near(kase->events.at[1].after[0], vx - radial * x, 10 * tolerance);
    assert_near(kase->events.at[1].energy_lost, radial * radial / 2, 10 * tolerance);
}

static void string_goes_slack(void **state)
{
    (void)state;
    char text[400];
    snprintf(text, sizeof text, BOB, "0");
    EventCase kase = event_case(text);
    check_bob(&kase, 1e-11);
    assert_int_equal(kase.events.count, 2);
    event_case_free(&kase);
}

// The same by other methods, and driven by other forms.
static void every_method_sees_it(void **state)
{
    (void)state;
    char text[400];
    snprintf(text, sizeof text, BOB, "0");
    static const double tolerances[] = {1e-11, 1e-9, 1e-6, 1e-6};
    for (int i = 0; i < RUN_METHOD_COUNT && i < 4; i++) {
        RunOptions options = run_options();
        options.method = (RunMethod)i;
        options.tolerance = 1e-11;
        EventCase kase = event_case_with(text, options);
        case_expect(&kase.run, STATUS_OK);
        check_bob(&kase, tolerances[i]);
        assert_int_equal(kase.events.count, 2);
        event_case_free(&kase);
    }
    static const FormKind forms[] = {FORM_APPELL, FORM_HAMEL, FORM_MULTIPLIERS};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        RunOptions options = run_options();
        options.driven = true;
        options.form = forms[i];
        EventCase kase = event_case_with(text, options);
        case_expect(&kase.run, STATUS_OK);
        check_bob(&kase, 1e-9);
        event_case_free(&kase);
    }
}

// With restitution it bounces on the string: each flight by its own quartic, in long double.
static void string_bounces(void **state)
{
    (void)state;
    char text[400];
    snprintf(text, sizeof text, BOB, "0.5");
    EventCase kase = event_case(text);
    const KeptEvent *from = &kase.events.at[1];
    size_t row = 0;
    while (case_value(&kase.run, row, "t") < from->t)
        row++;
    long double x = case_value(&kase.run, row, "x"), z = case_value(&kase.run, row, "z");
    long double t = from->t, g = G;
    size_t checked = 0;
    for (size_t k = 1; k + 1 < kase.events.count && kase.events.at[k + 1].kind == RUN_IMPACT; k++) {
        long double vx = kase.events.at[k].after[0], vz = kase.events.at[k].after[1];
        long double next = kase.events.at[k + 1].t, s = next - t;
        for (int i = 0; i < 20; i++) {
            long double X = x + vx * s, Z = z + vz * s - g * s * s / 2;
            long double f = X * X + Z * Z - (x * x + z * z);
            s -= f / (2 * (X * vx + Z * (vz - g * s)));
        }
        assert_near(kase.events.at[k + 1].t, (double)(t + s), 1e-9);
        t += s;
        x += vx * s;
        z += vz * s - g * s * s / 2;
        checked += s > 1e-3L;
    }
    assert_true(checked >= 5);
    bool rested = false;
    for (size_t k = 0; k < kase.events.count; k++)
        rested = rested || kase.events.at[k].kind == RUN_REST;
    assert_true(rested);
    assert_true(kase.run.summary.deepest < 1e-10);
    assert_true(kase.run.summary.energy_drift < 1e-10);
    event_case_free(&kase);
}

// A bob that swings through its lowest place, where z' is no speed to go by. No method lets go of
// the string there, and the energy is what the shocks leave.
static void string_swings_through(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF, RUN_ADAMS};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        EventCase kase = event_case_with(
            "coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
            "constraint string: x^2 + z^2 <= 1 restitution 0.3\n"
            "initial x = 0.333, z = 0.266, x' = 0.845, z' = 1.746\nrun to 3 every 0.05\n",
            options);
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.at[kase.events.count - 1].kind, RUN_REST);
        assert_true(kase.run.summary.energy_drift < 1e-6);
        event_case_free(&kase);
    }
}

// Held horizontally: neither λ nor f'' says that the string will act; f⁗ does.
static void from_a_tie(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
                                "constraint string: x^2 + z^2 <= 1\n"
                                "initial x = 1\nrun to 0.5 every 0.1\n");
    assert_int_equal(kase.events.count, 0);
    double x = case_last(&kase.run, "x"), z = case_last(&kase.run, "z");
    assert_near(x * x + z * z, 1, 1e-14);
    // λ·2 = v² − g·z = −3g·z.
    assert_near(case_last(&kase.run, "lambda.string"), -3 * G * z / 2, 1e-10);
    event_case_free(&kase);
}

// ---- A particle leaves a sphere where cos θ is two thirds of what it was at rest.

static void leaving_a_sphere(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
                                "constraint sphere: x^2 + z^2 >= 4\n"
                                "initial x = 0.4, z = sqrt(3.84)\nrun to 1.5 every 0.1\n");
    assert_int_equal(kase.events.count, 1);
    double z0 = sqrt(3.84), z = 2 * z0 / 3, v = sqrt(2 * G * (z0 - z)), x = sqrt(4 - z * z);
    event_is(&kase, 0, RUN_RELEASE, "sphere", kase.events.at[0].t, 0);
    assert_near(kase.events.at[0].after[0], v * z / 2, 1e-11);
    assert_near(kase.events.at[0].after[1], -v * x / 2, 1e-11);
    // From there it falls freely.
    double s = 1.5 - kase.events.at[0].t;
    assert_near(case_last(&kase.run, "x"), x + v * z / 2 * s, 1e-11);
    assert_near(case_last(&kase.run, "z"), z - v * x / 2 * s - G / 2 * s * s, 1e-11);
    event_case_free(&kase);
}

// ---- Several conditions.

static void into_a_corner(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nmass 1 at [x, y, 0]\n"
                                "constraint a: x <= 1 restitution 0.5\n"
                                "constraint b: y <= 1 restitution 0.25\n"
                                "initial x' = 1, y' = 1\nrun to 3 every 1\n");
    assert_int_equal(kase.events.count, 2);
    event_is(&kase, 0, RUN_IMPACT, "a", 1, 1e-15);
    event_is(&kase, 1, RUN_IMPACT, "b", 1, 1e-15);
    assert_near(case_last(&kase.run, "x"), 0, 1e-14);
    assert_near(case_last(&kase.run, "y"), 0.5, 1e-14);
    event_case_free(&kase);
    // A corner of 60° with e = 0: it stops there.
    kase = event_case("coord x, y\nmass 1 at [x, y, 0]\n"
                      "constraint a: y >= 0\nconstraint b: y <= sqrt(3)*(1 - x)\n"
                      "initial x' = 1, y = 0.5, y' = -0.5\nrun to 3 every 1\n");
    assert_near(case_last(&kase.run, "x"), 1, 1e-14);
    assert_near(case_last(&kase.run, "y"), 0, 1e-14);
    assert_near(kase.run.summary.energy_lost, 0.625, 1e-14);
    event_case_free(&kase);
}

// Two balls and a wall: a mass of 100 and one of 1 meet 31 times, wall included, which is ⌊10π⌋.
// In x/√M, y/√m it is a straight line that is mirrored in a wedge of the angle arctan 1/10.
static void two_balls_and_a_wall(void **state)
{
    (void)state;
    EventCase kase = event_case("coord a, b\nmass 1 at [a, 0, 0]\nmass 100 at [b, 0, 0]\n"
                                "constraint wall: a >= 0 restitution 1\n"
                                "constraint hit: a <= b restitution 1\n"
                                "initial a = 1, b = 2, b' = -1\nrun to 10 every 1\n");
    assert_int_equal(kase.events.count, 31);
    // Unfolded: from (√1·1, √100·2) in the direction (0, −10); after 31 mirrors the angle is
    // turned by 32 wedges or so; its size stays.
    double wedge = atan(0.1), X = 1, Y = 20, V = 10;
    for (size_t k = 0; k < 31; k++) {
        // Mirror k is the ray of the angle π/2 ∓ … ; the line X = 1 meets the rays φ = π/2 −
        // k·wedge beyond: hit for even k, wall for odd.
        double angle = atan2(10, 1) - (double)k * wedge;
        double t = (Y - X * tan(angle)) / V;
        assert_near(kase.events.at[k].t, t, 1e-10 * t);
        assert_string_equal(kase.events.at[k].constraint, k % 2 ? "wall" : "hit");
    }
    assert_true(kase.run.summary.energy_drift < 1e-11);
    event_case_free(&kase);
}

// Three balls that touch, e = 1: Moreau's rule, not Newton's cradle.
static void three_balls(void **state)
{
    (void)state;
    EventCase kase = event_case("coord a, b, c\nmass 1 at [a, 0, 0]\nmass 1 at [b, 0, 0]\n"
                                "mass 1 at [c, 0, 0]\n"
                                "constraint p: a <= b restitution 1\n"
                                "constraint q: b <= c restitution 1\n"
                                "initial a = -1, a' = 1\nrun to 2 every 1\n");
    assert_near(kase.events.at[0].t, 1, 1e-15);
    assert_near(case_last(&kase.run, "a'"), -1.0 / 3, 1e-15);
    assert_near(case_last(&kase.run, "b'"), 2.0 / 3, 1e-15);
    assert_near(case_last(&kase.run, "c'"), 2.0 / 3, 1e-15);
    event_case_free(&kase);
}

// A ball in a rectangular wedge: two balls that bounce, each on its own, come to rest.
static void ball_in_a_wedge(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -10]\n"
                                "constraint a: z >= x restitution 0.5\n"
                                "constraint b: z >= -x restitution 0.5\n"
                                "initial x = 0.1, z = 1\nrun to 10 every 1\n");
    double rests[2] = {0};
    for (size_t k = 0; k < kase.events.count; k++)
        if (kase.events.at[k].kind == RUN_REST)
            rests[kase.events.at[k].constraint[0] - 'a'] = kase.events.at[k].t;
    assert_near(rests[0], 3 * sqrt(2 * 0.9 / 10), 1e-10);
    assert_near(rests[1], 3 * sqrt(2 * 1.1 / 10), 1e-10);
    assert_near(case_last(&kase.run, "x"), 0, 1e-11);
    assert_near(case_last(&kase.run, "z"), 0, 1e-11);
    assert_near(case_last(&kase.run, "lambda.a"), 5, 1e-12);
    assert_near(case_last(&kase.run, "lambda.b"), 5, 1e-12);
    assert_near(kase.run.summary.energy_lost, 10, 1e-11);
    event_case_free(&kase);
}

// A table on three walls that say the same: the motion is unique, the reactions are the least.
static void dependent_ones(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, z\nmass 6 at [x, 0, z]\ngravity [0, 0, -10]\n"
                                "constraint a: z >= 0\nconstraint b: z >= 0 restitution 0\n"
                                "constraint c: 2*z >= 0\nconstraint d: z <= 3\n"
                                "initial z = 1.25, x' = 1\nrun to 2 every 0.5\n");
    // −λ·∂f/∂q together: λ_a + λ_b + 2λ_c = 60, least for λ = 10·(1, 1, 2).
    assert_int_equal(kase.events.count, 3);
    assert_near(kase.events.at[0].t, 0.5, 1e-14);
    assert_near(case_last(&kase.run, "z"), 0, 1e-13);
    assert_near(case_last(&kase.run, "x"), 2, 1e-13);
    assert_near(case_last(&kase.run, "lambda.a"), 10, 1e-10);
    assert_near(case_last(&kase.run, "lambda.b"), 10, 1e-10);
    assert_near(case_last(&kase.run, "lambda.c"), 20, 1e-10);
    assert_near(case_last(&kase.run, "lambda.d"), 0, 0);
    event_case_free(&kase);
}

// A sign switches where a force turns.
static void switches_are_told(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nmass 1 at [x, 0, 0]\nforce -sign(x) along x\n"
                                "initial x = 2\nrun to 5 every 2.5\n");
    // x = 2 − t²/2 until t = 2, then it is slowed down: x = −2 at t = 4.
    assert_int_equal(kase.events.count, 1);
    event_is(&kase, 0, RUN_SWITCH, "", 2, 1e-12);
    assert_near(kase.events.at[0].after[0], -2, 1e-11);
    // Rows at 0, 2, 2, 2.5, 5.
    assert_int_equal(case_row_count(&kase.run), 5);
    assert_near(case_last(&kase.run, "x"), -1.5, 1e-11);
    event_case_free(&kase);
}

// ---- Non-holonomic: a blade (Hamel 229, s = 0) goes round a circle into a wall.

static void blade_meets_a_wall(void **state)
{
    (void)state;
    static const double es[] = {0, 0.5};
    for (size_t i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "coord x, y, theta\nkinetic (x'^2 + y'^2)/2 + 0.1*theta'^2\n"
                 "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
                 "constraint wall: x <= 1 restitution %g\n"
                 "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'\n"
                 "initial v = 1, w = 0.5\nrun to 2 every 0.25\n",
                 es[i]);
        EventCase kase = event_case(text);
        // x = sin(t/2)/(1/2) = 1 at t = π/3; the percussion along the edge takes v, not w.
        double t = acos(-1) / 3, e = es[i];
        assert_int_equal(kase.events.count, 1);
        event_is(&kase, 0, RUN_IMPACT, "wall", t, 1e-12);
        assert_near(kase.events.at[0].energy_lost, (1 - e * e) / 2, 1e-12);
        assert_near(case_last(&kase.run, "theta"), 1, 1e-12);
        if (e == 0) {
            assert_near(case_last(&kase.run, "x"), 1, 1e-12);
            assert_near(case_last(&kase.run, "v"), 0, 1e-12);
        } else {
            assert_near(case_last(&kase.run, "v"), -0.5, 1e-12);
            assert_near(case_last(&kase.run, "x"), 1 - (sin(1) - sin(t / 2)), 1e-12);
        }
        event_case_free(&kase);
    }
}

// ---- A disc rolls down to the end of an incline, over its edge, and leaves it. With I = ½mr²
// ¾v² + g·h is kept; about the edge it leaves where v² = g·r·cos ψ.

static void disc_leaves_an_incline(void **state)
{
    (void)state;
    EventCase kase = event_case("param r = 0.1, al = 0.3, l = 0.002, g = 9.81\ncoord s, h, phi\n"
                                "mass 1 at [s*cos(al) + h*sin(al), 0, h*cos(al) - s*sin(al)]\n"
                                "kinetic r^2*phi'^2/4\ngravity [0, 0, -g]\n"
                                "let over = max(s - l, 0)\n"
                                "constraint roll: h*s' - over*h' = r^2*phi'\n"
                                "constraint ground: h^2 + over^2 >= r^2\n"
                                "initial h = r\nrun to 0.4 every 0.01\n");
    double r = 0.1, at_end = 4.0 / 3 * G * 0.002 * sin(0.3);
    double cosine = (at_end / (G * r) + 4.0 / 3 * cos(0.3)) * 3 / 7;
    const KeptEvent *last = NULL;
    for (size_t k = 0; k < kase.events.count; k++)
        if (kase.events.at[k].kind == RUN_RELEASE)
            last = &kase.events.at[k];
    assert_non_null(last);
    double v = hypot(last->after[0], last->after[1]);
    assert_near(v * v, G * r * cosine, 1e-9);
    assert_near(last->after[2], v / r, 1e-9);
    event_case_free(&kase);
}

// ---- Time in the conditions.

static void moving_floor(void **state)
{
    (void)state;
    // f = V·t − z: relative velocities are turned round, and the floor works.
    EventCase kase = event_case("coord z\nmass 2 at [0, 0, z]\n"
                                "constraint floor: z >= t/2 restitution 0.5\n"
                                "initial z = 3, z' = -1\nrun to 4 every 1\n");
    event_is(&kase, 0, RUN_IMPACT, "floor", 2, 1e-14);
    assert_near(case_last(&kase.run, "z'"), 1.25, 1e-14);
    assert_near(kase.events.at[0].energy_lost, 1 - 1.25 * 1.25, 1e-14);
    event_case_free(&kase);
    // A floor that falls slower than the ball holds it, one that falls faster does not.
    kase = event_case("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -10]\n"
                      "constraint floor: z >= -3*t^2\nrun to 1 every 1\n");
    assert_int_equal(kase.events.count, 0);
    assert_near(case_last(&kase.run, "z"), -3, 1e-14);
    assert_near(case_last(&kase.run, "lambda.floor"), 4, 1e-13);
    event_case_free(&kase);
    kase = event_case("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -10]\n"
                      "constraint floor: z >= -6*t^2\nrun to 1 every 1\n");
    assert_int_equal(kase.events.count, 0);
    assert_near(case_last(&kase.run, "z"), -5, 1e-14);
    event_case_free(&kase);
    // One that swings lets go where its acceleration is −g: sin t = 10/20.
    kase = event_case("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -10]\n"
                      "constraint floor: z >= 20*sin(t)\ninitial z' = 20\nrun to 1 every 1\n");
    event_is(&kase, 0, RUN_RELEASE, "floor", acos(-1) / 6, 1e-12);
    event_case_free(&kase);
}

// A bead is pushed along y at a given speed, and meets an inclined wall: what pushes it works in
// the shock, and the bead has more energy than before.
static void driven_into_a_wall(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nmass 1 at [x, y, 0]\nconstraint drive: y' = 2\n"
                                "constraint wall: x + y <= 1 restitution 0.5\n"
                                "initial x = 0, y = 0, x' = 1, y' = 2\nrun to 1 every 0.1\n");
    assert_int_equal(kase.events.count, 1);
    event_is(&kase, 0, RUN_IMPACT, "wall", 1.0 / 3, 1e-14);
    // f' goes from 3 to −1.5, and y' stays.
    assert_near(kase.events.at[0].after[0], -3.5, 1e-13);
    assert_near(kase.events.at[0].energy_lost, 0.5 * (1 - 3.5 * 3.5), 1e-12);
    assert_true(kase.run.summary.energy_drift < 1e-12);
    event_case_free(&kase);
}

// ---- Within a step.

// Past a circle: through it by more than the tolerance, or only touching it.
static void grazes(void **state)
{
    (void)state;
    static const double depths[] = {1e-8, 0, -1e-9};
    for (size_t i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y\nmass 1 at [x, y, 0]\n"
                 "constraint c: (x - 1)^2 + (y - 1)^2 >= 1 restitution 1\n"
                 "initial x = -9, y = %.17g, x' = 1\nrun to 20 every 20\n",
                 depths[i]);
        EventCase kase = event_case(text);
        if (i == 0) {
            event_is(&kase, 0, RUN_IMPACT, "c", 10 - sqrt(1 - pow(1 - 1e-8, 2)), 1e-9);
            assert_int_equal(kase.events.count, 1);
        } else if (i == 1) {
            event_is(&kase, 0, RUN_CONTACT, "c", 10, 1e-4);
            assert_true(kase.events.at[0].doubtful);
            assert_int_equal(kase.events.count, 1);
            assert_near(case_last(&kase.run, "y"), 0, 1e-9);
        } else {
            assert_int_equal(kase.events.count, 0);
        }
        event_case_free(&kase);
    }
}

// Two bounces within what would be one step, and pegs that are passed within a step.
static void nothing_sinks_through(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nmass 1 at [x, y, 0]\n"
                                "constraint a: sqrt((x - 500)^2 + y^2) >= 0.01 restitution 1\n"
                                "initial x' = 1\nrun to 1000 every 1000\n");
    event_is(&kase, 0, RUN_IMPACT, "a", 499.99, 1e-9);
    assert_near(case_last(&kase.run, "x"), -0.02, 1e-8);
    event_case_free(&kase);
}

// ---- Many events: nothing is lost.

static void many_events(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
                                "constraint floor: z >= 0 restitution 1\n"
                                "constraint roof: z <= 1 restitution 1\n"
                                "constraint left: x >= 0 restitution 1\n"
                                "constraint right: x <= 1 restitution 1\n"
                                "initial x = 0.3, z = 0.4, x' = 3.1, z' = 5\n"
                                "run to 200 every 200\n");
    assert_true(kase.events.count > 1500);
    assert_true(kase.run.summary.deepest < 1e-10);
    assert_true(kase.run.summary.energy_drift < 1e-10);
    // The walls are met at known times.
    size_t seen = 0;
    for (size_t k = 0; k < kase.events.count; k++) {
        const char *name = kase.events.at[k].constraint;
        if (name[0] == 'l' || name[1] == 'i')
            assert_near(kase.events.at[k].t, (0.7 + (double)seen++) / 3.1, 1e-9);
    }
    assert_true(seen > 600);
    event_case_free(&kase);
}

// ---- What is wrong.

static void wrong(void **state)
{
    (void)state;
    EventCase kase =
        event_case_with("coord x\nmass 1 at [x, 0, 0]\nconstraint c: x <= -1\n", run_options());
    assert_int_equal(kase.run.status, STATUS_WRONG);
    assert_true(
        case_says(&kase.run, DIAG_ERROR, "the start violates the one-sided constraint 'c'"));
    event_case_free(&kase);
    // Two walls that close on a ball.
    kase = event_case_with("coord x\nmass 1 at [x, 0, 0]\n"
                           "constraint a: x >= t - 1\nconstraint b: x <= 1 - t\n",
                           run_options());
    assert_int_equal(kase.run.status, STATUS_NEGATIVE);
    assert_true(case_says(&kase.run, DIAG_ERROR, "'b' cannot hold together with 'a'."));
    event_case_free(&kase);
}

// Nothing presses when it is let go.
static void let_go_where_no_force_is(void **state)
{
    (void)state;
    EventCase kase = event_case("coord y\nmass 1 at [0, y, 0]\nconstraint floor: y >= 0\n"
                                "initial y = 0.5\nforce -cos(t) along y\nrun to 4 every 1\n");
    event_is(&kase, 0, RUN_IMPACT, "floor", acos(0.5), 1e-12);
    event_is(&kase, 1, RUN_RELEASE, "floor", acos(-1) / 2, 1e-12);
    double t = acos(-1) / 2;
    assert_near(case_last(&kase.run, "y"), cos(4) + (4 - t), 1e-11);
    event_case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(let_go_where_no_force_is),
        cmocka_unit_test(bouncing_ball),
        cmocka_unit_test(string_goes_slack),
        cmocka_unit_test(every_method_sees_it),
        cmocka_unit_test(string_bounces),
        cmocka_unit_test(string_swings_through),
        cmocka_unit_test(from_a_tie),
        cmocka_unit_test(leaving_a_sphere),
        cmocka_unit_test(into_a_corner),
        cmocka_unit_test(two_balls_and_a_wall),
        cmocka_unit_test(three_balls),
        cmocka_unit_test(ball_in_a_wedge),
        cmocka_unit_test(dependent_ones),
        cmocka_unit_test(switches_are_told),
        cmocka_unit_test(blade_meets_a_wall),
        cmocka_unit_test(disc_leaves_an_incline),
        cmocka_unit_test(moving_floor),
        cmocka_unit_test(driven_into_a_wall),
        cmocka_unit_test(grazes),
        cmocka_unit_test(nothing_sinks_through),
        cmocka_unit_test(many_events),
        cmocka_unit_test(wrong),
    };
    return cmocka_run_group_tests_name("simulate/events", tests, NULL, NULL);
}

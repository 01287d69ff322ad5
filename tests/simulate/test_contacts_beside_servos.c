// One-sided conditions and impulses beside conditions that are not linear in the velocities, on
// accelerations, or kept by servos: closed forms, and the same velocities by finite forces.
#include "event_case.h"

#include <flint/flint.h>

static Text model_of(const char *format, ...)
{
    Text text = {0};
    va_list args;
    char buffer[2048];
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    text_add(&text, buffer);
    return text;
}

static EventCase events_of(Text text)
{
    EventCase kase = event_case(text.at);
    text_clear(&text);
    return kase;
}

// The run ends there, and says why.
static void strands(const char *text, double t, const char *why)
{
    EventCase kase = event_case_with(text, run_options());
    case_expect(&kase.run, STATUS_NEGATIVE);
    assert_near(kase.run.summary.reached, t, 1e-9);
    assert_true(case_says(&kase.run, DIAG_ERROR, why));
    event_case_free(&kase);
}

static void is_wrong(const char *text, const char *why)
{
    RunCase kase = case_start(text, run_options());
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, why));
    case_free(&kase);
}

// ---- Shocks on the cone z'² = k²(x'² + y'²).

#define POINT "coord x, y, z\nmass 1 at [x, y, z]\n"

// With the speed r on the ground and its direction φ against the wall's normal, r^(1+k²) sin φ
// stays as it is under a push along the normal, and T = (1 + k²)r²/2. At the end of the compression
// φ is a right angle; 1 − e² of what was lost then stays lost.
static void on_a_cone(void **state)
{
    (void)state;
    const double k = 0.7, restitution[] = {0, 0.3, 0.8, 1};
    for (size_t i = 0; i < 4; i++) {
        double e = restitution[i], power = 1 + k * k, r = 2, sine = 0.6;
        EventCase kase = events_of(model_of(POINT "constraint cone: %g*(x'^2 + y'^2) = z'^2\n"
                                                  "constraint wall: x <= 0.8 restitution %g\n"
                                                  "initial x' = 1.6, y' = 1.2, z' = %g\n"
                                                  "run to 1 every 0.5\n",
                                            k * k, e, 2 * k));
        event_is(&kase, 0, RUN_IMPACT, "wall", 0.5, 1e-12);
        double lost = r * r * (1 - pow(sine, 2 / power));
        double after = sqrt(r * r - (1 - e * e) * lost), turned = sine * pow(r / after, power);
        const KeptEvent *event = &kase.events.at[0];
        assert_near(event->after[0], -after * sqrt(fmax(1 - turned * turned, 0)), 1e-7);
        assert_near(event->after[0] * event->after[0], after * after * fmax(1 - turned * turned, 0),
                    1e-12);
        assert_near(event->after[1], after * turned, 1e-12);
        assert_near(event->after[2], k * after, 1e-12);
        assert_near(event->energy_lost, power / 2 * (1 - e * e) * lost, 1e-12);
        assert_near(case_last(&kase.run, "y"), 0.6 + 0.5 * after * turned, 1e-12);
        assert_true(kase.run.summary.energy_drift < 1e-12);
        event_case_free(&kase);
    }
}

#define INCLINED                                                                                   \
    POINT "constraint cone: 0.49*(x'^2 + y'^2) = z'^2\n"                                           \
          "initial x' = 0.8, y' = 0.6, z' = 0.7\n"
#define NORMAL "(x' + 0.5*z' - 0.3*y')"

static void velocities_are(const KeptEvent *event, const RunCase *other, double tolerance)
{
    assert_near(event->after[0], case_last(other, "x'"), tolerance);
    assert_near(event->after[1], case_last(other, "y'"), tolerance);
    assert_near(event->after[2], case_last(other, "z'"), tolerance);
}

// Nothing in the motion depends on the place: a wall that gives way leads through the same
// velocities. A spring gives all back, what is viscous nothing.
static void as_by_finite_forces(void **state)
{
    (void)state;
    EventCase kase = event_case(INCLINED "constraint wall: x + 0.5*z - 0.3*y <= 1 restitution 1\n"
                                         "run to 3 every 3\n");
    RunCase spring = case_run(INCLINED "potential 500*max(0, x + 0.5*z - 0.3*y - 1)^2\n"
                                       "run to 3 every 3 tolerance 1e-13\n");
    case_expect(&spring, STATUS_OK);
    velocities_are(&kase.events.at[0], &spring, 1e-11);
    assert_near(kase.events.at[0].energy_lost, 0, 1e-12);
    case_free(&spring);
    event_case_free(&kase);
    kase = event_case(INCLINED "constraint wall: x + 0.5*z - 0.3*y <= 1\nrun to 3 every 3\n");
    RunCase viscous = case_run(INCLINED "force [-1, 0.3, -0.5]*9*" NORMAL " at [x, y, z]\n"
                                        "run to 5 every 5 tolerance 1e-13\n");
    case_expect(&viscous, STATUS_OK);
    velocities_are(&kase.events.at[0], &viscous, 1e-11);
    case_free(&viscous);
    event_case_free(&kase);
}

// An impulse is a force that acts for a second.
static void impulse_is_a_short_force(void **state)
{
    (void)state;
    EventCase kase = event_case(INCLINED "impulse [-2, 1, 0.4] at [x, y, z] when t = 0.5\n"
                                         "run to 1 every 1\n");
    event_is(&kase, 0, RUN_IMPULSE, "", 0.5, 0);
    RunCase force =
        case_run(INCLINED "force [-2, 1, 0.4] at [x, y, z]\nrun to 1 every 1 tolerance 1e-13\n");
    case_expect(&force, STATUS_OK);
    velocities_are(&kase.events.at[0], &force, 1e-11);
    case_free(&force);
    event_case_free(&kase);
    // At the start too.
    RunCase start =
        case_start(INCLINED "impulse [-2, 1, 0.4] at [x, y, z] when t = 0\n", run_options());
    case_expect(&start, STATUS_OK);
    force =
        case_run(INCLINED "force [-2, 1, 0.4] at [x, y, z]\nrun to 1 every 1 tolerance 1e-13\n");
    for (size_t j = 0; j < 3; j++)
        assert_near(run_start(start.run).v[j],
                    case_last(&force, (const char *[]){"x'", "y'", "z'"}[j]), 1e-11);
    case_free(&force);
    case_free(&start);
}

// Where the inertia holds velocities the momentum takes what is given.
static void impulse_of_a_fast_particle(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nlagrangian -sqrt(1 - x'^2 - y'^2)\n"
                                "impulse 1 along x when t = 1\ninitial y' = 0.6\n"
                                "run to 2 every 1\n");
    double gamma = sqrt(1 + 1 + 0.75 * 0.75);
    assert_near(kase.events.at[0].after[0], 1 / gamma, 1e-13);
    assert_near(kase.events.at[0].after[1], 0.75 / gamma, 1e-13);
    event_case_free(&kase);
    // A wall that is struck head on gives the momentum back.
    kase = event_case("coord x\nlagrangian -sqrt(1 - x'^2)\nconstraint wall: x <= 1 restitution 1\n"
                      "initial x' = 0.8\nrun to 3 every 1\n");
    event_is(&kase, 0, RUN_IMPACT, "wall", 1.25, 1e-12);
    assert_near(kase.events.at[0].after[0], -0.8, 1e-12);
    assert_near(kase.events.at[0].impulse, 2 * 0.8 / 0.6, 1e-12);
    event_case_free(&kase);
    // One that is inclined takes the momentum along its normal, and gives back what has e² of the
    // energy.
    const double restitution[] = {0, 0.6, 1}, nx = 0.8, ny = 0.6;
    for (size_t i = 0; i < 3; i++) {
        double e = restitution[i], px = 1.0, py = 0.5, gamma0 = sqrt(1 + px * px + py * py);
        double normal = nx * px + ny * py, rest = gamma0 * gamma0 - normal * normal;
        double energy = gamma0 - (1 - e * e) * (gamma0 - sqrt(rest));
        double back = sqrt(fmax(energy * energy - rest, 0)) + normal;
        kase = events_of(model_of("coord x, y\nlagrangian -sqrt(1 - x'^2 - y'^2)\n"
                                  "constraint wall: 0.8*x + 0.6*y <= 0.5 restitution %g\n"
                                  "initial x' = %.17g, y' = %.17g\nrun to 2 every 1\n",
                                  e, px / gamma0, py / gamma0));
        assert_near(kase.events.at[0].after[0], (px - back * nx) / energy, 1e-7);
        assert_near(kase.events.at[0].after[1], (py - back * ny) / energy, 1e-7);
        assert_near(kase.events.at[0].impulse, back, 1e-7);
        assert_near(kase.events.at[0].energy_lost, gamma0 - energy, 1e-11);
        event_case_free(&kase);
    }
}

// ---- A point that keeps its speed: its reaction works.

// Against the wall's normal sin θ⁺ = (sin θ⁻)^(e²), and the wall takes (1 − e²)·log(1/sin θ⁻).
static void at_a_given_speed(void **state)
{
    (void)state;
    const double restitution[] = {0, 0.5, 1};
    for (size_t i = 0; i < 3; i++) {
        double e = restitution[i], after = pow(0.6, e * e);
        EventCase kase = events_of(model_of("coord x, y\nmass 1 at [x, y, 0]\n"
                                            "constraint speed: x'^2 + y'^2 = 1\n"
                                            "constraint wall: x <= 0.8 restitution %g\n"
                                            "initial x' = 0.8, y' = 0.6\nrun to 3 every 1\n",
                                            e));
        assert_near(kase.events.at[0].after[1], after, 1e-12);
        assert_near(kase.events.at[0].energy_lost, (1 - e * e) * log(1 / 0.6), 1e-11);
        // Without rebound it goes on along the wall.
        assert_near(case_last(&kase.run, "y"), 0.6 + 2 * after, 1e-11);
        assert_near(case_last(&kase.run, "x"), 0.8 - 2 * sqrt(1 - after * after), 1e-7);
        assert_true(kase.run.summary.energy_drift < 1e-12);
        event_case_free(&kase);
    }
}

// A wall that comes towards it: f' is counted against the wall, and its work with the velocity of
// the point.
static void a_wall_that_moves(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nmass 1 at [x, y, 0]\n"
                                "constraint speed: x'^2 + y'^2 = 1\n"
                                "constraint wall: x <= 1.3 - 0.5*t\n"
                                "initial x' = 0.8, y' = 0.6\nrun to 2 every 1\n");
    event_is(&kase, 0, RUN_IMPACT, "wall", 1, 1e-12);
    assert_near(kase.events.at[0].after[0], -0.5, 1e-12);
    assert_near(kase.events.at[0].after[1], sqrt(0.75), 1e-12);
    assert_near(kase.events.at[0].energy_lost, log(sqrt(0.75) / 0.6), 1e-11);
    // It goes on with the wall.
    assert_near(case_last(&kase.run, "x"), 0.3, 1e-12);
    assert_near(case_last(&kase.run, "y"), 0.6 + sqrt(0.75), 1e-11);
    event_case_free(&kase);
}

#define SPHERE                                                                                     \
    POINT "constraint speed: x'^2 + y'^2 + z'^2 = 1\nconstraint floor: z >= 0\n"                   \
          "force [0, 0, -2] at [x, y, z]\n"

// What else touches stays closed, and is pushed where it has to be; or it opens.
static void others_that_touch(void **state)
{
    (void)state;
    EventCase kase = event_case(SPHERE "constraint wall: x + 0.5*z <= 0.8\n"
                                       "initial x' = 0.8, y' = 0.6, z' = 0\nrun to 2 every 1\n");
    event_is(&kase, 0, RUN_IMPACT, "wall", 1, 1e-12);
    assert_near(kase.events.at[0].after[0], 0, 1e-12);
    assert_near(kase.events.at[0].after[1], 1, 1e-12);
    assert_near(kase.events.at[0].after[2], 0, 1e-12);
    assert_near(kase.events.at[0].impulse, log(3), 1e-12);
    assert_near(case_last(&kase.run, "y"), 1.6, 1e-11);
    event_case_free(&kase);
    // Nothing holds it down: along a great circle to where the normal is tangent.
    double n = sqrt(1.25), along = 0.8 / n, rest = sqrt(1 - along * along);
    kase = event_case(SPHERE "constraint wall: x - 0.5*z <= 0.8\n"
                             "initial x' = 0.8, y' = 0.6, z' = 0\nrun to 1.1 every 1.1\n");
    event_is(&kase, 0, RUN_RELEASE, "floor", 1, 1e-12);
    event_is(&kase, 1, RUN_IMPACT, "wall", 1, 1e-12);
    assert_near(kase.events.at[0].after[0], (0.8 - along / n) / rest, 1e-12);
    assert_near(kase.events.at[0].after[1], 0.6 / rest, 1e-12);
    assert_near(kase.events.at[0].after[2], 0.5 * along / n / rest, 1e-12);
    event_case_free(&kase);
    // One that is open is closed on the way.
    RunCase start = case_start(SPHERE "constraint wall: x + 2*z <= 0\n"
                                      "initial x' = 0.6, z' = 0.1, y' = sqrt(0.63)\n",
                               run_options());
    case_expect(&start, STATUS_OK);
    assert_near(run_start(start.run).v[0], 0, 1e-12);
    assert_near(run_start(start.run).v[1], 1, 1e-12);
    assert_near(run_start(start.run).v[2], 0, 1e-12);
    case_free(&start);
}

// ---- Smooth motion: contact and release.

// On the wall the point goes straight on, pressed by the force alone; it is let go where that
// changes its sign.
static void pressed_and_let_go(void **state)
{
    (void)state;
    EventCase kase = event_case(POINT "constraint cone: 0.25*(x'^2 + y'^2) = z'^2\n"
                                      "constraint wall: x <= 0\n"
                                      "force [cos(t), 0, 0.5] at [x, y, z]\n"
                                      "initial x' = 0, y' = 1, z' = 0.5\nrun to 3 every 0.5\n");
    event_is(&kase, 0, RUN_RELEASE, "wall", acos(-1) / 2, 1e-11);
    assert_near(case_value(&kase.run, 2, "lambda.wall"), cos(1), 1e-11);
    // z'' = 0.5/(1 + 1/k²).
    assert_near(case_value(&kase.run, 2, "z"), 0.5 + 0.1 / 2, 1e-11);
    assert_true(case_last(&kase.run, "x") < 0);
    RunOptions options = run_options();
    options.method = RUN_ERK;
    EventCase again =
        event_case_with(POINT "constraint cone: 0.25*(x'^2 + y'^2) = z'^2\n"
                              "constraint wall: x <= 0\n"
                              "force [cos(t), 0, 0.5] at [x, y, z]\n"
                              "initial x' = 0, y' = 1, z' = 0.5\nrun to 3 every 0.5\n",
                        options);
    assert_near(case_last(&again.run, "x"), case_last(&kase.run, "x"), 1e-9);
    event_case_free(&again);
    event_case_free(&kase);
}

// ---- What is not disturbed obeys the rule of all shocks, several at once.

static void undisturbed(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y, z, u, w\nmass 1 at [x, y, z]\nmass 2 at [u, w, 0]\n"
                                "constraint cone: x'^2 + y'^2 = z'^2\n"
                                "constraint a: u <= 1 restitution 0.5\nconstraint b: w <= 2\n"
                                "initial x' = 0.6, y' = 0.8, z' = 1, u' = 1, w' = 2\n"
                                "run to 2 every 1\n");
    assert_int_equal(kase.events.count, 2);
    assert_near(kase.events.at[0].after[3], -0.5, 1e-14);
    assert_near(kase.events.at[0].after[4], 0, 1e-14);
    assert_near(kase.events.at[0].after[2], 1, 1e-14);
    assert_near(case_last(&kase.run, "z"), 2, 1e-12);
    event_case_free(&kase);
}

static void shocks_without_an_end(void **state)
{
    (void)state;
    strands(
        POINT "constraint cone: x'^2 + y'^2 = z'^2\nconstraint wall: x <= 1\n"
              "initial x' = 1, y' = 0, z' = 1\nrun to 3\n",
        1,
        "the impact of 'wall' leads to where the derivatives of 'cone' by the velocities vanish");
    // Not even where a rebound would lead beyond it.
    strands(
        POINT "constraint cone: x'^2 + y'^2 = z'^2\nconstraint wall: x <= 1 restitution 0.5\n"
              "initial x' = 1, y' = 0, z' = 1\nrun to 3\n",
        1,
        "the impact of 'wall' leads to where the derivatives of 'cone' by the velocities vanish");
    strands("coord x, y\nmass 1 at [x, y, 0]\nconstraint speed: x'^2 + y'^2 = 1\n"
            "constraint wall: x <= 1\ninitial x' = 1, y' = 0\nrun to 3\n",
            1, "nothing stops what strikes 'wall': 'speed' allows no velocities near these");
    // On the circle that the two conditions leave, x' is nowhere 0.
    strands(POINT "constraint speed: x'^2 + y'^2 + z'^2 = 1\nconstraint tie: z'' = -x''\n"
                  "constraint wall: x <= 0.5\ninitial x' = 0.5, y' = 0.5, z' = sqrt(0.5)\n"
                  "run to 3\n",
            1, "nothing stops what strikes 'wall': 'speed' allows no velocities near these");
    strands("coord x, y\nmass 1 at [x, y, 0]\nconstraint speed: x'^2 + y'^2 = 2\n"
            "constraint a: x <= 1\nconstraint b: y <= 1\ninitial x' = 1, y' = 1\nrun to 3\n",
            1,
            "'a' and 'b' are struck at once, and with 'speed', which is not linear in the "
            "velocities, it matters which of them gives way first");
    is_wrong(POINT "constraint cone: x'^2 + y'^2 = z'^2\nconstraint wall: x <= 0\n"
                   "initial x' = 1, y' = 0, z' = 1\n",
             "at the start the impact of 'wall' leads to where the derivatives of 'cone'");
}

// The velocities behind the wall are another root of the condition: a form that drives goes on too.
static void a_form_takes_another_root(void **state)
{
    (void)state;
    static const char text[] =
        POINT "constraint cone: x'^2 + y'^2 = z'^2\nindependent y, z\n"
              "constraint wall: x <= 0.6 restitution 1\nforce [0, 0.1, 0] at [x, y, z]\n"
              "initial x' = 0.6, y' = 0.8, z' = 1\nrun to 2 every 1\n";
    RunOptions options = run_options();
    options.driven = true;
    options.form = FORM_APPELL;
    EventCase kase = event_case_with(text, options);
    case_expect(&kase.run, STATUS_OK);
    double by_form = case_last(&kase.run, "x'");
    event_case_free(&kase);
    kase = event_case(text);
    assert_true(case_last(&kase.run, "x'") < 0);
    assert_near(by_form, case_last(&kase.run, "x'"), 1e-9);
    event_case_free(&kase);
}

// ---- Conditions on accelerations.

// x'' = y'' ties the two in a shock too: what y loses x gets.
#define TIED "coord x, y\nmass 1 at [x, y, 0]\ngravity [0, -2, 0]\nconstraint tie: x'' = y''\n"

static void beside_accelerations(void **state)
{
    (void)state;
    EventCase kase = event_case(TIED "constraint floor: y >= 0 restitution 0.5\n"
                                     "initial y = 0.5, x' = 3\nrun to 2 every 1\n");
    // They fall with half of the weight, at 1 from there on.
    event_is(&kase, 0, RUN_IMPACT, "floor", 1, 1e-12);
    assert_near(kase.events.at[0].before[1], -1, 1e-12);
    assert_near(kase.events.at[0].after[1], 0.5, 1e-12);
    assert_near(kase.events.at[0].after[0], 3 - 1 + 1.5, 1e-12);
    assert_near(kase.events.at[0].impulse, 3, 1e-12);
    assert_true(kase.run.summary.energy_drift > 0);
    event_case_free(&kase);
    // At rest on the floor nothing moves x; what lifts it is shared again.
    kase = event_case(TIED "constraint floor: y >= 0\nforce 2*t along y\ninitial x' = 1\n"
                           "run to 2 every 0.5\n");
    event_is(&kase, 0, RUN_RELEASE, "floor", 1, 1e-12);
    assert_near(case_value(&kase.run, 1, "lambda.floor"), 1, 1e-12);
    assert_near(case_value(&kase.run, 1, "x"), 0.5, 1e-12);
    // y'' = t − 1 from there on.
    assert_near(case_last(&kase.run, "y"), 1.0 / 6, 1e-12);
    assert_near(case_last(&kase.run, "x"), 2 + 1.0 / 6, 1e-12);
    event_case_free(&kase);
    // A blow on one is a blow on both.
    kase = event_case(TIED "impulse 4 along x when t = 1\nrun to 2 every 1\n");
    assert_near(kase.events.at[0].after[0], -1 + 2, 1e-12);
    assert_near(kase.events.at[0].after[1], -1 + 2, 1e-12);
    event_case_free(&kase);
}

static void second_class_that_is_not_affine(void **state)
{
    (void)state;
    strands("coord x, y, z\nmass 1 at [x, y, z]\nconstraint d: z'' = x''*y''\n"
            "force 0.5 along z\nimpulse 1 along z when t = 1\nrun to 2 every 1\n",
            1, "the impulse comes to 'd', which is not affine in the accelerations");
    Source *source;
    Diag *diag = diag_new();
    Model *model;
    Motion *motion;
    static const char text[] = "coord x, y, z\nmass 1 at [x, y, z]\nconstraint d: z'' = x''*y''\n"
                               "constraint floor: z >= 0\n";
    source = source_new("test.zw", text, strlen(text));
    assert_int_equal(model_read(source, NULL, 0, diag, &model), STATUS_OK);
    assert_int_equal(motion_new(model, diag, &motion), STATUS_WRONG);
    RunCase kase = {.diag = diag};
    assert_true(case_says(&kase, DIAG_ERROR,
                          "'d', which is not affine in the accelerations, together with a "
                          "one-sided one ('floor'): which conditions act would be another question "
                          "at each of its stationary points"));
    model_free(model);
    source_free(source);
    diag_free(diag);
}

// ---- Servos.

// The force that drives x to and fro lifts y by half as much.
#define DRIVEN                                                                                     \
    "coord x, y\nmass 1 at [x, y, 0]\ngravity [0, -2, 0]\n"                                        \
    "servo drive: x = 8*sin(t) by force [1, 0.5, 0] at [x, y, 0]\n"

static void lifted_by_a_servo(void **state)
{
    (void)state;
    EventCase kase = event_case(DRIVEN "constraint floor: y >= 0\nrun to 10 every 1\n");
    double pi = acos(-1), go = pi + asin(0.5);
    assert_near(case_value(&kase.run, 1, "lambda.floor"), 2 + 4 * sin(1), 1e-10);
    assert_near(case_value(&kase.run, 1, "lambda.drive"), -8 * sin(1), 1e-10);
    event_is(&kase, 0, RUN_RELEASE, "floor", go, 1e-11);
    // y'' = −2 − 4 sin t from there on, until it is down again; x is not disturbed.
    double t = kase.events.at[1].t, flown = t - go;
    event_is(&kase, 1, RUN_IMPACT, "floor", t, 0);
    assert_near(4 * (sin(t) - sin(go)) - 4 * cos(go) * flown - flown * flown, 0, 1e-10);
    assert_near(kase.events.at[1].before[1], 4 * (cos(t) - cos(go)) - 2 * flown, 1e-10);
    assert_near(kase.events.at[1].after[1], 0, 0);
    assert_near(kase.events.at[1].after[0], 8 * cos(t), 1e-10);
    event_is(&kase, 2, RUN_RELEASE, "floor", go + 2 * pi, 1e-10);
    assert_near(case_last(&kase.run, "x"), 8 * sin(10), 1e-9);
    event_case_free(&kase);
    // A blow along y does not disturb it either; one along x does.
    kase = event_case(DRIVEN "impulse 3 along y when t = 1\nrun to 2 every 1\n");
    assert_near(kase.events.at[0].after[1] - kase.events.at[0].before[1], 3, 1e-12);
    event_case_free(&kase);
    strands(DRIVEN "impulse 3 along x when t = 1\nrun to 2 every 1\n", 1,
            "the impulse breaks what the servo 'drive' keeps: its force is finite and does "
            "nothing in an impact");
    is_wrong(DRIVEN "impulse 3 along x when t = 0\n",
             "at the start the impulse breaks what the servo 'drive' keeps");
}

// y and z are tied by their accelerations, and y is lifted by the servo: y'' = (cλ − g)/2 for
// λ = −sin t. On the floor z rests with y.
static void servo_beside_accelerations(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y, z\nmass 1 at [x, y, z]\ngravity [0, -1, 0]\n"
                                "servo drive: x = 4*sin(t) by force [1, 0.5, 0] at [x, y, z]\n"
                                "constraint tie: y'' = z''\nconstraint floor: y >= 0\n"
                                "initial z' = 1\nrun to 4 every 1\n");
    double go = acos(-1) + asin(0.5), flown = 4 - go;
    assert_near(case_value(&kase.run, 1, "lambda.floor"), 1 + 2 * sin(1), 1e-11);
    assert_near(case_value(&kase.run, 1, "lambda.drive"), -4 * sin(1), 1e-11);
    event_is(&kase, 0, RUN_RELEASE, "floor", go, 1e-11);
    double lift = (2 * (sin(4) - sin(go) - cos(go) * flown) - flown * flown / 2) / 2;
    assert_near(case_last(&kase.run, "y"), lift, 1e-10);
    assert_near(case_last(&kase.run, "z"), 4 + lift, 1e-10);
    event_case_free(&kase);
}

// A servo that keeps what is not linear in the velocities: a blow along its circle is too much.
static void servo_of_a_speed(void **state)
{
    (void)state;
    static const char kept[] = "coord x, y, z\nmass 1 at [x, y, z]\n"
                               "servo keep: x'^2 + y'^2 = 1 by force [1, 0, 0] at [x, y, z]\n"
                               "initial x' = 0.6, y' = 0.8\nconstraint wall: z <= 1\n"
                               "initial z' = 1\n%srun to 2 every 1\n";
    EventCase kase = events_of(model_of(kept, ""));
    event_is(&kase, 0, RUN_IMPACT, "wall", 1, 1e-12);
    assert_near(case_last(&kase.run, "x"), 1.2, 1e-12);
    event_case_free(&kase);
    // From (0.6, 0.8) to (0.6, −0.8): it holds with the velocities after, not on the way.
    kase = events_of(model_of(kept, "impulse -1.6 along y when t = 0.5\n"));
    assert_near(kase.events.at[0].after[1], -0.8, 1e-12);
    event_case_free(&kase);
    Text text = model_of(kept, "impulse -1.5 along y when t = 0.5\n");
    strands(text.at, 0.5, "the impulse breaks what the servo 'keep' keeps");
    text_clear(&text);
}

// Bounces beside a servo come to rest as any do.
static void bounces_beside_a_servo(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nmass 1 at [x, y, 0]\ngravity [0, -2, 0]\n"
                                "servo drive: x = sin(t) by x\nconstraint floor: y >= 0 "
                                "restitution 0.5\ninitial y = 1\nrun to 5 every 1\n");
    const KeptEvent *last = &kase.events.at[kase.events.count - 1];
    event_is(&kase, kase.events.count - 1, RUN_REST, "floor", 1 + 2 * 0.5 * 2 / (2 * 0.5), 1e-9);
    assert_true(last->uncertainty < 1e-6);
    assert_near(case_last(&kase.run, "lambda.floor"), 2, 1e-12);
    event_case_free(&kase);
}

// The stop is pushed by a servo whose force is not along what it keeps: with the force (1, c)
// on x = sin t and the stop x + y ≤ 0 the push of the stop is λ + Fx + sin t, where
// (1 − c)λ = −2 sin t − Fx + Fy.
#define STOPPED(c, force)                                                                          \
    "coord x, y\nmass 1 at [x, y, 0]\nforce " force " along y\n"                                   \
    "servo drive: x = sin(t) by force [1, " c ", 0] at [x, y, 0]\n"                                \
    "constraint stop: x + y <= 0\ninitial y' = -1\nrun to 6 every 0.5\n"

static void pushed_by_a_servo(void **state)
{
    (void)state;
    static const FormKind kinds[] = {FORM_MULTIPLIERS, FORM_APPELL, FORM_MAGGI, FORM_KANE,
                                     FORM_GAUSS};
    for (size_t i = 0; i <= sizeof kinds / sizeof kinds[0]; i++) {
        RunOptions options = run_options();
        options.driven = i > 0;
        options.form = i > 0 ? kinds[i - 1] : options.form;
        EventCase kase = event_case_with(STOPPED("0.5", "1"), options);
        case_expect(&kase.run, STATUS_NEGATIVE);
        assert_near(case_value(&kase.run, 1, "lambda.drive"), 2 - 4 * sin(0.5), 1e-10);
        assert_near(case_value(&kase.run, 1, "lambda.stop"), 2 - 3 * sin(0.5), 1e-10);
        event_is(&kase, 0, RUN_RELEASE, "stop", asin(2.0 / 3), 1e-11);
        // y'' = 1 − sin(t)/2, until the stop is met again; then x would have to jump.
        double go = asin(2.0 / 3), t = kase.run.summary.reached, flown = t - go;
        double y =
            -sin(go) - (cos(go) + cos(go) / 2) * flown + flown * flown / 2 + (sin(t) - sin(go)) / 2;
        assert_near(y + sin(t), 0, 1e-9);
        assert_true(case_says(&kase.run, DIAG_ERROR,
                              "the impact of 'stop' breaks what the servo 'drive' keeps"));
        event_case_free(&kase);
    }
}

// Where the servo's answer is more than the push: Φ = 1 − c < 0.
static void a_servo_that_answers_too_much(void **state)
{
    (void)state;
    is_wrong(STOPPED("2", "1"), "while 'stop' touches, no consistent contact forces exist");
    is_wrong(STOPPED("2", "-1"), "while 'stop' touches, the contact forces are not unique");
    // A wall at what is kept neither helps nor hinders.
    EventCase kase = event_case("coord x, y\nmass 1 at [x, y, 0]\nmass 2 at [x + y, 0, 0]\n"
                                "servo hold: x = 0 by x\nconstraint wall: x <= 0\n"
                                "force 3 along y\nforce 5 along x\nrun to 1 every 1\n");
    assert_near(case_last(&kase.run, "y"), 0.5, 1e-12);
    assert_near(case_last(&kase.run, "x"), 0, 0);
    event_case_free(&kase);
    // Where it is as much the push is in vain.
    is_wrong(STOPPED("1", "1"), "while 'stop' touches, no consistent contact forces exist");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_cone),
        cmocka_unit_test(as_by_finite_forces),
        cmocka_unit_test(impulse_is_a_short_force),
        cmocka_unit_test(impulse_of_a_fast_particle),
        cmocka_unit_test(at_a_given_speed),
        cmocka_unit_test(a_wall_that_moves),
        cmocka_unit_test(others_that_touch),
        cmocka_unit_test(pressed_and_let_go),
        cmocka_unit_test(undisturbed),
        cmocka_unit_test(shocks_without_an_end),
        cmocka_unit_test(a_form_takes_another_root),
        cmocka_unit_test(beside_accelerations),
        cmocka_unit_test(second_class_that_is_not_affine),
        cmocka_unit_test(lifted_by_a_servo),
        cmocka_unit_test(servo_beside_accelerations),
        cmocka_unit_test(servo_of_a_speed),
        cmocka_unit_test(bounces_beside_a_servo),
        cmocka_unit_test(pushed_by_a_servo),
        cmocka_unit_test(a_servo_that_answers_too_much),
    };
    int failed = cmocka_run_group_tests_name("simulate/beside", tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

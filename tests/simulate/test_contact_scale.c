// Contact is judged by the condition's own size, in any units. A body that starts above a surface,
// however little, falls freely first; one that starts on it is in contact; one that starts below it
// is refused. Against closed forms, with random units and heights.
#include "event_case.h"
#include "instant_case.h"
#include "uniform.h"

#include <float.h>

typedef enum { FLOOR, SHIFTED, SPHERE, SQUARES, SURFACES } Surface;
static const char *const conditions[SURFACES] = {"z >= 0", "z >= R", "sqrt(x^2 + y^2 + z^2) >= R",
                                                 "x^2 + y^2 + z^2 >= R^2"};

typedef struct {
    Surface surface;
    double unit;    // of lengths
    double height;  // above the surface
    double radius;  // where the surface is; 0 for the floor
    double gravity; // in any unit of time
} Scene;

static double random_unit(Random *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

// Units from a nanometre to ten thousand kilometres, heights down to 1e-8 of them.
static Scene draw(uint64_t seed)
{
    Random random = random_seed(seed);
    print_message("seed %zu\n", (size_t)seed);
    Scene scene = {.surface = (Surface)(seed % SURFACES),
                   .unit = pow(10, -9 + 16 * random_unit(&random))};
    scene.height = scene.unit * pow(10, -8 * random_unit(&random));
    scene.gravity = scene.unit * pow(10, -2 + 4 * random_unit(&random));
    scene.radius = scene.surface == FLOOR ? 0 : scene.unit * (1 + 9 * random_unit(&random));
    return scene;
}

static size_t draws(void)
{
    return 60 * test_size();
}

// A particle at rest, in `text` of the size below.
enum { TEXT = 700 };
static const char *write_model(const Scene *scene, double height, double end, char *text)
{
    snprintf(text, TEXT,
             "param R = %.17g, g = %.17g\ncoord x, y, z\nmass 2 at [x, y, z]\n"
             "gravity [0, 0, -g]\nconstraint ground: %s restitution 0.5\n"
             "initial x = 0, y = 0, z = %.17g\nrun to %.17g every %.17g\n",
             scene->radius, scene->gravity, conditions[scene->surface], scene->radius + height, end,
             end / 7);
    return text;
}

// The reaction 2g, as λ of the condition as it is written.
static double resting_lambda(const Scene *scene)
{
    return scene->surface == SQUARES ? scene->gravity / scene->radius : 2 * scene->gravity;
}

// ---- Above.

static void check_fall(const Scene *scene, RunMethod method)
{
    char text[TEXT];
    // What is left of the height where it is added to a radius.
    double height = scene->radius + scene->height - scene->radius;
    double fall = sqrt(2 * height / scene->gravity), speed = scene->gravity * fall;
    RunOptions options = run_options();
    options.method = method;
    EventCase kase = event_case_with(write_model(scene, scene->height, 4 * fall, text), options);
    case_expect(&kase.run, STATUS_OK);
    // Roundings of the position, and the tolerance of a method that knows no better.
    double known = method == RUN_TAYLOR ? 1e-12 : 1e-7;
    double part = known + 20e-15 * (1 + scene->radius / height);
    event_is(&kase, 0, RUN_IMPACT, "ground", fall, part * fall);
    assert_near(kase.events.at[0].before[2], -speed, part * speed);
    assert_near(kase.events.at[0].after[2], speed / 2, part * speed);
    // It goes up and comes down with half the speed, and so on: twice the time of the fall more.
    if (method == RUN_TAYLOR)
        event_is(&kase, 1, RUN_IMPACT, "ground", 2 * fall, 4 * part * fall);
    // At the end it lies there.
    assert_near(case_last(&kase.run, "lambda.ground"), resting_lambda(scene),
                1e-9 * resting_lambda(scene));
    event_case_free(&kase);
}

static void test_above(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        Scene scene = draw(seed);
        check_fall(&scene, RUN_TAYLOR);
        check_fall(&scene, RUN_ERK);
        scene.height = scene.unit;
        check_fall(&scene, RUN_ERK);
    }
}

// As they were seen: half a nanometre above a floor, and 5 mm above the earth.
static void test_seen(void **state)
{
    (void)state;
    static const Scene scenes[] = {{FLOOR, 1, 5e-10, 0, 9.81},
                                   {FLOOR, 1, 5e-10, 0, 1e-9},
                                   {SHIFTED, 1, 0.005, 6371000, 9.81},
                                   {SPHERE, 1, 0.005, 6371000, 9.81},
                                   {SQUARES, 1, 0.005, 6371000, 9.81}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        check_fall(&scenes[i], RUN_TAYLOR);
    // Rows much rarer than the fall is long.
    EventCase kase = event_case("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -9.81]\n"
                                "constraint ground: z >= 0\ninitial z = 5e-10\n"
                                "run to 100 every 50\n");
    event_is(&kase, 0, RUN_IMPACT, "ground", sqrt(2 * 5e-10 / 9.81), 1e-16);
    event_case_free(&kase);
}

// ---- On it.

// A given position that is moved onto a surface is told; one that rounding alone sets off is not.
static void test_moved_onto_it(void **state)
{
    (void)state;
    char text[TEXT];
    const Scene scene = {SHIFTED, 1, 0, 6371000, 9.81};
    EventCase kase = event_case(write_model(&scene, 1e-6, 1, text));
    assert_true(case_says(&kase.run, DIAG_NOTE,
                          "start: 'ground' is off by 1e-06, and up to 6.4e-06 counts as rounding"));
    event_case_free(&kase);
    kase = event_case(write_model(&scene, 1e-9, 1, text));
    assert_false(case_says(&kase.run, DIAG_NOTE, "is off by"));
    event_case_free(&kase);
}

static void test_on(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        char text[TEXT];
        Scene scene = draw(seed);
        Instant at = instant_of(write_model(&scene, 0, 1, text));
        assert_true(at.instant.sides.at[0].touches && at.instant.sides.at[0].acts);
        assert_near(at.instant.sides.at[0].lambda, resting_lambda(&scene),
                    1e-11 * resting_lambda(&scene));
        instant_free(&at);
        EventCase kase = event_case(text);
        assert_int_equal(kase.events.count, 0);
        assert_near(case_last(&kase.run, "z"), scene.radius, 1e-12 * scene.radius);
        event_case_free(&kase);
    }
}

// Anywhere on a sphere, where f is 0 but for rounding; on a floor, where z follows from others.
static void test_on_by_rounding(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        char text[TEXT];
        Scene scene = draw(4 * seed + SPHERE + seed % 2);
        double angle = 0.1 + (double)(seed % 13) / 10;
        snprintf(text, sizeof text,
                 "param R = %.17g\ncoord x, y, z\nmass 2 at [x, y, z]\ngravity [0, 0, -%.17g]\n"
                 "constraint ground: %s\ninitial x = R*cos(%g), y = 0, z = R*sin(%g)\n",
                 scene.radius, scene.gravity, conditions[scene.surface], angle, angle);
        Instant at = instant_of(text);
        assert_true(at.instant.sides.at[0].touches && at.instant.sides.at[0].acts);
        instant_free(&at);
        snprintf(text, sizeof text,
                 "param R = %.17g\ncoord x, z\nmass 2 at [x, 0, z]\ngravity [0, 0, -%.17g]\n"
                 "constraint bar: x^2 + (z - R*%.17g)^2 = R^2\nconstraint ground: z >= 0\n"
                 "initial x = R*%.17g\ninitial approx z = R*%.17g\n",
                 scene.radius, scene.gravity, sin(angle), cos(angle), 0.01);
        at = instant_of(text);
        assert_true(at.instant.sides.at[0].touches);
        instant_free(&at);
    }
}

// Next to the origin, on a surface whose f is a difference of larger terms: the coordinates there
// are as small as the gap, and say nothing of how far the motion comes. It flies up, and strikes
// after 2v/g.
static void test_on_at_the_origin(void **state)
{
    static const char *const shapes[] = {"exp(z/u) >= 1", "log(1 + exp(z/u)) >= log(2)",
                                         "(1 + z/u)^2 >= 1", "cosh(z/u - 1) <= cosh(1)",
                                         "sinh(z/u) + z/u >= 0"};
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        char text[TEXT];
        Random random = random_seed(seed);
        double unit = pow(10, -6 + 12 * random_unit(&random)), speed = 0.2 * unit;
        double off = unit * pow(10, -17 + 3 * random_unit(&random)) * (seed % 2 ? 1 : -1);
        snprintf(text, sizeof text,
                 "param u = %.17g\ncoord z\nmass 2 at [0, 0, z]\ngravity [0, 0, -%.17g]\n"
                 "constraint ground: %s restitution 0.5\ninitial z = %.17g, z' = %.17g\n"
                 "run to 0.5 every 0.1\n",
                 unit, unit, shapes[seed % 5], seed % 5 == 4 ? fabs(off) : off, speed);
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        event_is(&kase, 0, RUN_IMPACT, "ground", 0.4, 1e-11);
        assert_near(kase.events.at[0].after[0], speed / 2, 1e-10 * speed);
        event_case_free(&kase);
    }
}

// A flight no higher than what counts as 0 against the way of a free fall: it ends at once, and the
// energy of that height is no error of the motion.
static void test_least_flights(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        char text[TEXT];
        Random random = random_seed(seed);
        double unit = pow(10, -6 + 12 * random_unit(&random));
        double speed = unit * pow(10, -9 + 4 * random_unit(&random));
        double high = seed % 2 ? unit * pow(10, -16 + 3 * random_unit(&random)) : 0;
        snprintf(text, sizeof text,
                 "param u = %.17g\ncoord z\nmass 2 at [0, 0, z]\ngravity [0, 0, -%.17g]\n"
                 "constraint ground: %s restitution %.17g\ninitial z = %.17g, z' = %.17g\n"
                 "run to 3 every 0.5\n",
                 unit, unit, seed % 4 < 2 ? "z/u >= 0" : "exp(z/u) >= 1",
                 0.5 * random_unit(&random), high, seed % 3 ? speed : -speed);
        RunOptions options = run_options();
        options.method = seed % 5 < 3 ? RUN_TAYLOR : RUN_ERK;
        EventCase kase = event_case_with(text, options);
        case_expect(&kase.run, STATUS_OK);
        assert_near(case_last(&kase.run, "z"), 0, 1e-9 * unit);
        event_case_free(&kase);
    }
}

// ---- Below.

static void test_below(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        char text[TEXT];
        Scene scene = draw(seed);
        RunCase kase = case_start(write_model(&scene, -scene.height, 1, text), run_options());
        case_expect(&kase, STATUS_WRONG);
        double below = scene.radius - (scene.radius - scene.height);
        double f = scene.surface == SQUARES ? below * (2 * scene.radius - below) : below;
        double said = 0, allowed = 0;
        for (size_t i = 0; i < diag_total(kase.diag); i++) {
            const char *message = diag_message(kase.diag, i, NULL, NULL);
            sscanf(message, "the start violates the one-sided constraint 'ground' by %lg (%lg",
                   &said, &allowed);
        }
        assert_near(said, f, 1e-5 * f);
        assert_true(allowed > 0 && allowed < 1e-3 * f);
        case_free(&kase);
    }
}

// ---- Sizes that only the motion tells.

// At rest on the floor, without weight at first: struck upwards later, it comes back and to rest.
static void test_from_rest(void **state)
{
    (void)state;
    for (int exponent = -9; exponent <= 7; exponent += 4) {
        char text[TEXT];
        double unit = pow(10, exponent);
        snprintf(text, sizeof text,
                 "param u = %.17g\ncoord z\nmass 1 at [0, 0, z]\nforce [0, 0, -u*t] at [0, 0, z]\n"
                 "constraint ground: z >= 0 restitution 0.5\nimpulse [0, 0, u] at [0, 0, z] when "
                 "t = 1\nrun to 5 every 0.5\n",
                 unit);
        EventCase kase = event_case(text);
        const KeptEvent *last = &kase.events.at[kase.events.count - 1];
        assert_string_equal(run_event_name(last->kind), run_event_name(RUN_REST));
        // z = u(τ − τ²/2 − τ³/6) with τ = t − 1.
        double flight = (sqrt(33) - 3) / 2;
        event_is(&kase, 0, RUN_IMPULSE, "", 1, 0);
        bool seen = false;
        for (size_t i = 0; i < kase.events.count; i++)
            seen = seen || (kase.events.at[i].kind == RUN_IMPACT &&
                            fabs(kase.events.at[i].t - 1 - flight) < 1e-11);
        assert_true(seen);
        assert_near(case_last(&kase.run, "lambda.ground"), 5 * unit, 1e-9 * unit);
        event_case_free(&kase);
    }
}

// z = ±u(T − t)³ comes to a stop on the floor, and is pressed onto it from then on: one contact, no
// impact, λ = 6u(t − T).
static void test_stops_on_it(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 40 * test_size(); seed++) {
        Random random = random_seed(seed);
        double T = 0.4 + 2 * random_unit(&random), unit = pow(10, 12 * random_unit(&random) - 6);
        double side = seed % 2 == 0 ? 1 : -1, u = side * unit;
        RunOptions options = run_options();
        options.method = methods[seed / 2 % 4];
        Text text = {0};
        text_addf(&text,
                  "coord z\nkinetic z'^2/2\nforce %.17g*(%.17g - t) along z\n"
                  "constraint floor: z %s 0 restitution %g\n",
                  6 * u, T, side > 0 ? ">=" : "<=", 0.5 * (double)(seed % 3));
        text_addf(&text, "initial z = %.17g, z' = %.17g\nrun to %.17g every %.17g\n", u * pow(T, 3),
                  -3 * u * pow(T, 2), 2 * T, T / 7);
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        double error = options.method == RUN_TAYLOR ? 1e-9 : 1e-4;
        if (kase.events.count != 1 || kase.events.at[0].kind != RUN_CONTACT ||
            kase.events.at[0].doubtful || fabs(kase.events.at[0].t - T) > 0.02 * T)
            fail_msg("seed %d: %d events\n%s", (int)seed, (int)kase.events.count, text.at);
        assert_near(case_last(&kase.run, "z"), 0, error * unit);
        assert_near(case_last(&kase.run, "lambda.floor"), 6 * unit * T, 1e-6 * unit);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// A string is as long written by its length as by the square of that, also from its pivot, where
// the length has no slope; a room with round corners by its distance from a line, from there.
static void test_from_where_no_slope_is(void **state)
{
    (void)state;
    static const char *const written[][2] = {
        {"norm(P - origin) <= %.9f", "dot(P - origin, P - origin) <= (%.9f)^2"},
        {"sqrt(max(abs(x) - 1, 0)^2 + z^2) <= %.9f", "max(abs(x) - 1, 0)^2 + z^2 <= (%.9f)^2"},
    };
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t seed = 0; seed < 16 * test_size(); seed++) {
        Random random = random_seed(seed + 1);
        double l = uniform(&random, 0.5, 2), u = uniform(&random, -2, 2),
               w = uniform(&random, -2, 2);
        double last[2][2];
        for (size_t k = 0; k < 2; k++) {
            Text text = {0};
            text_addf(&text,
                      "coord x, z\npoint P = [x, 0, z]\nmass 1 at P\ngravity [0, 0, -9.81]\n"
                      "initial x' = %.9f, z' = %.9f\nrun to 1 every 0.1\nconstraint s: ",
                      u, w);
            text_addf(&text, written[seed % 2][k], l);
            text_addf(&text, " restitution 0.7\n");
            RunOptions options = run_options();
            options.method = methods[seed / 2 % 4];
            EventCase kase = event_case_with(text.at, options);
            case_expect(&kase.run, STATUS_OK);
            last[k][0] = case_last(&kase.run, "x");
            last[k][1] = case_last(&kase.run, "z'");
            event_case_free(&kase);
            text_clear(&text);
        }
        double most = seed / 2 % 4 < 2 ? 1e-8 : 1e-5;
        assert_near(last[0][0], last[1][0], most);
        assert_near(last[0][1], last[1][1], most * 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen),
        cmocka_unit_test(test_above),
        cmocka_unit_test(test_moved_onto_it),
        cmocka_unit_test(test_on),
        cmocka_unit_test(test_on_by_rounding),
        cmocka_unit_test(test_on_at_the_origin),
        cmocka_unit_test(test_least_flights),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_from_rest),
        cmocka_unit_test(test_stops_on_it),
        cmocka_unit_test(test_from_where_no_slope_is),
    };
    return cmocka_run_group_tests_name("simulate/contact_scale", tests, NULL, NULL);
}

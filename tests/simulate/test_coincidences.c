// Things that happen at one instant and have nothing to do with each other: impacts, switches,
// impulses, events, samples, what begins by `while`, friction that stops or starts, flat positions.
// Each does what it does alone, or the run ends; by every method.
#include "run_case.h"
#include "uniform.h"

// Each begins at 0 and has its instant at t; s later its column has the value.
typedef struct {
    const char *text, *column;
    double (*value)(double t, double s);
} Happening;

static double bounced(double t, double s)
{
    return t * s - s * s;
}

static double heavier(double t, double s)
{
    return t + s / 2;
}

static double fell(double t, double s)
{
    return t + 2 * s;
}

static double struck(double t, double s)
{
    return t + 3 * s;
}

static double thrown_back(double t, double s)
{
    return t - 2 * s;
}

static double turned(double t, double s)
{
    return t + s / sqrt(2);
}

static double stopped(double t, double s)
{
    (void)s;
    return t * t;
}

static double coupled(double t, double s)
{
    return 3 * t + s;
}

static double pushed(double t, double s)
{
    (void)t;
    return s * s / 2;
}

static double kicked(double t, double s)
{
    (void)t;
    return s;
}

static double kinked(double t, double s)
{
    return t / 2 + s;
}

static double let_go(double t, double s)
{
    return s * s * s / (6 * t);
}

static double touched(double t, double s)
{
    return t * t - s * s;
}

static double swung(double t, double s)
{
    return cos(s) - t * sin(s);
}

static double followed(double t, double s)
{
    return -t * t * t / 6 - t * t * s / 2 - t * s * s / 2 + s * s * s / 6;
}

static double passed_on(double t, double s)
{
    return t + s;
}

static double reflected(double t, double s)
{
    return t - s;
}

static double sampled(double t, double s)
{
    return ((t + s) * (t + s) + s * s) / 2;
}

static double crossed(double t, double s)
{
    (void)t;
    return -s;
}

// @ is the instant.
static const Happening happenings[] = {
    {"coord a\nkinetic a'^2/2\npotential 2*a\nconstraint fa: a >= 0 restitution 1/2\n"
     "initial a = @^2\n",
     "a", bounced},
    {"coord b\nkinetic (3 + sign(t - @))/2*b'^2/2\ninitial b' = 1\n", "b", heavier},
    {"coord c\nkinetic c'^2/2\npotential -3*(1 + sign(c - @))/4\ninitial c' = 1\n", "c", fell},
    {"coord d\nkinetic d'^2/2\nimpulse 2 along d when t = @\ninitial d' = 1\n", "d", struck},
    {"coord e\nkinetic e'^2/2\nevent ee: e = @ { set e' = -2*e' }\ninitial e' = 1\n", "e",
     thrown_back},
    {"coord f, fy\nkinetic (f'^2 + fy'^2)/2\nconstraint cf: fy = max(0, f - @)\n"
     "initial f' = 1\n",
     "f", turned},
    {"coord g\nkinetic g'^2/2\nfriction rub: 2 along g\ninitial g' = 2*@\n", "g", stopped},
    {"coord h, hy\nkinetic (h'^2 + 2*hy'^2)/2\nconstraint bar: h = hy while t >= @\n"
     "initial h' = 3, hy = 3*@, hy' = 0\n",
     "h", coupled},
    {"coord i\nkinetic i'^2/2\nforce 1 along i while t >= @\ninitial i' = 0\n", "i", pushed},
    {"coord j\nkinetic j'^2/2\nforce exp(-((t - @)/1e-5)^2)*1e5/sqrt(pi) along j\n"
     "initial j' = 0\n",
     "j", kicked},
    {"coord k, ky\nkinetic (k'^2 + ky'^2)/2\nconstraint ck: k + ky = abs(t - @)\n"
     "initial k = @/2, k' = -1\n",
     "ky", kinked},
    {"coord l\nkinetic l'^2/2\npotential l\nforce t/@ along l\nconstraint cl: l >= 0\n"
     "initial l = 0\n",
     "l", let_go},
    {"coord m\nkinetic m'^2/2\nfriction stuck: 1 along m\nforce t/@ along m\ninitial m' = 0\n", "m",
     let_go},
    {"coord n\nkinetic n'^2/2\npotential 2*n\nconstraint top: n <= @^2\ninitial n' = 2*@\n", "n",
     touched},
    {"coord o\nkinetic o'^2/2\nforce max(-1, -o) along o\ninitial o = 1 + @^2/2, o' = 0\n", "o",
     swung},
    {"coord p\nkinetic p'^2/2\nstate xi' = sign(t - @)\nforce xi along p\ninitial p' = 0\n", "p",
     followed},
    {"coord q, qy\nkinetic (q'^2 + qy'^2)/2\nconstraint pair: qy >= q restitution 1\n"
     "initial q' = 1, qy = @, qy' = 0\n",
     "qy", passed_on},
    {"coord r\nkinetic r'^2/2\npotential 1 + sign(r - @)\ninitial r' = 1\n", "r", reflected},
    {"coord u\nkinetic u'^2/2\nstate held = 0\nforce held along u\n"
     "sample hold: @ { set held = held + 1 }\ninitial u' = 0\n",
     "u", sampled},
    {"coord v, vy\nkinetic (v'^2 + vy'^2)/2\nconstraint lines: v*vy = 0\n"
     "initial v = @, vy = 0, v' = -1\n",
     "v", crossed},
};
enum { HAPPENINGS = sizeof happenings / sizeof *happenings };

static void add(const Happening *own, double t, Text *text)
{
    for (const char *at = own->text; *at; at++)
        if (*at == '@')
            text_addf(text, "(%.17g)", t);
        else
            text_addf(text, "%c", *at);
}

static void at_one_instant(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    Random random = random_seed(170);
    size_t finished = 0, rounds = 60 * test_size();
    for (size_t round = 0; round < rounds; round++) {
        size_t count = 2 + random_below(&random, 2), own[3];
        double t = (double)(1 + random_below(&random, 8)) / 4;
        if (random_below(&random, 2))
            t = uniform(&random, 0.3, 2);
        Text text = {0};
        for (size_t i = 0; i < count; i++) {
            own[i] = random_below(&random, HAPPENINGS);
            for (size_t k = 0; k < i; k++)
                if (own[k] == own[i]) {
                    own[i] = (own[i] + 1) % HAPPENINGS;
                    k = SIZE_MAX;
                }
            add(&happenings[own[i]], t, &text);
        }
        text_addf(&text, "run to %.17g every %.17g\n", 1.75 * t, t / 4);
        RunOptions options = run_options();
        options.method = methods[random_below(&random, sizeof methods / sizeof *methods)];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        finished += kase.status == STATUS_OK;
        for (size_t i = 0; i < count && kase.status == STATUS_OK; i++) {
            const Happening *it = &happenings[own[i]];
            double value = case_last(&kase, it->column), right = it->value(t, 0.75 * t);
            if (!(fabs(value - right) <= 1e-5 * fmax(1, fabs(right))))
                fail_msg("round %zu, method %d: %s = %.12g for %.12g\n%s", round,
                         (int)options.method, it->column, value, right, text.at);
        }
        case_free(&kase);
        text_clear(&text);
    }
    assert_true(2 * finished >= rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_one_instant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

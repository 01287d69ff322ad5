// Impacts that follow each other faster than any digit of the time or of a gap shows: a mass
// between a wall and a heavier one that comes along with it. Forces part the two behind each of
// their impacts, so that the wall strikes the first alone, which throws it back onto the other.
// Their gaps shrink with the square of one another, their velocities by a constant factor: both
// come to rest at the wall, where one impact of all would throw them back.
#include "event_case.h"
#include "uniform.h"

static size_t draws(void)
{
    return 40 * test_size();
}

// Returns the unit of lengths.
static double write_model(uint64_t seed, Text *text)
{
    Random random = random_seed(seed);
    double wall = uniform(&random, 0.1, 0.9), mass = uniform(&random, 2, 5);
    double force = uniform(&random, 0.2, 2), weight = seed % 3 ? 0 : force * mass / 2;
    double speed = uniform(&random, 1, 2), x = uniform(&random, 0.1, 0.3);
    double unit = pow(10, uniform(&random, -6, 6));
    text_addf(text,
              "param u = %.17g\ncoord x, y\nkinetic x'^2/2 + %.17g*y'^2/2\n"
              "potential u*(%.17g*x + %.17g*y)\nconstraint wall: x >= 0 restitution %.17g\n"
              "constraint pair: y - x >= 0.1*u restitution 0\n"
              "initial x = %.17g*u, y = %.17g*u, x' = -%.17g*u, y' = -%.17g*u\n"
              "run to 2 every 0.1\n",
              unit, mass, force, weight, wall, x, x + 0.101, speed, speed + 0.2);
    return unit;
}

// How far both are from where they come to rest.
static double off(const RunCase *kase, double unit)
{
    return fabs(case_last(kase, "x") / unit) + fabs(case_last(kase, "y") / unit - 0.1);
}

static void both_come_to_rest(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < draws(); seed++) {
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        double unit = write_model(seed, &text);
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        if (!(off(&kase.run, unit) < 1e-5))
            fail_msg("seed %d: off by %g: %s", (int)seed, off(&kase.run, unit), text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// ---- Beside others.

// A mass that takes no part in the cascade beside it moves on by its own force alone.
static void others_move_on(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        Random random = random_seed(7000 + seed);
        double mass = pow(10, uniform(&random, 0, 1.5)), force = uniform(&random, 0.5, 3);
        double x = uniform(&random, 0.1, 0.3), gap = uniform(&random, 0.01, 0.1);
        double push = uniform(&random, 1, 3), speed = uniform(&random, -1, 1);
        Text text = {0};
        text_addf(&text,
                  "coord x, y, z\nkinetic x'^2/2 + %.17g*y'^2/2 + z'^2/2\n"
                  "potential %.17g*x + %.17g*y - %.17g*z\n"
                  "constraint wall: x >= 0 restitution %.17g\n"
                  "constraint pair: y - x >= 0.1 restitution %.17g\n"
                  "constraint last: z - y >= 0.1 restitution 0.5\n"
                  "initial x = %.17g, y = %.17g, z = 3, x' = -1, y' = %.17g, z' = %.17g\n"
                  "run to 8 every 2\n",
                  mass, force, force * mass, push, uniform(&random, 0, 0.8),
                  uniform(&random, 0, 0.6), x, x + 0.1 + gap, -uniform(&random, 0.5, 1.5), speed);
        EventCase kase = event_case_with(text.at, run_options());
        case_expect(&kase.run, STATUS_OK);
        double last = 3 + 8 * speed + 32 * push, rate = speed + 8 * push;
        double off = fabs(case_last(&kase.run, "z") - last) +
                     fabs(case_last(&kase.run, "z'") - rate) + fabs(case_last(&kase.run, "x")) +
                     fabs(case_last(&kase.run, "y") - 0.1);
        if (!(off < 1e-9))
            fail_msg("seed %d: off by %g: %s", (int)seed, off, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// ---- In flight.

typedef struct {
    double mass[3], start[3], speed[3], e[2];
} Row;

// When three masses in a row stick together, by their gaps and the rates of these alone; INFINITY:
// not, or not soon.
static double sticking_time(const Row *row)
{
    long double gap[2], rate[2], t = 0;
    for (int i = 0; i < 2; i++) {
        gap[i] = (long double)row->start[i + 1] - (long double)row->start[i] - 0.1L;
        rate[i] = (long double)row->speed[i + 1] - (long double)row->speed[i];
    }
    for (int impacts = 0; impacts < 1000; impacts++) {
        long double first = INFINITY;
        int which = 0;
        for (int i = 0; i < 2; i++)
            if (rate[i] < 0 && -gap[i] / rate[i] < first) {
                first = -gap[i] / rate[i];
                which = i;
            }
        if (fmaxl(fabsl(rate[0]), fabsl(rate[1])) < 1e-30L)
            return (double)t;
        if (isinf(first))
            return INFINITY;
        t += first;
        for (int i = 0; i < 2; i++)
            gap[i] = i == which ? 0 : gap[i] + first * rate[i];
        long double e = row->e[which], left = row->mass[which], right = row->mass[which + 1];
        long double impulse = -(1 + e) * rate[which] / (1 / left + 1 / right);
        rate[1 - which] -= impulse / row->mass[1];
        rate[which] *= -e;
    }
    return INFINITY;
}

// Infinitely many impacts among themselves leave one body, which a wall throws back whole. Where
// the last of them are so slow that they count as 0 one by one, no digit shows that there is no end
// of them: the run says so.
static void rows_stick_together(void **state)
{
    (void)state;
    size_t stuck = 0, loud = 0;
    for (uint64_t seed = 0; seed < 4 * draws(); seed++) {
        Random random = random_seed(9000 + seed);
        Row row = {.start = {2}, .e = {uniform(&random, 0, 0.03), uniform(&random, 0, 0.03)}};
        double speed = uniform(&random, 1, 2), wall = uniform(&random, 0, 1), all = 0, centre = 0;
        double momentum = 0;
        for (int i = 0; i < 3; i++) {
            row.mass[i] = uniform(&random, 0.3, 3);
            if (i > 0)
                row.start[i] = row.start[i - 1] + 0.1 + uniform(&random, 0.01, 0.2);
            row.speed[i] = -speed + (1 - i) * uniform(&random, 0, 0.8);
            all += row.mass[i];
            momentum += row.mass[i] * row.speed[i];
            centre += row.mass[i] * (row.start[i] - 0.1 * i);
        }
        double slow = -momentum / all, there = centre / -momentum, end = 1.5 * there;
        if (!(slow > 0.1 && sticking_time(&row) < 0.9 * there))
            continue;
        stuck++;
        Text text = {0};
        text_addf(&text, "coord x, y, z\nkinetic %.17g*x'^2/2 + %.17g*y'^2/2 + %.17g*z'^2/2\n",
                  row.mass[0], row.mass[1], row.mass[2]);
        text_addf(&text,
                  "constraint wall: x >= 0 restitution %.17g\n"
                  "constraint a: y - x >= 0.1 restitution %.17g\n"
                  "constraint b: z - y >= 0.1 restitution %.17g\n",
                  wall, row.e[0], row.e[1]);
        text_addf(&text,
                  "initial x = %.17g, y = %.17g, z = %.17g, x' = %.17g, y' = %.17g, z' = %.17g\n"
                  "run to %.17g every %.17g\n",
                  row.start[0], row.start[1], row.start[2], row.speed[0], row.speed[1],
                  row.speed[2], end, end / 4);
        EventCase kase = event_case_with(text.at, run_options());
        bool whole = kase.run.status == STATUS_OK;
        if (!whole)
            assert_true(case_says(&kase.run, DIAG_ERROR, "the order of impacts cannot be told"));
        loud += !whole;
        double place = wall * slow * (end - there);
        double off = fabs(case_last(&kase.run, "x") - place) +
                     fabs(case_last(&kase.run, "y") - place - 0.1) +
                     fabs(case_last(&kase.run, "z") - place - 0.2);
        if (whole && !(off < 1e-8))
            fail_msg("seed %d: off by %g: %s", (int)seed, off, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
    assert_true(stuck > draws() / 2 && 100 * loud <= stuck);
}

// ---- Between walls, nearly together.

// Masses in a row between walls at 0 and `end`, which they come to within 0.1 of each other, as
// points; the last of the restitutions is that of the far wall.
enum { MOST = 4 };
typedef struct {
    int n;
    double mass[MOST], start[MOST], speed[MOST], e[MOST + 1], end, until;
} Walls;

static Walls draw_walls(Random *random)
{
    Walls row = {.n = uniform(random, 0, 1) < 0.5 ? 3 : 4, .start = {uniform(random, 0.1, 0.5)}};
    for (int i = 0; i < row.n; i++) {
        double most = uniform(random, 0, 1) < 0.7 ? 0.3 : 1;
        row.mass[i] = pow(10, uniform(random, -1.5, 1.5));
        row.start[i] += i > 0 ? row.start[i - 1] + 0.1 + uniform(random, 0.01, 0.3) : 0;
        row.speed[i] = uniform(random, -2, 2);
        row.e[i] = i > 0 ? most * uniform(random, 0, 1) : uniform(random, 0, 1);
    }
    row.e[row.n] = uniform(random, 0, 1);
    row.end = row.start[row.n - 1] + uniform(random, 0.1, 0.6);
    row.until = uniform(random, 1, 4);
    return row;
}

static long double gap_of(const Walls *row, const long double *x, int k)
{
    return k == 0 ? x[0] : k == row->n ? (long double)row->end - x[k - 1] : x[k] - x[k - 1] - 0.1L;
}

static long double rate_of(const Walls *row, const long double *v, int k)
{
    return k == 0 ? v[0] : k == row->n ? -v[k - 1] : v[k] - v[k - 1];
}

// From impact to impact, into `x`; the smallest velocity by which two of them have parted. 0 where
// they stick together.
static long double follow_walls(const Walls *row, long double *x)
{
    long double v[MOST], least = 1, left = (long double)row->until;
    for (int i = 0; i < row->n; i++) {
        x[i] = (long double)row->start[i];
        v[i] = (long double)row->speed[i];
    }
    for (int impacts = 0; impacts < 600; impacts++) {
        long double first = left;
        int which = -1;
        for (int k = 0; k <= row->n; k++) {
            long double rate = rate_of(row, v, k), gap = fmaxl(gap_of(row, x, k), 0);
            if (rate < 0 && gap / -rate < first) {
                first = gap / -rate;
                which = k;
            }
        }
        left -= first;
        for (int i = 0; i < row->n; i++)
            x[i] += first * v[i];
        if (which < 0)
            return least;
        long double before = which > 0 ? 1 / (long double)row->mass[which - 1] : 0;
        long double after = which < row->n ? 1 / (long double)row->mass[which] : 0;
        long double rate = rate_of(row, v, which);
        long double push = -(1 + (long double)row->e[which]) * rate / (before + after);
        if (which > 0)
            v[which - 1] -= push * before;
        if (which < row->n)
            v[which] += push * after;
        least = fminl(least, fabsl(rate_of(row, v, which)));
        if (least < 1e-13L)
            return 0;
    }
    return 0;
}

static void write_walls(const Walls *row, Text *text)
{
    for (int i = 0; i < row->n; i++)
        text_addf(text, "coord x%d\ninitial x%d = %.17g, x%d' = %.17g\n", i, i, row->start[i], i,
                  row->speed[i]);
    text_add(text, "kinetic 0");
    for (int i = 0; i < row->n; i++)
        text_addf(text, " + %.17g*x%d'^2/2", row->mass[i], i);
    text_addf(text, "\nconstraint left: x0 >= 0 restitution %.17g\n", row->e[0]);
    for (int i = 1; i < row->n; i++)
        text_addf(text, "constraint c%d: x%d - x%d >= 0.1 restitution %.17g\n", i, i, i - 1,
                  row->e[i]);
    text_addf(text, "constraint right: x%d <= %.17g restitution %.17g\n", row->n - 1, row->end,
              row->e[row->n]);
    text_addf(text, "run to %.17g every %.17g\n", row->until, row->until / 5);
}

// What comes to move on nearly together is struck in turn; where no digit tells in which, the run
// ends.
static void order_is_told(void **state)
{
    (void)state;
    size_t right = 0, loud = 0;
    for (uint64_t seed = 0; seed < 500 * draws(); seed++) {
        Random random = random_seed(40000 + seed);
        Walls row = draw_walls(&random);
        long double x[MOST], least = follow_walls(&row, x);
        if (!(least > 0 && least < 1e-6L))
            continue;
        Text text = {0};
        write_walls(&row, &text);
        EventCase kase = event_case_with(text.at, run_options());
        double off = 0;
        for (int i = 0; i < row.n && kase.run.status == STATUS_OK; i++) {
            char name[] = {'x', (char)('0' + i), 0};
            off = fmax(off, fabs(case_last(&kase.run, name) - (double)x[i]));
        }
        if (!(off < 1e-6))
            fail_msg("seed %d: off by %g: %s", (int)seed, off, text.at);
        right += kase.run.status == STATUS_OK;
        loud += kase.run.status != STATUS_OK;
        text_clear(&text);
        event_case_free(&kase);
    }
    assert_true(right > draws() && loud < right / 20);
}

// ---- Steps of fixed length.

// Steps of fixed length strike at once what they reach: where that is another motion, they say so.
static void steps_are_loud(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        RunOptions options = run_options();
        options.method = RUN_TIMESTEPPING;
        Text text = {0};
        double unit = write_model(seed, &text);
        EventCase kase = event_case_with(text.at, options);
        if (kase.run.status == STATUS_OK && !(off(&kase.run, unit) < 0.3))
            fail_msg("seed %d: off by %g: %s", (int)seed, off(&kase.run, unit), text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_come_to_rest), cmocka_unit_test(others_move_on),
        cmocka_unit_test(rows_stick_together), cmocka_unit_test(order_is_told),
        cmocka_unit_test(steps_are_loud)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

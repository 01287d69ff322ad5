// Dry friction at an instant: in the plane every mode tried in exact fractions, in space one
// contact by a scan of all directions, and the classical paradoxes with their numbers.
#include "contact/friction.h"
#include "contact/friction_trials.h"

#include <math.h>
#include <stdio.h>

#include "contact/exact.h"
#include "uniform.h"

enum { TRIALS = 400, MOST = 3, ROWS = 3 * MOST };

// ---- The plane, in exact fractions.

// What a contact does, as a person would list it.
typedef enum { OPEN, STICK, FORWARD, BACKWARD } Way;
enum { WAYS = 4, WAYS_SIGNED = 7 }; // a two-sided one: both slips and stick with λ < 0, too

typedef struct {
    size_t count, rows;
    FrictionContact contacts[MOST];
    long mu[MOST];          // in quarters; the bound of a given one in quarters
    long press[MOST][MOST]; // of a given one by the others, likewise
    size_t row[MOST];
    long w[ROWS][EXACT_SIZE], free[ROWS];
    size_t size;
} Plane;

static long draw(Random *random, long most)
{
    return (long)random_below(random, (uint64_t)(2 * most + 1)) - most;
}

// With `presses` reactions press on other contacts' friction, too.
static Plane random_plane(Random *random, bool presses)
{
    Plane plane = {.count = 1 + random_below(random, MOST)};
    for (size_t l = 0; l < plane.count; l++) {
        FrictionContact *contact = &plane.contacts[l];
        size_t kind = random_below(random, 8);
        contact->law = kind == 6 || (presses && kind < 2)   ? FRICTION_TWO_SIDED
                       : kind == 7 || (presses && kind < 5) ? FRICTION_GIVEN
                                                            : FRICTION_ONE_SIDED;
        contact->normals = contact->law != FRICTION_GIVEN;
        contact->tangents = kind != 0;
        contact->slides = contact->tangents && random_below(random, 3) == 0;
        contact->direction[0] = random_below(random, 2) ? 1 : -1;
        plane.mu[l] = (long)random_below(random, 13);
        contact->sliding = contact->sticking = (double)plane.mu[l] / 4;
        plane.row[l] = plane.rows;
        plane.rows += (size_t)contact->normals + contact->tangents;
    }
    for (size_t l = 0; l < plane.count && presses; l++)
        for (size_t k = 0; k < plane.count && plane.contacts[l].law == FRICTION_GIVEN; k++)
            plane.press[l][k] = plane.contacts[k].normals ? (long)random_below(random, 7) : 0;
    plane.size = plane.rows < EXACT_SIZE ? plane.rows : EXACT_SIZE;
    for (size_t i = 0; i < plane.rows; i++) {
        plane.free[i] = draw(random, 4);
        for (size_t j = 0; j < plane.size; j++)
            plane.w[i][j] = draw(random, 3);
    }
    return plane;
}

static Fraction entry(const Plane *plane, size_t i, size_t k)
{
    long sum = 0;
    for (size_t j = 0; j < plane->size; j++)
        sum += plane->w[i][j] * plane->w[k][j];
    return whole(sum);
}

// ρ = b ± Σ A·p, the normal forces of one-sided contacts counted as they are: reaction −λg.
static Fraction rate_under(const Plane *plane, size_t i, const Fraction *p)
{
    Fraction sum = whole(plane->free[i]);
    for (size_t l = 0; l < plane->count; l++) {
        const FrictionContact *contact = &plane->contacts[l];
        size_t own = (size_t)contact->normals + contact->tangents;
        for (size_t k = 0; k < own; k++) {
            Fraction term = times(entry(plane, i, plane->row[l] + k), p[plane->row[l] + k]);
            bool pushes = k == 0 && contact->law == FRICTION_ONE_SIDED;
            sum = pushes ? minus(sum, term) : plus(sum, term);
        }
    }
    return sum;
}

static Way way_of(size_t number)
{
    static const Way below[] = {FORWARD, BACKWARD, STICK};
    return number < WAYS ? (Way)number : below[number - WAYS];
}

static bool presses_others(const Plane *plane, size_t l)
{
    bool found = false;
    for (size_t k = 0; k < plane->count; k++)
        found = found || plane->press[k][l] > 0;
    return found;
}

// The equations of a choice: which forces are tied to which, and which rates vanish.
static void equations_of(const Plane *plane, const size_t *ways, Table *table)
{
    *table = table_of(plane->rows, plane->rows);
    for (size_t l = 0; l < plane->count; l++) {
        const FrictionContact *contact = &plane->contacts[l];
        size_t n = plane->row[l], t = n + contact->normals;
        Way way = way_of(ways[l]);
        long sign = way == FORWARD ? 1 : -1, normal = ways[l] < WAYS ? 1 : -1;
        for (size_t i = n; i < t + contact->tangents; i++) {
            bool rate = way == STICK || (way != OPEN && i < t);
            Fraction zero[ROWS];
            for (size_t k = 0; k < plane->rows; k++)
                zero[k] = whole(0);
            if (rate) {
                Fraction start = rate_under(plane, i, zero);
                for (size_t k = 0; k < plane->rows; k++) {
                    zero[k] = whole(1);
                    table->at[i][k] = minus(rate_under(plane, i, zero), start);
                    zero[k] = whole(0);
                }
                table->at[i][plane->rows] = minus(whole(0), start);
                continue;
            }
            table->at[i][i] = whole(1);
            if (way == OPEN)
                continue;
            // F = −μ|λ|s, or −Rs.
            Fraction share = fraction(-plane->mu[l] * sign * normal, 4);
            if (contact->law == FRICTION_GIVEN)
                table->at[i][plane->rows] = share;
            else
                table->at[i][n] = minus(whole(0), share);
            for (size_t k = 0; k < plane->count; k++)
                if (plane->press[l][k] > 0)
                    table->at[i][plane->row[k]] =
                        fraction(plane->press[l][k] * sign * (ways[k] < WAYS ? 1 : -1), 4);
        }
    }
}

static bool is_allowed(const Plane *plane, size_t l, size_t number)
{
    const FrictionContact *contact = &plane->contacts[l];
    Way way = way_of(number);
    bool begins = contact->tangents && !contact->slides, forward = way == FORWARD;
    if (number >= WAYS && contact->law != FRICTION_TWO_SIDED)
        return false;
    if (way == OPEN)
        return contact->law == FRICTION_ONE_SIDED;
    if (way == STICK)
        return begins && (number < WAYS || presses_others(plane, l));
    if (!contact->tangents)
        return forward && (number < WAYS || presses_others(plane, l));
    return begins || forward == (contact->direction[0] > 0);
}

static Fraction size_of(Fraction x)
{
    return x.top < 0 ? minus(whole(0), x) : x;
}

static bool keeps_law(const Plane *plane, size_t l, size_t number, const Fraction *p)
{
    const FrictionContact *contact = &plane->contacts[l];
    size_t n = plane->row[l], t = n + contact->normals;
    Way way = way_of(number);
    bool forward = way == FORWARD, begins = contact->tangents && !contact->slides;
    if (contact->law == FRICTION_ONE_SIDED && p[n].top < 0)
        return false;
    bool matters = (contact->tangents && way != STICK) || presses_others(plane, l);
    if (contact->law == FRICTION_TWO_SIDED && matters &&
        (number < WAYS ? p[n].top < 0 : p[n].top > 0))
        return false;
    if (way == OPEN)
        return rate_under(plane, n, p).top <= 0;
    if (way == STICK) {
        Fraction bound = fraction(plane->mu[l], 4), F = p[t];
        if (contact->law != FRICTION_GIVEN)
            bound = times(bound, size_of(p[n]));
        for (size_t k = 0; k < plane->count; k++)
            bound = plus(bound, times(fraction(plane->press[l][k], 4), size_of(p[plane->row[k]])));
        return minus(bound, F).top >= 0 && plus(bound, F).top >= 0;
    }
    Fraction along = begins ? rate_under(plane, t, p) : whole(0);
    return forward ? along.top >= 0 : along.top <= 0;
}

typedef struct {
    size_t motions;
    bool dependent; // other forces give the same motion: not for this road
    Fraction forces[64][ROWS], rates[64][ROWS];
} Judged;

static void take_motion(Judged *judged, const Plane *plane, const Fraction *p)
{
    Fraction rates[ROWS];
    for (size_t i = 0; i < plane->rows; i++)
        rates[i] = rate_under(plane, i, p);
    for (size_t k = 0; k < judged->motions; k++) {
        bool same = true;
        for (size_t i = 0; i < plane->rows; i++)
            same = same && is_equal(rates[i], judged->rates[k][i]);
        for (size_t i = 0; i < plane->rows && same; i++)
            judged->dependent |= !is_equal(p[i], judged->forces[k][i]);
        if (same)
            return;
    }
    memcpy(judged->forces[judged->motions], p, plane->rows * sizeof *p);
    memcpy(judged->rates[judged->motions++], rates, plane->rows * sizeof *p);
}

static Judged judge(const Plane *plane)
{
    Judged judged = {0};
    size_t total = 1;
    for (size_t l = 0; l < plane->count; l++)
        total *= WAYS_SIGNED;
    for (size_t choice = 0; choice < total; choice++) {
        size_t ways[MOST], rest = choice;
        bool allowed = true;
        for (size_t l = 0; l < plane->count; l++, rest /= WAYS_SIGNED) {
            ways[l] = rest % WAYS_SIGNED;
            allowed = allowed && is_allowed(plane, l, ways[l]);
        }
        if (!allowed)
            continue;
        Table table;
        Fraction p[ROWS];
        equations_of(plane, ways, &table);
        if (!table_reduce(&table))
            continue;
        if (table.rank < plane->rows) {
            judged.dependent = true;
            continue;
        }
        table_solution(&table, p);
        bool keeps = true;
        for (size_t l = 0; l < plane->count && keeps; l++)
            keeps = keeps_law(plane, l, ways[l], p);
        if (keeps)
            take_motion(&judged, plane, p);
    }
    return judged;
}

// Numbers for the solver; each row in a unit of its own where it is asked for.
typedef struct {
    double rows[ROWS * EXACT_SIZE], free[ROWS], unit[ROWS];
    FrictionContact contacts[MOST];
    FrictionPress presses[MOST * MOST];
    FrictionProblem problem;
} Numbers;

static void make_numbers(const Plane *plane, Random *random, Numbers *numbers)
{
    for (size_t l = 0; l < plane->count; l++) {
        const FrictionContact *contact = &plane->contacts[l];
        size_t n = plane->row[l], t = n + contact->normals;
        double normal = random ? exp2((double)draw(random, 20)) : 1;
        double tangent = random ? exp2((double)draw(random, 20)) : 1;
        numbers->contacts[l] = *contact;
        for (size_t i = n; i < t; i++)
            numbers->unit[i] = normal;
        for (size_t i = t; i < t + contact->tangents; i++)
            numbers->unit[i] = tangent;
        // λ gets smaller as its row gets longer.
        double factor = contact->law == FRICTION_GIVEN ? 1 / tangent : normal / tangent;
        numbers->contacts[l].sliding *= factor;
        numbers->contacts[l].sticking *= factor;
    }
    for (size_t i = 0; i < plane->rows; i++) {
        numbers->free[i] = (double)plane->free[i] * numbers->unit[i];
        for (size_t j = 0; j < plane->size; j++)
            numbers->rows[i * plane->size + j] = (double)plane->w[i][j] * numbers->unit[i];
    }
    size_t presses = 0;
    for (size_t l = 0; l < plane->count; l++)
        for (size_t k = 0; k < plane->count; k++) {
            double mu = (double)plane->press[l][k] / 4 * numbers->unit[plane->row[k]] /
                        numbers->unit[plane->row[l]];
            if (mu > 0)
                numbers->presses[presses++] = (FrictionPress){l, k, mu, mu};
        }
    numbers->problem = (FrictionProblem){.count = plane->count,
                                         .contacts = numbers->contacts,
                                         .press_count = presses,
                                         .presses = numbers->presses,
                                         .size = plane->size,
                                         .rows = numbers->rows,
                                         .free_rates = numbers->free,
                                         .count_all = true};
}

static bool is_near(const Plane *plane, const Numbers *numbers, const Judged *judged, size_t which,
                    const double *forces, const double *rates)
{
    double scale = 1;
    for (size_t i = 0; i < plane->rows; i++)
        scale = fmax(scale, fabs(real(judged->forces[which][i])));
    for (size_t i = 0; i < plane->rows; i++) {
        double force = forces[i] * numbers->unit[i], rate = rates[i] / numbers->unit[i];
        if (fabs(rate - real(judged->rates[which][i])) > 1e-9 * scale ||
            fabs(force - real(judged->forces[which][i])) > 1e-9 * scale)
            return false;
    }
    return true;
}

static bool has_forces(const Plane *plane, const Numbers *numbers, const Judged *judged,
                       size_t which, const double *forces)
{
    double scale = 1;
    for (size_t i = 0; i < plane->rows; i++)
        scale = fmax(scale, fabs(real(judged->forces[which][i])));
    for (size_t i = 0; i < plane->rows; i++)
        if (fabs(forces[i] * numbers->unit[i] - real(judged->forces[which][i])) > 1e-9 * scale)
            return false;
    return true;
}

static void compare(FrictionSolver *solver, const Plane *plane, const Numbers *numbers,
                    const Judged *judged, size_t trial)
{
    FrictionState states[MOST] = {0};
    double forces[ROWS], rates[ROWS], departure[EXACT_SIZE];
    FrictionAnswer answer = {states, forces, rates, departure};
    FrictionReport report = friction_instant(solver, &numbers->problem, &answer);
    if (!report.counted || report.solutions != judged->motions)
        fail_msg("trial %zu: %zu motions for %zu", trial, report.solutions, judged->motions);
    assert_int_equal(report.outcome, judged->motions == 0   ? SOLVE_NO_SOLUTION
                                     : judged->motions == 1 ? SOLVE_DONE
                                                            : SOLVE_SEVERAL);
    for (size_t k = 0; k < report.solutions; k++) {
        FrictionSolution motion = friction_solution(solver, k);
        bool found = false;
        for (size_t m = 0; m < judged->motions; m++)
            found = found || is_near(plane, numbers, judged, m, motion.forces, motion.rates);
        if (!found)
            fail_msg("trial %zu: motion %zu is none", trial, k);
    }
    // Each combination by itself: what is true is a motion, and every motion is found.
    Arena *arena = arena_new();
    FrictionTrials trials = friction_trials(arena, &numbers->problem, states, report.solutions);
    bool seen[64] = {0};
    for (size_t i = 0; i < trials.count; i++) {
        bool found = trials.at[i].verdict != TRIAL_TRUE;
        for (size_t m = 0; m < judged->motions; m++)
            if (trials.at[i].verdict == TRIAL_TRUE &&
                has_forces(plane, numbers, judged, m, trials.at[i].forces))
                found = seen[m] = true;
        if (!found)
            fail_msg("trial %zu: combination %zu is no motion", trial, i);
    }
    for (size_t m = 0; m < judged->motions; m++)
        if (!seen[m])
            fail_msg("trial %zu: no combination has motion %zu", trial, m);
    arena_free(arena);
    // Without counting: one of them, from nothing, and from the answer.
    FrictionProblem quick = numbers->problem;
    quick.count_all = false;
    memset(states, 0, sizeof states);
    for (size_t begin = 0; begin < 2 && judged->motions > 0; begin++) {
        report = friction_instant(solver, &quick, &answer);
        bool found = false;
        for (size_t m = 0; m < judged->motions; m++)
            found = found || is_near(plane, numbers, judged, m, forces, rates);
        if (report.outcome == SOLVE_NO_SOLUTION || !found)
            fail_msg("trial %zu: no motion from %s", trial, begin ? "the answer" : "nothing");
    }
}

static void test_plane(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    size_t trials = TRIALS * test_size(), none = 0, several = 0, judged_all = 0;
    // Behind the draws: two motions whose rates differ by 3e-8, and their forces by 5e-4.
    for (size_t draw_number = 0; draw_number <= trials; draw_number++) {
        size_t trial = draw_number < trials ? draw_number : 71489;
        Random random = random_seed(trial);
        Plane plane = random_plane(&random, trial % 2 == 1);
        Judged judged = judge(&plane);
        if (judged.dependent)
            continue;
        judged_all++;
        none += judged.motions == 0;
        several += judged.motions > 1;
        Numbers numbers;
        make_numbers(&plane, NULL, &numbers);
        compare(solver, &plane, &numbers, &judged, trial);
        make_numbers(&plane, &random, &numbers);
        compare(solver, &plane, &numbers, &judged, trial);
    }
    assert_true(judged_all > trials / 2 && none > trials / 100 && several > trials / 100);
    friction_solver_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

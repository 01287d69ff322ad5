// friction_trials.c: by least squares on the reactions of each combination, without the solver of
// friction.h.
#include "contact/friction_trials.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <string.h>

typedef struct {
    Arena *arena;
    const FrictionProblem *problem;
    size_t rows;
    size_t *begins;   // of each contact: the first of its rows
    double *delassus; // of each force the rates of all rows
    double *scale;    // of each row: 1/√ of what a unit force does to its own rate
    FrictionMode *modes;
    double (*d)[2]; // of each contact: where it slides,
    double (*e)[3]; // and where its normal reaction points
    bool *turns;    // d or e is unknown
    double *forces, *rates, *equations, *right;
    size_t *unknown;
} Trials;

static bool begins(const FrictionContact *contact)
{
    return contact->tangents > 0 && !contact->slides;
}

// ---- The modes of a contact: open, sticks, slips by direction and by the sign of its reaction.

typedef struct {
    FrictionMode mode;
    double way, sign;
} Way;

enum { MOST_WAYS = 7 };

static bool presses_others(const FrictionProblem *problem, size_t l)
{
    bool found = false;
    for (size_t h = 0; h < problem->press_count; h++)
        found = found || problem->presses[h].by == l;
    return found;
}

static size_t ways_of(const FrictionProblem *problem, size_t l, Way *ways)
{
    const FrictionContact *contact = &problem->contacts[l];
    size_t count = 0;
    bool signs = contact->law == FRICTION_TWO_SIDED && contact->normals == 1;
    if (contact->law == FRICTION_ONE_SIDED)
        ways[count++] = (Way){FRICTION_OPEN, 1, 1};
    if (begins(contact))
        ways[count++] = (Way){FRICTION_STICKS, 1, 1};
    if (begins(contact) && signs && presses_others(problem, l))
        ways[count++] = (Way){FRICTION_STICKS, 1, -1};
    for (int sign = 1; sign >= (signs ? -1 : 1); sign -= 2)
        for (int way = 1; way >= (begins(contact) && contact->tangents == 1 ? -1 : 1); way -= 2)
            ways[count++] = (Way){FRICTION_SLIPS, way, sign};
    return count;
}

static void choose(Trials *trials, size_t l, Way way)
{
    const FrictionContact *contact = &trials->problem->contacts[l];
    const double *free = trials->problem->free_rates + trials->begins[l] + contact->normals;
    double speed = real_length(free, contact->tangents);
    trials->modes[l] = way.mode;
    trials->turns[l] = way.mode == FRICTION_SLIPS &&
                       (contact->normals > 1 || (begins(contact) && contact->tangents > 1));
    for (size_t k = 0; k < 2; k++)
        trials->d[l][k] = contact->slides ? contact->direction[k] : k == 0 ? way.way : 0;
    for (size_t k = 0; k < contact->tangents && begins(contact) && contact->tangents > 1; k++)
        trials->d[l][k] = speed > 0 ? free[k] / speed : trials->d[l][k];
    trials->e[l][0] = way.sign;
    trials->e[l][1] = trials->e[l][2] = 0;
}

// ---- The equations of a combination.

// What a unit of a row's force adds to all rates.
static void add_effect(const Trials *trials, size_t l, size_t row, double force, double *rates)
{
    bool pushes = trials->problem->contacts[l].law == FRICTION_ONE_SIDED && row == 0;
    real_add_times(pushes ? -force : force,
                   trials->delassus + (trials->begins[l] + row) * trials->rows, trials->rows,
                   rates);
}

// Of a unit of the normal reaction k: its own effect, and that of what slides with it.
static void add_normal(const Trials *trials, size_t l, size_t k, double force, double *rates)
{
    const FrictionContact *contact = &trials->problem->contacts[l];
    add_effect(trials, l, k, force, rates);
    for (size_t i = 0; i < contact->tangents && trials->modes[l] == FRICTION_SLIPS; i++)
        add_effect(trials, l, contact->normals + i,
                   -contact->sliding * trials->e[l][k] * trials->d[l][i] * force, rates);
    for (size_t h = 0; h < trials->problem->press_count; h++) {
        const FrictionPress *press = &trials->problem->presses[h];
        size_t tangents = trials->problem->contacts[press->on].tangents;
        bool slips = press->by == l && trials->modes[press->on] == FRICTION_SLIPS;
        for (size_t i = 0; i < tangents && slips; i++)
            add_effect(trials, press->on, i,
                       -press->sliding * trials->e[l][k] * trials->d[press->on][i] * force, rates);
    }
}

// What others press on it, sliding or sticking, by the forces at hand.
static double pressed(const Trials *trials, size_t l, bool sticks)
{
    double sum = 0;
    for (size_t h = 0; h < trials->problem->press_count; h++) {
        const FrictionPress *press = &trials->problem->presses[h];
        size_t by = press->by, m = trials->problem->contacts[by].normals;
        const double *p = trials->forces + trials->begins[by];
        if (press->on == l)
            sum += sticks ? press->sticking * real_length(p, m)
                          : press->sliding * real_dot(trials->e[by], p, m);
    }
    return sum;
}

static void add_given(const Trials *trials, size_t l, double *rates)
{
    const FrictionContact *contact = &trials->problem->contacts[l];
    for (size_t i = 0; i < contact->tangents; i++)
        if (contact->law == FRICTION_GIVEN && trials->modes[l] == FRICTION_SLIPS)
            add_effect(trials, l, i, -contact->sliding * trials->d[l][i], rates);
}

// The rows whose forces are unknown, and whose rates vanish.
static size_t find_unknown(Trials *trials)
{
    size_t count = 0;
    for (size_t l = 0; l < trials->problem->count; l++) {
        const FrictionContact *contact = &trials->problem->contacts[l];
        size_t rows = contact->normals;
        if (trials->modes[l] == FRICTION_OPEN)
            continue;
        if (trials->modes[l] == FRICTION_STICKS)
            rows += contact->tangents;
        for (size_t k = 0; k < rows; k++)
            trials->unknown[count++] = trials->begins[l] + k;
    }
    return count;
}

static size_t contact_of(const Trials *trials, size_t row)
{
    size_t l = trials->problem->count - 1;
    while (trials->begins[l] > row)
        l--;
    return l;
}

// Forces and rates of the modes at hand; false where they are not determined.
static bool solve(Trials *trials)
{
    const FrictionProblem *problem = trials->problem;
    size_t rows = trials->rows, count = find_unknown(trials);
    double *effect = trials->rates;
    memcpy(effect, problem->free_rates, rows * sizeof *effect);
    for (size_t l = 0; l < problem->count; l++)
        add_given(trials, l, effect);
    for (size_t i = 0; i < count; i++)
        trials->right[i] = -effect[trials->unknown[i]] * trials->scale[trials->unknown[i]];
    for (size_t j = 0; j < count; j++) {
        size_t row = trials->unknown[j], l = contact_of(trials, row), k = row - trials->begins[l];
        memset(effect, 0, rows * sizeof *effect);
        if (k < problem->contacts[l].normals)
            add_normal(trials, l, k, trials->scale[row], effect);
        else
            add_effect(trials, l, k, trials->scale[row], effect);
        for (size_t i = 0; i < count; i++)
            trials->equations[j * count + i] =
                effect[trials->unknown[i]] * trials->scale[trials->unknown[i]];
    }
    bool regular = count == 0 ||
                   least_squares(trials->equations, count, count, TOL_RANK, trials->right) == count;
    memset(trials->forces, 0, rows * sizeof *trials->forces);
    for (size_t j = 0; j < count; j++)
        trials->forces[trials->unknown[j]] = trials->right[j] * trials->scale[trials->unknown[j]];
    return regular;
}

// What slides has its friction; and the rates.
static void complete(Trials *trials)
{
    const FrictionProblem *problem = trials->problem;
    memcpy(trials->rates, problem->free_rates, trials->rows * sizeof *trials->rates);
    for (size_t l = 0; l < problem->count; l++) {
        const FrictionContact *contact = &problem->contacts[l];
        double *p = trials->forces + trials->begins[l];
        double bound = contact->law == FRICTION_GIVEN ? contact->sliding : 0;
        bound += pressed(trials, l, false);
        for (size_t k = 0; k < contact->normals; k++)
            bound += contact->sliding * trials->e[l][k] * p[k];
        for (size_t i = 0; i < contact->tangents && trials->modes[l] == FRICTION_SLIPS; i++)
            p[contact->normals + i] = -bound * trials->d[l][i];
        for (size_t k = 0; k < (size_t)contact->normals + contact->tangents; k++)
            add_effect(trials, l, k, p[k], trials->rates);
    }
}

// Unknown directions follow what they gave; by how much they turn.
static double turn(Trials *trials)
{
    double turned = 0;
    for (size_t l = 0; l < trials->problem->count; l++) {
        const FrictionContact *contact = &trials->problem->contacts[l];
        const double *p = trials->forces + trials->begins[l];
        const double *rates = trials->rates + trials->begins[l] + contact->normals;
        double speed = real_length(rates, contact->tangents);
        double size = real_length(p, contact->normals), *d = trials->d[l];
        if (!trials->turns[l])
            continue;
        // Half of the way: what friction itself turns would swing.
        for (size_t i = 0; i < contact->tangents && begins(contact) && speed > 0; i++) {
            turned = real_max(turned, fabs(rates[i] / speed - d[i]));
            d[i] += rates[i] / speed;
        }
        double length = real_length(d, contact->tangents);
        for (size_t i = 0; i < contact->tangents && length > 0; i++)
            d[i] /= length;
        for (size_t k = 0; k < contact->normals && contact->normals > 1 && size > 0; k++) {
            turned = real_max(turned, fabs(p[k] / size - trials->e[l][k]));
            trials->e[l][k] = p[k] / size;
        }
    }
    return turned;
}

// ---- What it is worth.

static bool is_below(double value, double size)
{
    return value < -TOL_RATE * size;
}

// Whether a quantity of this contact says no; else the trial is as it was.
static bool judge_contact(const Trials *trials, size_t l, FrictionTrial *trial)
{
    const FrictionContact *contact = &trials->problem->contacts[l];
    size_t row = trials->begins[l], m = contact->normals, t = contact->tangents;
    const double *p = trials->forces + row, *F = p + m, *rates = trials->rates + row;
    const double *scale = trials->scale + row;
    double most = 0, pace = 0, value = 0, N = real_length(p, m);
    for (size_t i = 0; i < trials->rows; i++) {
        most = real_max(most, fabs(trials->forces[i] / trials->scale[i]));
        pace = real_max(pace, fabs(trials->rates[i] * trials->scale[i]));
        pace = real_max(pace, fabs(trials->problem->free_rates[i] * trials->scale[i]));
    }
    FrictionVerdict verdict = TRIAL_TRUE;
    if (trials->modes[l] == FRICTION_OPEN && is_below(-rates[0], pace / scale[0])) {
        verdict = TRIAL_ENTERS;
        value = rates[0];
    }
    bool signed_ =
        m == 1 && (contact->law == FRICTION_ONE_SIDED || trials->modes[l] == FRICTION_SLIPS ||
                   presses_others(trials->problem, l));
    if (trials->modes[l] != FRICTION_OPEN && signed_ &&
        is_below(p[0] * trials->e[l][0], most * scale[0])) {
        verdict = TRIAL_PULLS;
        value = p[0];
    } else if (trials->modes[l] == FRICTION_STICKS) {
        value = contact->sticking * (contact->law == FRICTION_GIVEN ? 1 : N) - real_length(F, t) +
                pressed(trials, l, true);
        if (is_below(value, most * scale[m]))
            verdict = TRIAL_LEAVES;
    } else if (trials->modes[l] == FRICTION_SLIPS && begins(contact)) {
        value = real_dot(rates + m, trials->d[l], t);
        if (is_below(value, pace / scale[m]))
            verdict = TRIAL_TURNS;
    }
    if (verdict == TRIAL_TRUE)
        return false;
    trial->verdict = verdict;
    trial->by = l;
    trial->value = value;
    return true;
}

static bool any_turns(const Trials *trials, size_t *which)
{
    for (*which = 0; *which < trials->problem->count; ++*which)
        if (trials->turns[*which])
            return true;
    return false;
}

static FrictionTrial try_modes(Trials *trials)
{
    size_t count = trials->problem->count, which;
    bool turning = any_turns(trials, &which), settled = !turning, regular = true;
    FrictionTrial trial = {.verdict = TRIAL_TRUE};
    for (int step = 0; step < LIMIT_EVENTS && regular; step++) {
        regular = solve(trials);
        complete(trials);
        if (!turning || (regular && turn(trials) <= TOL_ZERO)) {
            settled = true;
            break;
        }
    }
    if (!regular)
        trial.verdict = TRIAL_DEPENDENT;
    else if (!settled) {
        const FrictionContact *contact = &trials->problem->contacts[which];
        trial = (FrictionTrial){.verdict = TRIAL_TURNS, .by = which};
        trial.value = real_dot(trials->rates + trials->begins[which] + contact->normals,
                               trials->d[which], contact->tangents);
    }
    for (size_t l = 0; l < count && trial.verdict == TRIAL_TRUE; l++)
        judge_contact(trials, l, &trial);
    FrictionMode *modes = arena_array(trials->arena, FrictionMode, count + 1);
    double *forces = real_alloc(trials->arena, trials->rows);
    memcpy(modes, trials->modes, count * sizeof *modes);
    memcpy(forces, trials->forces, trials->rows * sizeof *forces);
    trial.modes = modes;
    trial.forces = forces;
    return trial;
}

// ---- All of them.

// Whether the modes at hand, and the ways in which something begins to slide, are the answer's.
static bool is_answer(const Trials *trials, const FrictionState *states)
{
    for (size_t l = 0; l < trials->problem->count; l++) {
        const FrictionContact *contact = &trials->problem->contacts[l];
        if (trials->modes[l] != states[l].mode)
            return false;
        if (states[l].mode == FRICTION_SLIPS && begins(contact) &&
            real_dot(trials->d[l], states[l].direction, contact->tangents) < 0)
            return false;
    }
    return true;
}

// Of the combinations that fit, the answer alone is true where there is one motion: what μ_s holds
// does not slide. Reactions that are not determined may be those of the answer.
static void compare(FrictionTrial *all, const bool *answers, size_t count,
                    const FrictionState *states, size_t solutions)
{
    bool known = false;
    for (size_t i = 0; i < count; i++)
        known = known || (answers[i] && all[i].verdict == TRIAL_TRUE);
    for (size_t i = 0; i < count; i++) {
        FrictionTrial *trial = &all[i];
        if (answers[i] && trial->verdict == TRIAL_DEPENDENT && !known)
            trial->verdict = TRIAL_TRUE;
        if (answers[i] || trial->verdict != TRIAL_TRUE || solutions != 1)
            continue;
        trial->verdict = TRIAL_HOLDS;
        while (trial->modes[trial->by] == states[trial->by].mode)
            trial->by++;
        trial->value = states[trial->by].margin;
    }
}

static void put_last(FrictionTrial *all, size_t count)
{
    for (size_t end = count; end-- > 0;)
        for (size_t i = 0; i < end; i++)
            if (all[i].verdict == TRIAL_TRUE && all[i + 1].verdict != TRIAL_TRUE) {
                FrictionTrial kept = all[i];
                all[i] = all[i + 1];
                all[i + 1] = kept;
            }
}

static void init(Trials *trials, Arena *arena, const FrictionProblem *problem)
{
    size_t rows = 0;
    *trials = (Trials){.arena = arena, .problem = problem};
    trials->begins = arena_array(arena, size_t, problem->count + 1);
    for (size_t l = 0; l < problem->count; l++) {
        trials->begins[l] = rows;
        rows += (size_t)problem->contacts[l].normals + problem->contacts[l].tangents;
    }
    trials->rows = rows;
    real_alloc_each(arena, rows * rows + 1, &trials->delassus, &trials->equations);
    real_alloc_each(arena, rows + 1, &trials->scale, &trials->forces, &trials->rates,
                    &trials->right);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < rows; k++)
            trials->delassus[i * rows + k] =
                problem->delassus ? problem->delassus[i * rows + k]
                                  : real_dot(problem->rows + i * problem->size,
                                             problem->rows + k * problem->size, problem->size);
    for (size_t i = 0; i < rows; i++) {
        double own = fabs(trials->delassus[i * rows + i]);
        trials->scale[i] = own > 0 ? 1 / sqrt(own) : 1;
    }
    trials->modes = arena_array(arena, FrictionMode, problem->count + 1);
    trials->turns = arena_array(arena, bool, problem->count + 1);
    trials->d = arena_alloc(arena, (problem->count + 1) * sizeof *trials->d);
    trials->e = arena_alloc(arena, (problem->count + 1) * sizeof *trials->e);
    trials->unknown = arena_array(arena, size_t, rows + 1);
}

FrictionTrials friction_trials(Arena *arena, const FrictionProblem *problem,
                               const FrictionState *states, size_t solutions)
{
    assert(problem && states);
    Trials trials;
    Way ways[MOST_WAYS];
    size_t count = 1;
    for (size_t l = 0; l < problem->count && count <= 1u << LIMIT_SETS; l++)
        count *= ways_of(problem, l, ways);
    if (count > 1u << LIMIT_SETS || problem->count == 0)
        return (FrictionTrials){0};
    init(&trials, arena, problem);
    FrictionTrial *all = arena_array(arena, FrictionTrial, count + 1);
    bool *answers = arena_array(arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        for (size_t l = 0, left = i; l < problem->count; l++) {
            size_t own = ways_of(problem, l, ways);
            choose(&trials, l, ways[left % own]);
            left /= own;
        }
        all[i] = try_modes(&trials);
        answers[i] = is_answer(&trials, states);
    }
    compare(all, answers, count, states, solutions);
    put_last(all, count);
    return (FrictionTrials){count, all};
}

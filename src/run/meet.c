// meet.c: what happens at an event: the conditions that touch are asked together, by the shock and
// by the instant (Mayer 1899, § 4).
#include "run/journey_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// f' and f'' are 0 below this part of their terms, and λ below this part of what would make it so.
#define STILL 1e-9
// f' is 0 below this part of the velocities of all that the condition is tied to.
#define STILL_AMONG 1e-13
// And this part of its terms is rounding.
#define ROUNDING 1e-15
// Reactions are found together: roundings of each are as if it were this part of the largest.
#define FELT 1e-4

void meeting_init(Meeting *meeting, Contacts *contacts, Run *run)
{
    size_t n = run->numbers.n;
    *meeting = (Meeting){.contacts = contacts, .numbers = &run->numbers, .sides = &run->sides};
    meeting->q = base_alloc((7 * n + 1) * sizeof(double));
    meeting->before = meeting->q + n;
    meeting->after = meeting->before + n;
    meeting->accelerations = meeting->after + n;
    meeting->own = meeting->accelerations + n;
    meeting->pull = meeting->own + n;
    meeting->sizes = meeting->pull + n;
    meeting->held = base_alloc((contacts->count + 1) * sizeof *meeting->held);
    meeting->acts = base_alloc((contacts->count + 1) * sizeof *meeting->acts);
    islands_init(&meeting->ties, n);
}

void meeting_clear(Meeting *meeting)
{
    base_free(meeting->q);
    base_free(meeting->held);
    base_free(meeting->acts);
    asked_clear(&meeting->asked);
    asked_clear(&meeting->kept);
    array_clear(&meeting->at);
    array_clear(&meeting->lambda);
    array_clear(&meeting->rates);
    array_clear(&meeting->acting);
    islands_clear(&meeting->ties);
    *meeting = (Meeting){0};
}

// ---- Who is there.

void meeting_begin(Meeting *meeting, double t, const double *q, const double *v)
{
    size_t bytes = meeting->numbers->n * sizeof *q;
    meeting->t = t;
    memmove(meeting->q, q, bytes);
    memmove(meeting->before, v, bytes);
    memcpy(meeting->after, meeting->before, bytes);
    meeting->at.count = 0;
    meeting->shock = meeting->inner = false;
    meeting->jump = (JumpReport){0};
    meeting->energy_lost = 0;
    asked_begin(&meeting->asked);
}

void meeting_add(Meeting *meeting, size_t index)
{
    ShapeNumbers found = asked_add(&meeting->asked, &meeting->sides->shapes, index, meeting->t,
                                   meeting->q, meeting->before);
    array_push(&meeting->at, ((Touch){.index = index, .before = found.rate, .after = found.rate}));
}

// Brings the run's own numbers to the state, with these velocities.
static void go_there(const Meeting *meeting, const double *v)
{
    Numbers *numbers = meeting->numbers;
    *numbers->t = meeting->t;
    memcpy(numbers->q, meeting->q, numbers->n * sizeof(double));
    memcpy(numbers->v, v, numbers->n * sizeof(double));
    many_evaluate(&meeting->sides->many);
}

static void make_room(Meeting *meeting)
{
    size_t count = meeting->at.count + 1;
    array_reserve(&meeting->lambda, count);
    array_reserve(&meeting->rates, 2 * count);
    array_reserve(&meeting->acting, count);
}

// ---- The shock.

bool meeting_shock(Meeting *meeting, const double *impulse)
{
    size_t count = meeting->at.count;
    make_room(meeting);
    go_there(meeting, meeting->before);
    double *after = meeting->rates.at + count;
    ImpactAnswer answer = {.velocities = meeting->after,
                           .lambda = meeting->lambda.at,
                           .rates_before = meeting->rates.at,
                           .rates_after = after};
    meeting->jump = asked_jump(&meeting->asked, &meeting->sides->many, meeting->sides->gauss,
                               meeting->before, impulse, &answer);
    meeting->report = meeting->jump.shock.contact;
    meeting->asker = &meeting->asked;
    if (meeting->jump.outcome != JUMP_SOLVED)
        return false;
    meeting->shock = true;
    meeting->energy_lost = meeting->jump.shock.energy_lost;
    for (size_t i = 0; i < count; i++) {
        meeting->at.at[i].impulse = meeting->lambda.at[i];
        meeting->at.at[i].after = after[i];
    }
    return true;
}

void meeting_go_before(Meeting *meeting)
{
    go_there(meeting, meeting->before);
}

void meeting_jump_to(Meeting *meeting, const double *velocities)
{
    const Many *many = &meeting->sides->many;
    size_t n = many->n;
    memcpy(meeting->after, velocities, n * sizeof *velocities);
    meeting->shock = true;
    for (size_t i = 0; i < meeting->at.count; i++) {
        double terms;
        meeting->at.at[i].after =
            asked_along(&meeting->asked, i, meeting->after, meeting->asked.partial_t.at[i], &terms);
    }
    // 𝓜(v + v⁺)·(v − v⁺)/2.
    memset(meeting->pull, 0, n * sizeof *meeting->pull);
    many_add_momentum(many, meeting->before, meeting->pull);
    many_add_momentum(many, meeting->after, meeting->pull);
    meeting->energy_lost = 0;
    for (size_t j = 0; j < n; j++)
        meeting->energy_lost += meeting->pull[j] * (meeting->before[j] - meeting->after[j]) / 2;
}

// ---- How large things are.

// Also what is tied by a 0 that is one only here: rounding goes from one to the other.
static void tie(Islands *ties, const SparseRows *rows, bool own)
{
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            islands_tie(ties, own ? i : rows->column[rows->first[i]], rows->column[at]);
}

// What is tied together by the inertia, by equations and by touching.
static void find_ties(Meeting *meeting)
{
    const Many *many = &meeting->sides->many;
    SparseRows touching = asked_rows(&meeting->asked);
    islands_part(&meeting->ties, many->n);
    tie(&meeting->ties, &many->inertia, true);
    tie(&meeting->ties, &many->rows, false);
    tie(&meeting->ties, &touching, false);
    islands_number(&meeting->ties);
    for (size_t i = 0; i < many->n; i++) {
        meeting->own[i] = 0;
        for (uint32_t at = many->inertia.first[i]; at < many->inertia.first[i + 1]; at++)
            if (many->inertia.column[at] == i)
                meeting->own[i] = fmax(many->inertia.value[at], 0);
    }
}

// Φ of one condition, as it would be without couplings.
static double own_phi(const Meeting *meeting, const Asked *asked, size_t i)
{
    double phi = 0;
    for (uint32_t at = asked->first.at[i]; at < asked->first.at[i + 1]; at++) {
        double own = meeting->own[asked->column.at[at]], value = asked->value.at[at];
        phi += own > 0 ? value * value / own : 0;
    }
    return phi;
}

// What a rate of the condition is as large as where all that it is tied to is, in `sizes`.
static double among(const Meeting *meeting, const Asked *asked, size_t i, double phi)
{
    if (asked->first.at[i] == asked->first.at[i + 1])
        return 0;
    uint32_t island = meeting->ties.of[asked->column.at[asked->first.at[i]]];
    return sqrt(phi * meeting->sizes[island]);
}

// Σ 𝓜v² of each island, before the shock or after it, whichever is more.
static void measure_velocities(Meeting *meeting)
{
    size_t n = meeting->numbers->n;
    memset(meeting->sizes, 0, n * sizeof *meeting->sizes);
    for (size_t j = 0; j < n; j++) {
        double v = fmax(fabs(meeting->before[j]), fabs(meeting->after[j]));
        meeting->sizes[meeting->ties.of[j]] += meeting->own[j] * v * v;
    }
}

// Σ 𝓜⁻¹F² of each island, F being the given forces and those of the conditions.
static void measure_forces(Meeting *meeting)
{
    size_t n = meeting->numbers->n;
    const Asked *kept = &meeting->kept;
    memset(meeting->pull, 0, n * sizeof *meeting->pull);
    memset(meeting->sizes, 0, n * sizeof *meeting->sizes);
    for (size_t i = 0; i < kept->which.count; i++)
        for (uint32_t at = kept->first.at[i]; at < kept->first.at[i + 1]; at++)
            meeting->pull[kept->column.at[at]] += meeting->lambda.at[i] * kept->value.at[at];
    for (size_t j = 0; j < n; j++) {
        double force = meeting->sides->many.force[j], pull = meeting->pull[j];
        if (meeting->own[j] > 0)
            meeting->sizes[meeting->ties.of[j]] += (force * force + pull * pull) / meeting->own[j];
    }
}

// ---- The instant.

// It opens, but where something presses it comes back from a depth that is rounding, or, in an
// event that is itself within what counts as 0, no more than that.
static bool is_fleeting(const Meeting *meeting, const Touch *touch)
{
    const Contacts *contacts = meeting->contacts;
    double depth =
        meeting->inner ? contacts->band[touch->index] : DBL_EPSILON * contacts->sizes[touch->index];
    return touch->after < 0 && touch->after * touch->after <= 2 * touch->terms * depth;
}

// Those with f' = 0, or all; f'' needs γ after the shock.
static void keep(Meeting *meeting, bool all)
{
    find_ties(meeting);
    asked_begin(&meeting->kept);
    measure_forces(meeting);
    for (size_t i = 0; i < meeting->at.count; i++) {
        Touch *touch = &meeting->at.at[i];
        touch->phi = own_phi(meeting, &meeting->asked, i);
        touch->terms = among(meeting, &meeting->asked, i, touch->phi);
    }
    measure_velocities(meeting);
    for (size_t i = 0; i < meeting->at.count; i++) {
        Touch *touch = &meeting->at.at[i];
        double terms, slow = meeting->contacts->slow[touch->index];
        asked_along(&meeting->asked, i, meeting->after, meeting->asked.partial_t.at[i], &terms);
        double still = fmax(STILL * terms, slow);
        still = fmax(still, STILL_AMONG * among(meeting, &meeting->asked, i, touch->phi));
        touch->fleeting = fabs(touch->after) > still && is_fleeting(meeting, touch);
        touch->kept = all || touch->stays || touch->fleeting || fabs(touch->after) <= still;
        if (touch->kept)
            asked_add(&meeting->kept, &meeting->sides->shapes, touch->index, meeting->t, meeting->q,
                      meeting->after);
    }
}

// λ and f'' of one that was kept, and whether they tell anything.
static void judge(const Meeting *meeting, size_t at, Touch *touch)
{
    double terms;
    asked_along(&meeting->kept, at, meeting->accelerations, meeting->kept.gamma.at[at], &terms);
    touch->terms = fmax(terms, touch->terms);
    touch->lambda = meeting->lambda.at[at];
    touch->acceleration = meeting->rates.at[at];
    touch->tie = touch->lambda * touch->phi <= STILL * touch->terms &&
                 touch->acceleration >= -STILL * touch->terms;
}

static bool solve(Meeting *meeting)
{
    memset(meeting->acting.at, 0, meeting->kept.which.count * sizeof *meeting->acting.at);
    ContactProblem problem = asked_problem(&meeting->kept, &meeting->sides->many);
    ContactAnswer answer = {.accelerations = meeting->accelerations,
                            .lambda = meeting->lambda.at,
                            .rates = meeting->rates.at,
                            .acting = meeting->acting.at};
    meeting->report = contact_accelerations(meeting->sides->gauss, &problem, &answer);
    meeting->asker = &meeting->kept;
    return meeting->report.outcome == SOLVE_DONE;
}

bool meeting_decide(Meeting *meeting, bool all)
{
    make_room(meeting);
    go_there(meeting, meeting->after);
    keep(meeting, all);
    if (meeting->kept.which.count > 0 && !solve(meeting))
        return false;
    measure_forces(meeting);
    for (size_t i = 0, at = 0; i < meeting->at.count; i++) {
        Touch *touch = &meeting->at.at[i];
        touch->terms = among(meeting, &meeting->asked, i, touch->phi);
        if (touch->kept)
            judge(meeting, at++, touch);
    }
    return true;
}

double meeting_second_rate(Meeting *meeting, size_t i, const double *accelerations)
{
    double terms;
    size_t index = meeting->at.at[i].index;
    ShapeNumbers found =
        shapes_row(&meeting->sides->shapes, index, meeting->t, meeting->q, meeting->after);
    return asked_along(&meeting->asked, i, accelerations, found.gamma, &terms);
}

double meeting_reaction_size(const Meeting *meeting, const Touch *touch)
{
    double largest = 0;
    for (size_t j = 0; j < meeting->numbers->n; j++)
        largest = fmax(largest, meeting->sizes[j]);
    return touch->phi > 0 ? fmax(touch->terms, FELT * sqrt(touch->phi * largest)) / touch->phi : 0;
}

// ---- Which of them are held.

// Whether a row of few numbers stands off those before it; it is then taken.
static bool take(Meeting *meeting, Echelon *echelon, const SparseRows *rows, size_t i)
{
    const Numbers *numbers = meeting->numbers;
    double *row = meeting->pull, miss;
    memset(row, 0, numbers->n * sizeof *row);
    for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
        row[rows->column[at]] = rows->value[at] * numbers->scale[rows->column[at]];
    return echelon_take(echelon, row, 0, &miss);
}

void meeting_hold(Meeting *meeting)
{
    const Many *many = &meeting->sides->many;
    SparseRows touching = asked_rows(&meeting->asked);
    size_t bytes = meeting->contacts->count * sizeof *meeting->held;
    bool led = many->directions.first != NULL;
    Echelon echelon, directions;
    echelon_init(&echelon, many->n);
    echelon_init(&directions, many->n);
    memset(meeting->held, 0, bytes);
    memset(meeting->acts, 0, bytes);
    meeting->shared = false;
    for (size_t i = 0; i < many->m; i++) {
        take(meeting, &echelon, &many->rows, i);
        if (led)
            take(meeting, &directions, &many->directions, i);
    }
    // First those that push; what only rests is held where it does not follow from them.
    for (int resting = 0; resting < 2; resting++)
        for (size_t i = 0; i < meeting->at.count; i++) {
            const Touch *touch = &meeting->at.at[i];
            bool pushes = touch->kept && (touch->tie ? touch->will_push : touch->lambda > 0);
            bool rests = touch->kept && touch->tie && touch->will_rest;
            if (!(resting ? rests && !pushes : pushes))
                continue;
            // Beside servos it must stand off their forces too, or nothing tells them apart.
            bool held = (!led || take(meeting, &directions, &touching, i)) &&
                        take(meeting, &echelon, &touching, i);
            meeting->held[touch->index] = held;
            meeting->acts[touch->index] = held || pushes;
            meeting->shared = meeting->shared || (pushes && !held);
        }
    echelon_clear(&echelon);
    echelon_clear(&directions);
}

// ---- Velocities that counted as 0.

static void put_rows(Asked *asked, const SparseRows *rows, size_t i, double drift)
{
    for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++) {
        array_push(&asked->column, rows->column[at]);
        array_push(&asked->value, rows->value[at]);
    }
    array_push(&asked->first, (uint32_t)asked->column.count);
    array_push(&asked->which, (uint32_t)i);
    array_push(&asked->partial_t, drift);
}

// The equations and the held conditions, in `kept`; whether f' of a held one is not 0.
static bool list_held(Meeting *meeting)
{
    const Many *many = &meeting->sides->many;
    SparseRows touching = asked_rows(&meeting->asked);
    bool any = false;
    asked_begin(&meeting->kept);
    for (size_t i = 0; i < many->m; i++)
        put_rows(&meeting->kept, &many->rows, i, many->c[i]);
    for (size_t i = 0; i < meeting->at.count; i++) {
        double terms, partial_t = meeting->asked.partial_t.at[i];
        if (!meeting->held[meeting->at.at[i].index])
            continue;
        put_rows(&meeting->kept, &touching, i, partial_t);
        double rate = asked_along(&meeting->asked, i, meeting->after, partial_t, &terms);
        any = any || fabs(rate) > ROUNDING * terms;
    }
    return any;
}

bool meeting_still(Meeting *meeting)
{
    const Many *many = &meeting->sides->many;
    size_t n = many->n;
    if (!list_held(meeting))
        return true;
    bool nobody[1] = {false};
    memset(meeting->pull, 0, n * sizeof *meeting->pull);
    many_add_momentum(many, meeting->after, meeting->pull);
    ContactProblem problem = {.inertia = many->inertia,
                              .force = meeting->pull,
                              .equations = asked_rows(&meeting->kept),
                              .equation_drift = meeting->kept.partial_t.at,
                              .unilateral = {.first = meeting->kept.first.at}};
    ContactAnswer answer = {.accelerations = meeting->own, .acting = nobody};
    meeting->report = contact_accelerations(meeting->sides->gauss, &problem, &answer);
    meeting->asker = &meeting->asked;
    if (meeting->report.outcome != SOLVE_DONE)
        return false;
    // 𝓜(v + v⁺)·(v − v⁺)/2.
    many_add_momentum(many, meeting->own, meeting->pull);
    for (size_t j = 0; j < n; j++) {
        meeting->energy_lost += meeting->pull[j] * (meeting->after[j] - meeting->own[j]) / 2;
        meeting->after[j] = meeting->own[j];
    }
    return true;
}

// ---- Why there is no answer.

void meeting_add_reason(const Meeting *meeting, Text *text)
{
    const Many *many = &meeting->sides->many;
    if (meeting->jump.outcome != JUMP_SOLVED)
        jump_add_reason(&meeting->jump, meeting->asker, many, meeting->lambda.at, text);
    else
        asked_add_reason(meeting->asker, many, &meeting->report, meeting->lambda.at, text);
}

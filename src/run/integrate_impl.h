// integrate_impl.h: methods of integration, and what they are measured by. Never leaves the room.
#ifndef ZWANG_RUN_INTEGRATE_IMPL_H
#define ZWANG_RUN_INTEGRATE_IMPL_H

#include "run/newton_impl.h"

// ---- integrate.c: one interface, several methods (integrators.def).
typedef enum {
    INTEGRATOR_STEPPED,
    INTEGRATOR_RATE,     // the rate cannot be evaluated, however short the step
    INTEGRATOR_VANISHED, // the steps became shorter than rounding in t
    INTEGRATOR_STALLED,  // the steps became so short that the next row is out of reach
    INTEGRATOR_FAILED    // the machine failed
} IntegratorOutcome;
typedef struct {
    size_t count;
    double tolerance;
    double longest; // step, for methods that see no more of it than its ends
    void *context;
    // False where there is no rate at this state.
    bool (*rate)(void *context, double t, const double *y, double *rate);
    // Coefficient k of the rates along the motion from coefficient k of (t, y), for k = 0, 1, … in
    // turn, below `order`; false where there is none.
    bool (*series)(void *context, size_t k, const double *ty, double *rate);
    // Rows 1 … order of the table of (t, y) from its row 0, all at once; returns how many of them
    // are finite. NULL, or at any time none: then by `series`. Rows as program_flow_rows says.
    size_t (*expand)(void *context, size_t order, double *ty);
    // For every part of t | y, from the table up to `order`: Σ y_k·s^k for k > 0, and the slope
    // there. NULL, or at any time false: then the integrator sums up by itself.
    bool (*sum)(const void *context, size_t order, const double *ty, double s, double *sums,
                double *slopes);
    size_t order;
    size_t expand_order; // where `expand` does it; 0: the same
    // How far, at most `most`, nothing switches by the coefficients up to `order`: infinite, or
    // just beyond the first switch, or as far as they can tell. The branches are those of the
    // coefficients of order 0.
    double (*clear)(void *context, size_t order, double most);
    // ∂(rate)/∂y, column after column; false where there is none.
    bool (*jacobian)(void *context, double t, const double *y, double *columns);
    // The same as equations with few entries; NULL, or at any start NULL: it is dense.
    ImplicitSystem *(*newton)(void *context);
    // Moves an accepted state onto the conditions; NULL where there is nothing to do.
    bool (*settle)(void *context, double t, double *y);
    // What error counts as 1 in each part.
    void (*allowance)(void *context, const double *y, double *allowance);
} IntegratorProblem;
typedef struct {
    size_t steps, rejected;
    size_t order; // of the method
} IntegratorCounts;

// What a method is; each function has the contract of the integrator_… of its name below.
typedef struct {
    void *(*create)(const IntegratorProblem *problem);
    void (*destroy)(void *self);
    bool (*start)(void *self, double t, const double *y, double step);
    IntegratorOutcome (*step)(void *self, double until, double *t, double *y);
    void (*between)(const void *self, double t, double *y, double *rate);
    double (*next_step)(const void *self);
    IntegratorCounts (*counts)(const void *self);
    const char *(*message)(const void *self);
} IntegratorMethod;
#define METHOD(NAME, word, method) extern const IntegratorMethod method;
#include "run/integrators.def"
#undef METHOD

typedef struct Integrator Integrator;
// NULL: the machine failed.
Integrator *integrator_new(RunMethod method, const IntegratorProblem *problem);
void integrator_free(Integrator *integrator);
// From here; `step` is a first guess, 0 for none.
bool integrator_start(Integrator *integrator, double t, const double *y, double step);
// One accepted step, not beyond `until`; t and y are then the new state, or are kept.
IntegratorOutcome integrator_step(Integrator *integrator, double until, double *t, double *y);
// The state and its rate at a time within the last step, as far as the method is exact: the state
// is not settled, and the velocities in the rate owe nothing to the speeds.
void integrator_between(const Integrator *integrator, double t, double *y, double *rate);
// How long the next step would be.
double integrator_next_step(const Integrator *integrator);
IntegratorCounts integrator_counts(const Integrator *integrator);
const char *integrator_message(const Integrator *integrator); // what went wrong, "" for nothing

// ---- inside.c: the states inside a step of a method that gives its ends alone, from rates.
typedef struct {
    IntegratorProblem problem;
    double from, until;  // of the step
    size_t terms;        // of the polynomial; 0: not yet made
    double *block;       // all that follows but the last
    double *begin, *end; // the states there
    double *change;      // from one to the other
    double *state;       // room for one inside
    double *slopes;      // at the nodes in hand
    double *parts;       // of the polynomial, a row a term
    double *inverses;    // from slopes to parts
} Inside;
void inside_init(Inside *inside, const IntegratorProblem *problem);
void inside_clear(Inside *inside);
// The step that begins here, and its end.
void inside_begin(Inside *inside, double t, const double *y);
void inside_end(Inside *inside, double t, const double *y);
// The state at a time within it; makes the polynomial where this is the first one.
void inside_state(Inside *inside, double t, double *y);
// By how much the polynomial's slope, over the step, misses the rates on it at most, at so many
// points inside; in units of the error that is allowed.
double inside_defect(Inside *inside, size_t points, const double *allowance);

// The order that integrate_taylor.c takes for a tolerance: where work grows with its square, and
// where whole blocks of orders are compiled, so that it grows little faster than the order.
size_t taylor_order(double tolerance);
size_t taylor_compiled_order(double tolerance);

// Whether all are finite numbers: an infinity or a NaN times 0 is a NaN. Four sums, so that none
// waits for the one before it.
static inline bool all_finite(const double *values, size_t count)
{
    double sums[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            sums[j] += values[i + j] * 0;
    for (; i < count; i++)
        sums[0] += values[i] * 0;
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) == 0;
}

// The larger of two numbers; unlike fmax it is one instruction, and b where a is no number.
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

// ---- strand.c: why a motion cannot be followed further, in words.
// Why there is no rate.
void failure_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text);
// Why the steps became short.
const char *failure_why_short(const Equations *eq, const State *state, IntegratorOutcome outcome);
// The part of numbers' state that changes fastest, against its size.
void failure_add_runaway(const Equations *eq, const State *state, Text *text);

// ---- stiffness.c: whether a run is held up by what has long died away.
typedef struct {
    size_t looks, seen; // how often it was looked for, and seen in a row
    double fastest;     // the decay that holds the steps down, 1/s
    bool stiff;
} Stiffness;
// After `steps` accepted steps, the next one `step` long: whether it is time to look.
bool stiffness_is_due(size_t steps, size_t count); // of parts of the state
// From ∂(rate)/∂y, which is used up; `limit` is how many decays long a step is that stability holds
// down; `room` holds 8·count numbers.
void stiffness_look(Stiffness *stiffness, double *jacobian, size_t count, double step, double limit,
                    double *room);

// ---- sizes.c: typical sizes of the state's parts, and the errors that these allow.
typedef struct {
    size_t n, k;
    double span; // from a row to the next
    double tolerance;
    double *q, *v, *a, *u; // the largest so far; one block, at q
    double *noise;         // k, in the same block: of the speeds' rates, where it was heard
    double most_v;         // over all velocities
} ErrorScale;
void error_scale_init(ErrorScale *sizes, const Equations *eq, double tolerance, double span);
void error_scale_clear(ErrorScale *sizes);
// With new speeds u. What is 0 at first is measured by how far it gets until the next row.
void error_scale_begin(ErrorScale *sizes, const State *state, const double *u,
                       const double *u_rate);
// A state was accepted: numbers' q, v and a, and the speeds u.
void error_scale_update(ErrorScale *sizes, const State *state, const double *u);
// The rates of the speeds at a state, and at one that differs from it by roundings.
void error_scale_noise(ErrorScale *sizes, const double *u_rate, const double *other);
// For each part of y = (q, u) the error that counts as 1, in a step about so long; 0: unknown.
void error_scale_weights(const ErrorScale *sizes, const double *y, double step, double *allowance);

#endif

// integrate_erk.c: the integrator on SUNDIALS' explicit Runge–Kutta stepper.
//
// The pair is RK8(7)13M of Prince and Dormand (High order embedded Runge–Kutta formulae, J. Comp.
// Appl. Math. 7, 1981, table 2). SUNDIALS' own pair of that order, Fehlberg's 7(8), sees no error
// at all where the rate depends on t alone, and so walks over a force that is given in time.
//
// The states inside a step come from rates (inside.c), to the order of the steps themselves.
#include "run/stepper_impl.h"

#include <arkode/arkode_erkstep.h>
#include <float.h>
#include <math.h>
#include <string.h>

// SUNDIALS 7 has new names for most of these functions; the old ones still do.
#if SUNDIALS_VERSION_MAJOR >= 7 && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

// A step of this many roundings of t leads nowhere; so many of them in a row end the run.
#define SHORT_STEP  8
#define SHORT_STEPS 20
// How often a step may be tried again with a shorter one: 0.3 to this power is below rounding.
#define MOST_REJECTED 40
// What a step shrinks to where the rate could not be evaluated.
#define SHRINK 0.1
// A step that is so much longer than the one before it is looked at inside, at so many points: a
// force that acts only for a while, or only somewhere, may have been stepped over. What is missed
// there may be so many times the error that is allowed.
#define LONGER      2
#define POINTS      31
#define MOST_MISSED 1000
#define SHORTER     0.25

typedef struct {
    Stepper base; // first: it is found by the same address
    void *stepper;
    N_Vector state;
    double t;                // of the last accepted state
    double *accepted;        // the last accepted state
    double *allowance;       // room for what is allowed
    double length;           // of the last step
    Inside *inside;          // that step
    size_t short_steps;      // in a row
    IntegratorCounts before; // of the time before the last start
} Erk;

// ---- The table.

#define STAGES 13
static const double nodes[STAGES] = {
    0,
    1.0 / 18,
    1.0 / 12,
    1.0 / 8,
    5.0 / 16,
    3.0 / 8,
    59.0 / 400,
    93.0 / 200,
    5490023248.0 / 9719169821,
    13.0 / 20,
    1201146811.0 / 1299019798,
    1,
    1,
};
static const double stages[STAGES][STAGES] = {
    {0},
    {1.0 / 18},
    {1.0 / 48, 1.0 / 16},
    {1.0 / 32, 0, 3.0 / 32},
    {5.0 / 16, 0, -75.0 / 64, 75.0 / 64},
    {3.0 / 80, 0, 0, 3.0 / 16, 3.0 / 20},
    {29443841.0 / 614563906, 0, 0, 77736538.0 / 692538347, -28693883.0 / 1125000000,
     23124283.0 / 1800000000},
    {16016141.0 / 946692911, 0, 0, 61564180.0 / 158732637, 22789713.0 / 633445777,
     545815736.0 / 2771057229, -180193667.0 / 1043307555},
    {39632708.0 / 573591083, 0, 0, -433636366.0 / 683701615, -421739975.0 / 2616292301,
     100302831.0 / 723423059, 790204164.0 / 839813087, 800635310.0 / 3783071287},
    {246121993.0 / 1340847787, 0, 0, -37695042795.0 / 15268766246, -309121744.0 / 1061227803,
     -12992083.0 / 490766935, 6005943493.0 / 2108947869, 393006217.0 / 1396673457,
     123872331.0 / 1001029789},
    {-1028468189.0 / 846180014, 0, 0, 8478235783.0 / 508512852, 1311729495.0 / 1432422823,
     -10304129995.0 / 1701304382, -48777925059.0 / 3047939560, 15336726248.0 / 1032824649,
     -45442868181.0 / 3398467696, 3065993473.0 / 597172653},
    {185892177.0 / 718116043, 0, 0, -3185094517.0 / 667107341, -477755414.0 / 1098053517,
     -703635378.0 / 230739211, 5731566787.0 / 1027545527, 5232866602.0 / 850066563,
     -4093664535.0 / 808688257, 3962137247.0 / 1805957418, 65686358.0 / 487910083},
    {403863854.0 / 491063109, 0, 0, -5068492393.0 / 434740067, -411421997.0 / 543043805,
     652783627.0 / 914296604, 11173962825.0 / 925320556, -13158990841.0 / 6184727034,
     3936647629.0 / 1978049680, -160528059.0 / 685178525, 248638103.0 / 1413531060},
};
static const double weights_of_order_8[STAGES] = {
    14005451.0 / 335480064,
    0,
    0,
    0,
    0,
    -59238493.0 / 1068277825,
    181606767.0 / 758867731,
    561292985.0 / 797845732,
    -1041891430.0 / 1371343529,
    760417239.0 / 1151165299,
    118820643.0 / 751138087,
    -528747749.0 / 2220607170,
    1.0 / 4,
};
static const double weights_of_order_7[STAGES] = {
    13451932.0 / 455176623,
    0,
    0,
    0,
    0,
    -808719846.0 / 976000145,
    1757004468.0 / 5645159321,
    656045339.0 / 265891186,
    -3867574721.0 / 1518517206,
    465885868.0 / 322736535,
    53011238.0 / 667516719,
    2.0 / 45,
    0,
};

// SUNDIALS 6.4 takes the rate of a last stage at the end of a step for the rate at the next
// beginning, which for this pair it is not. One more stage makes that true: the step's own
// result. Where states are settled after a step it would still be wrong; there the stage is
// moved away from the end, and the rate is evaluated anew.
static bool set_table(void *stepper, bool same_as_first)
{
    double rows[(STAGES + 1) * (STAGES + 1)] = {0};
    double c[STAGES + 1] = {0}, b[STAGES + 1] = {0}, d[STAGES + 1] = {0};
    double *last = rows + STAGES * (STAGES + 1);
    for (size_t i = 0; i < STAGES; i++)
        memcpy(rows + i * (STAGES + 1), stages[i], sizeof stages[i]);
    memcpy(c, nodes, sizeof nodes);
    memcpy(b, weights_of_order_8, sizeof weights_of_order_8);
    memcpy(d, weights_of_order_7, sizeof weights_of_order_7);
    c[STAGES] = same_as_first ? 1 : 0.5;
    if (same_as_first)
        memcpy(last, weights_of_order_8, sizeof weights_of_order_8);
    else
        last[0] = 0.5;
    ARKodeButcherTable table = ARKodeButcherTable_Create(STAGES + 1, 8, 7, c, rows, b, d);
    bool set = table && ERKStepSetTable(stepper, table) == ARK_SUCCESS;
    ARKodeButcherTable_Free(table);
    return set;
}

// ---- What the stepper calls.

static int call_settle(sunrealtype t, N_Vector y, void *user_data)
{
    const IntegratorProblem *problem = &((Erk *)user_data)->base.problem;
    return problem->settle(problem->context, t, N_VGetArrayPointer(y)) ? 0 : 1;
}

// From version 7 on the context tells.
static bool listen(Erk *erk)
{
#if SUNDIALS_VERSION_MAJOR >= 7
    (void)erk;
    return true;
#else
    return ERKStepSetErrHandlerFn(erk->stepper, stepper_hear, erk) == ARK_SUCCESS;
#endif
}

// ---- Making and starting.

static bool set_up(Erk *erk)
{
    sunindextype count = (sunindextype)erk->base.problem.count;
    if (!stepper_open(&erk->base))
        return false;
    erk->state = N_VNew_Serial(count, erk->base.context);
    if (!erk->state)
        return false;
    N_VConst(0, erk->state);
    erk->stepper = ERKStepCreate(stepper_rate, 0, erk->state, erk->base.context);
    void *stepper = erk->stepper;
    bool ok = stepper && listen(erk) && set_table(stepper, erk->base.problem.settle == NULL) &&
              ERKStepSetUserData(stepper, erk) == ARK_SUCCESS &&
              ERKStepWFtolerances(stepper, stepper_allowance) == ARK_SUCCESS &&
              ERKStepSetInterpolantDegree(stepper, 1) == ARK_SUCCESS &&
              ERKStepSetMaxNumSteps(stepper, -1) == ARK_SUCCESS &&
              ERKStepSetMaxStep(stepper, erk->base.problem.longest) == ARK_SUCCESS &&
              ERKStepSetMaxErrTestFails(stepper, MOST_REJECTED) == ARK_SUCCESS;
    // Events cut steps short, so that errors of former steps tell little about the next one; and
    // the error goes as the power 8 of the step (the next to last number), not 7.
    ok = ok && ERKStepSetAdaptivityMethod(stepper, ARK_ADAPT_I, 1, 1, NULL) == ARK_SUCCESS;
    if (ok && erk->base.problem.settle)
        ok = ERKStepSetPostprocessStepFn(stepper, call_settle) == ARK_SUCCESS;
    return ok;
}

static void destroy(void *self);

static void *create(const IntegratorProblem *problem)
{
    Erk *erk = base_alloc(sizeof *erk);
    erk->base.problem = *problem;
    erk->accepted = base_alloc((problem->count + 1) * sizeof(double));
    erk->allowance = base_alloc((problem->count + 1) * sizeof(double));
    erk->inside = base_alloc(sizeof *erk->inside);
    inside_init(erk->inside, problem);
    if (set_up(erk))
        return erk;
    destroy(erk);
    return NULL;
}

static void destroy(void *self)
{
    Erk *erk = self;
    if (erk->stepper)
        ERKStepFree(&erk->stepper);
    if (erk->state)
        N_VDestroy(erk->state);
    if (erk->base.context)
        SUNContext_Free(&erk->base.context);
    inside_clear(erk->inside);
    base_free(erk->inside);
    base_free(erk->accepted);
    base_free(erk->allowance);
    base_free(erk);
}

static IntegratorCounts counts_of(const void *self)
{
    const Erk *erk = self;
    IntegratorCounts counts = erk->before;
    counts.order = 8;
    long steps = 0, rejected = 0;
    ERKStepGetNumSteps(erk->stepper, &steps);
    ERKStepGetNumErrTestFails(erk->stepper, &rejected);
    counts.steps += (size_t)steps;
    counts.rejected += (size_t)rejected;
    return counts;
}

static double next_step(const void *self)
{
    const Erk *erk = self;
    sunrealtype step = 0;
    ERKStepGetCurrentStep(erk->stepper, &step);
    return step;
}

static const char *message_of(const void *self)
{
    return ((const Erk *)self)->base.message;
}

static bool begin(Erk *erk, double t, const double *y, double step)
{
    size_t bytes = erk->base.problem.count * sizeof *y;
    erk->before = counts_of(erk);
    memmove(erk->accepted, y, bytes);
    memcpy(N_VGetArrayPointer(erk->state), erk->accepted, bytes);
    erk->t = t;
    erk->base.message[0] = '\0';
    return ERKStepReInit(erk->stepper, stepper_rate, t, erk->state) == ARK_SUCCESS &&
           ERKStepSetInitStep(erk->stepper, step) == ARK_SUCCESS;
}

static bool start(void *self, double t, const double *y, double step)
{
    Erk *erk = self;
    inside_begin(erk->inside, t, y);
    erk->length = INFINITY;
    return begin(erk, t, y, step);
}

// ---- Stepping.

static double roundings(double t, double until, double count)
{
    return count * DBL_EPSILON * fmax(fabs(t), fabs(until));
}

// Counts steps that lead nowhere; true once there were too many in a row.
static bool has_vanished(Erk *erk, double from, double until)
{
    bool is_short = erk->t - from <= roundings(from, from, SHORT_STEP);
    bool is_last = erk->t >= until;
    erk->short_steps = is_short && !is_last ? erk->short_steps + 1 : 0;
    return erk->short_steps >= SHORT_STEPS;
}

static bool is_rate_failure(int flag)
{
    return flag == ARK_RHSFUNC_FAIL || flag == ARK_FIRST_RHSFUNC_ERR ||
           flag == ARK_REPTD_RHSFUNC_ERR || flag == ARK_UNREC_RHSFUNC_ERR ||
           flag == ARK_POSTPROCESS_STEP_FAIL;
}

static IntegratorOutcome accept(Erk *erk, double from, double until, double *t, double *y)
{
    size_t bytes = erk->base.problem.count * sizeof *y;
    memcpy(erk->accepted, N_VGetArrayPointer(erk->state), bytes);
    memcpy(y, erk->accepted, bytes);
    *t = erk->t;
    erk->length = erk->t - from;
    return has_vanished(erk, from, until) ? INTEGRATOR_VANISHED : INTEGRATOR_STEPPED;
}

// Whether the step that has ended here went over something; the first one is always looked at.
static bool has_missed(Erk *erk, double from)
{
    const IntegratorProblem *problem = &erk->base.problem;
    const double *reached = N_VGetArrayPointer(erk->state);
    inside_end(erk->inside, erk->t, reached);
    if (erk->t - from <= LONGER * erk->length && isfinite(erk->length))
        return false;
    problem->allowance(problem->context, reached, erk->allowance);
    return inside_defect(erk->inside, POINTS, erk->allowance) > MOST_MISSED;
}

static IntegratorOutcome advance(void *self, double until, double *t, double *y)
{
    Erk *erk = self;
    double from = erk->t, step = 0;
    inside_begin(erk->inside, from, erk->accepted);
    if (until - from <= roundings(from, until, 2)) {
        *t = erk->t = until;
        inside_end(erk->inside, until, erk->accepted);
        return INTEGRATOR_STEPPED;
    }
    for (;;) {
        sunrealtype reached = from;
        if (ERKStepSetStopTime(erk->stepper, until) != ARK_SUCCESS)
            return INTEGRATOR_FAILED;
        int flag = ERKStepEvolve(erk->stepper, until, erk->state, &reached, ARK_ONE_STEP);
        if (flag == ARK_SUCCESS || flag == ARK_TSTOP_RETURN) {
            erk->t = flag == ARK_TSTOP_RETURN ? until : reached;
            if (!has_missed(erk, from))
                return accept(erk, from, until, t, y);
            if (!begin(erk, from, erk->accepted, SHORTER * (erk->t - from)))
                return INTEGRATOR_FAILED;
            continue;
        }
        if (flag == ARK_MEM_FAIL)
            return INTEGRATOR_FAILED;
        if (!is_rate_failure(flag))
            return INTEGRATOR_VANISHED;
        // The stepper gives up where a stage has no rate; a shorter step may have one.
        if (step == 0)
            step = next_step(erk);
        if (!(step > 0 && step < until - from))
            step = until - from;
        step *= SHRINK;
        if (step <= roundings(from, from, SHORT_STEP) || !begin(erk, from, erk->accepted, step))
            return INTEGRATOR_RATE;
    }
}

static void between(const void *self, double t, double *y, double *rate)
{
    const Erk *erk = self;
    const IntegratorProblem *problem = &erk->base.problem;
    inside_state(erk->inside, t, y);
    if (!problem->rate(problem->context, t, y, rate))
        memset(rate, 0, problem->count * sizeof *rate);
}

// The stepper's own interpolant is of a lower order than its steps, so that it is not used.
const IntegratorMethod integrator_erk = {.create = create,
                                         .destroy = destroy,
                                         .start = start,
                                         .step = advance,
                                         .between = between,
                                         .next_step = next_step,
                                         .counts = counts_of,
                                         .message = message_of};

// integrator_erk.c: the integrator on SUNDIALS' explicit Runge–Kutta stepper.
//
// The pair is RK8(7)13M of Prince and Dormand (High order embedded Runge–Kutta formulae, J. Comp.
// Appl. Math. 7, 1981, table 2). SUNDIALS' own pair of that order, Fehlberg's 7(8), sees no error
// at all where the rate depends on t alone, and so walks over a force that is given in time.
//
// The states inside a step come from rates (dense_output.c), to the order of the steps themselves:
// the stepper's own interpolant is of a lower order.
#include "ode/dense_output_impl.h"
#include "ode/ode_limits_impl.h"
#include "ode/sundials_impl.h"

#include <arkode/arkode_erkstep.h>
#include <assert.h>
#include <math.h>
#include <string.h>

// SUNDIALS 7 has new names for most of these functions; the old ones still do.
#if SUNDIALS_VERSION_MAJOR >= 7 && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

typedef struct {
    Sundials sundials;
    double *error_scale; // workspace
    double length;       // of the last step; infinite after a start
    DenseOutput dense;   // of that step
} Erk;

// ---- The constants of the method.

// Where a step is looked at inside, its defect may be so many times the error that is allowed.
static const double MAX_DEFECT = 1000;

enum { STAGES = 14 }; // with one for the next beginning: set_table
static const struct {
    double nodes[STAGES], stages[STAGES][STAGES], order_8[STAGES], order_7[STAGES];
} pair = {
    {0, 1.0 / 18, 1.0 / 12, 1.0 / 8, 5.0 / 16, 3.0 / 8, 59.0 / 400, 93.0 / 200,
     5490023248.0 / 9719169821, 13.0 / 20, 1201146811.0 / 1299019798, 1, 1, 1},
    {{0},
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
      3936647629.0 / 1978049680, -160528059.0 / 685178525, 248638103.0 / 1413531060}},
    {14005451.0 / 335480064, 0, 0, 0, 0, -59238493.0 / 1068277825, 181606767.0 / 758867731,
     561292985.0 / 797845732, -1041891430.0 / 1371343529, 760417239.0 / 1151165299,
     118820643.0 / 751138087, -528747749.0 / 2220607170, 1.0 / 4},
    {13451932.0 / 455176623, 0, 0, 0, 0, -808719846.0 / 976000145, 1757004468.0 / 5645159321,
     656045339.0 / 265891186, -3867574721.0 / 1518517206, 465885868.0 / 322736535,
     53011238.0 / 667516719, 2.0 / 45, 0},
};

// SUNDIALS 6.4 takes the rate of a last stage at the end of a step for the rate at the next
// beginning, which for this pair it is not. One more stage makes that true: the step's own
// result. Where states are projected after a step it would still be wrong; there the stage is
// moved away from the end, and the rate is evaluated anew.
static bool set_table(void *memory, bool same_as_first)
{
    double rows[STAGES][STAGES], c[STAGES];
    memcpy(rows, pair.stages, sizeof rows);
    memcpy(c, pair.nodes, sizeof c);
    if (same_as_first)
        memcpy(rows[STAGES - 1], pair.order_8, sizeof pair.order_8);
    else
        c[STAGES - 1] = rows[STAGES - 1][0] = 0.5;
    ARKodeButcherTable table = ARKodeButcherTable_Create(
        STAGES, 8, 7, c, rows[0], (double *)pair.order_8, (double *)pair.order_7);
    bool set = table && ERKStepSetTable(memory, table) == ARK_SUCCESS;
    ARKodeButcherTable_Free(table);
    return set;
}

// ---- Making and starting.

static int project(sunrealtype t, N_Vector y, void *user_data)
{
    const OdeProblem *problem = &((Erk *)user_data)->sundials.base.problem;
    return problem->project(problem->context, t, N_VGetArrayPointer(y)) ? 0 : 1;
}

static const SundialsStepper stepper = {.free = ERKStepFree,
                                        .set_stop_time = ERKStepSetStopTime,
                                        .evolve = ERKStepEvolve,
                                        .get_steps = ERKStepGetNumSteps,
                                        .get_rejected = ERKStepGetNumErrTestFails,
                                        .get_next_step = ERKStepGetCurrentStep,
                                        .one_step = ARK_ONE_STEP,
                                        .stopped = ARK_TSTOP_RETURN,
                                        .no_memory = ARK_MEM_FAIL,
                                        .no_rate = {ARK_RHSFUNC_FAIL, ARK_FIRST_RHSFUNC_ERR,
                                                    ARK_REPTD_RHSFUNC_ERR, ARK_UNREC_RHSFUNC_ERR,
                                                    ARK_POSTPROCESS_STEP_FAIL}};

// Events cut steps short, so that errors of former steps tell little about the next one (ADAPT_I);
// and the error goes as the power 8 of the step (the next to last number there), not 7.
static bool init(OdeIntegrator *integrator)
{
    Erk *erk = (Erk *)integrator;
    Sundials *sundials = &erk->sundials;
    const OdeProblem *problem = &integrator->problem;
    integrator->statistics.order = 8;
    erk->error_scale = integrator_numbers(integrator, problem->count);
    dense_output_init(&erk->dense, problem, integrator->arena);
    if (!sundials_open(sundials, &stepper))
        return false;
    void *memory = sundials->memory =
        ERKStepCreate(sundials_rate, 0, sundials->state, sundials->context);
    bool failed = !memory || SUNDIALS_SET_MESSAGES(sundials, ERKStepSetErrHandlerFn) ||
                  !set_table(memory, problem->project == NULL) || ERKStepSetUserData(memory, erk) ||
                  ERKStepWFtolerances(memory, sundials_weights) ||
                  ERKStepSetInterpolantDegree(memory, 1) || ERKStepSetMaxNumSteps(memory, -1) ||
                  ERKStepSetMaxStep(memory, problem->max_step) ||
                  ERKStepSetMaxErrTestFails(memory, ODE_MAX_TRIES) ||
                  ERKStepSetAdaptivityMethod(memory, ARK_ADAPT_I, 1, 1, NULL) ||
                  (problem->project && ERKStepSetPostprocessStepFn(memory, project));
    return !failed;
}

static bool begin(Sundials *sundials, double t, const double *y, double step)
{
    sundials_begin(sundials, y);
    return ERKStepReInit(sundials->memory, sundials_rate, t, sundials->state) == ARK_SUCCESS &&
           ERKStepSetInitStep(sundials->memory, step) == ARK_SUCCESS;
}

static bool start(OdeIntegrator *integrator, double t, const double *y, double step)
{
    Erk *erk = (Erk *)integrator;
    dense_output_begin(&erk->dense, t, y);
    erk->length = INFINITY;
    return begin(&erk->sundials, t, y, step);
}

// ---- Stepping.

// Whether the step that has ended here went over something: a force that acts only for a while, or
// only somewhere. The first step is looked at, and any that is much longer than the one before it.
static bool has_missed(Erk *erk, double from, double t)
{
    const OdeProblem *problem = &erk->sundials.base.problem;
    const double *reached = N_VGetArrayPointer(erk->sundials.state);
    dense_output_end(&erk->dense, t, reached);
    if (t - from <= ODE_LEAP * erk->length && isfinite(erk->length))
        return false;
    problem->error_scale(problem->context, reached, erk->error_scale);
    return dense_output_defect(&erk->dense, ODE_LEAP_PARTS - 1, erk->error_scale) > MAX_DEFECT;
}

// The stepper gives up where a stage has no rate; a shorter step may have one, and may miss less.
static OdeOutcome advance(OdeIntegrator *integrator, double until, double *t, double *y)
{
    Erk *erk = (Erk *)integrator;
    double from = *t, step = 0;
    dense_output_begin(&erk->dense, from, y);
    for (;;) {
        double reached = from;
        OdeOutcome outcome = sundials_evolve(&erk->sundials, until, &reached);
        if (outcome == ODE_STEPPED && !has_missed(erk, from, reached)) {
            *t = reached;
            memcpy(y, erk->dense.end, integrator->problem.count * sizeof *y);
            erk->length = reached - from;
            return ODE_STEPPED;
        }
        if (outcome != ODE_STEPPED && outcome != ODE_NO_RATE)
            return outcome;
        if (outcome == ODE_STEPPED)
            step = reached - from;
        else if (step == 0)
            step = sundials_next_step(integrator);
        if (!(step > 0 && step < until - from))
            step = until - from;
        step *= ODE_STEP_CUT;
        if (integrator_is_short(step, from) || !begin(&erk->sundials, from, y, step))
            return outcome == ODE_STEPPED ? ODE_STEP_UNDERFLOW : ODE_NO_RATE;
    }
}

static void interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    const OdeProblem *problem = &integrator->problem;
    dense_output_state(&((Erk *)integrator)->dense, t, y);
    if (!problem->rate(problem->context, t, y, rate))
        memset(rate, 0, problem->count * sizeof *rate);
}

const IntegratorMethod integrator_erk = {sizeof(Erk), init,        sundials_clear,     start,
                                         advance,     interpolate, sundials_next_step, 2.5};

// integrator_sundials.c: the integrators on SUNDIALS' steppers: explicit Runge–Kutta (ERK), and
// CVODE's multistep formulas, backward differentiation (BDF) for stiff problems, with the exact
// Jacobian, and Adams for smooth ones.
//
// The pair of ERK is RK8(7)13M of Prince and Dormand (High order embedded Runge–Kutta formulae, J.
// Comp. Appl. Math. 7, 1981, table 2). SUNDIALS' own pair of that order, Fehlberg's 7(8), sees no
// error at all where the rate depends on t alone, and so walks over a force that is given in time.
// The states inside a step come from rates (dense_output.c), to the order of the steps themselves:
// the stepper's own interpolant is of a lower order.
//
// Multistep formulas know the states inside a step by their own polynomial. BDF is told the
// invariants and projects onto them at each step; Adams keeps its own state, and the states that it
// hands out are projected. Where the Jacobian is large, the equations of BDF's Newton iteration are
// an OdeSparseJacobian, which holds few entries and more unknowns than the state has parts; KLU
// factors them. Else they are dense.
#include "linalg/tolerances.h"
#include "ode/dense_output_impl.h"
#include "ode/integrator_impl.h"

#include <arkode/arkode_erkstep.h>
#include <assert.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// SUNDIALS 7 has new names for most of ERK's functions; the old ones still do.
#if SUNDIALS_VERSION_MAJOR >= 7 && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

typedef struct Sundials Sundials;

// A stepper of the library: functions that each of them has, under its own name, and what is done
// in its own way. The values that `evolve` returns are the same.
typedef struct {
    void (*free)(void **memory);
    int (*set_stop_time)(void *memory, sunrealtype t);
    int (*evolve)(void *memory, sunrealtype until, N_Vector y, sunrealtype *t, int task);
    int (*get_steps)(void *memory, long *steps);
    int (*get_rejected)(void *memory, long *rejected);
    int (*get_next_step)(void *memory, sunrealtype *step);
    // Makes the stepper; false where the machine failed.
    bool (*open)(Sundials *sundials);
    // From `state` at t, with this first step.
    bool (*restart)(Sundials *sundials, double t, double step);
    // Whether the step from there to t, where `state` is, may be accepted; else it is repeated.
    bool (*accepts)(Sundials *sundials, double from, double t);
    bool retries; // it gives up where there is no rate, without a shorter step
} Stepper;
_Static_assert(CV_ONE_STEP == ARK_ONE_STEP && CV_TSTOP_RETURN == ARK_TSTOP_RETURN &&
                   CV_MEM_FAIL == ARK_MEM_FAIL && CV_RHSFUNC_FAIL == ARK_RHSFUNC_FAIL &&
                   CV_FIRST_RHSFUNC_ERR == ARK_FIRST_RHSFUNC_ERR &&
                   CV_REPTD_RHSFUNC_ERR == ARK_REPTD_RHSFUNC_ERR &&
                   CV_UNREC_RHSFUNC_ERR == ARK_UNREC_RHSFUNC_ERR,
               "both steppers return the same values");

struct Sundials {
    OdeIntegrator base;
    const Stepper *stepper;
    SUNContext context;
    void *memory;         // of the stepper
    N_Vector state;       // that it last returned
    OdeStatistics before; // the last start: the stepper counts from there
    // Of ERK.
    double *error_scale; // workspace
    double length;       // of the last step; infinite after a start
    DenseOutput dense;   // of that step
    // Of multistep formulas.
    N_Vector inside; // workspace: a state inside a step
    SUNNonlinearSolver fixed_point;
    const OdeSparseJacobian *sparse; // NULL: dense
    // The linear solver of BDF.
    struct {
        size_t pattern; // the one that it was made for; 0: dense
        SUNMatrix matrix;
        SUNLinearSolver linear;
        // Where few entries are filled.
        SUNLinearSolver klu;
        N_Vector right, unknown; // of the matrix' size
    } solver;
};

static bool is_stiff(const Sundials *sundials)
{
    return sundials->base.method == &integrator_bdf;
}

// ---- What the steppers call. Positive: not here.

static int call_rate(sunrealtype t, N_Vector y, N_Vector rate, void *user_data)
{
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    return !problem->rate(problem->context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
}

// The stepper takes the root of the mean square; the factor √count makes that a bound for each
// part.
static int call_weights(N_Vector y, N_Vector weights, void *user_data)
{
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    double *weight = N_VGetArrayPointer(weights), root = sqrt((double)problem->count);
    problem->error_scale(problem->context, N_VGetArrayPointer(y), weight);
    for (size_t i = 0; i < problem->count; i++)
        weight[i] = root / weight[i];
    return 0;
}

static int call_jacobian(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                         void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    return !problem->jacobian(problem->program, t, N_VGetArrayPointer(y), SM_DATA_D(matrix));
}

// 1 − γ·J; the old J serves where it is still good.
static int call_system(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                       sunbooleantype is_good, sunbooleantype *is_new, sunrealtype gamma,
                       void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    const OdeSparseJacobian *sparse = ((Sundials *)user_data)->sparse;
    *is_new = !is_good;
    if (!is_good && !sparse->linearize(sparse->context, t, N_VGetArrayPointer(y)))
        return 1;
    sparse->fill(sparse->context, gamma, SM_DATA_S(matrix));
    return 0;
}

static int call_project(sunrealtype t, N_Vector y, void *user_data)
{
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    return problem->project && !problem->project(problem->context, t, N_VGetArrayPointer(y));
}

// The change that projects a state.
static int call_project_change(sunrealtype t, N_Vector y, N_Vector change, sunrealtype within,
                               N_Vector err, void *user_data)
{
    (void)within, (void)err;
    N_VScale(1, y, change);
    int failed = call_project(t, change, user_data);
    N_VLinearSum(1, change, -1, y, change);
    return failed;
}

// ---- Messages are kept and not printed.

#if SUNDIALS_VERSION_MAJOR >= 7
#define SET_MESSAGES(set, sundials) 0
static void keep_message(int line, const char *function, const char *file, const char *message,
                         SUNErrCode code, void *user_data, SUNContext context)
#else
#define SET_MESSAGES(set, sundials) set((sundials)->memory, keep_message, (sundials))
static void keep_message(int code, const char *module, const char *function, char *message,
                         void *user_data)
#endif
{
    OdeIntegrator *integrator = user_data;
    snprintf(integrator->message, sizeof integrator->message, "%s", message ? message : "");
#if SUNDIALS_VERSION_MAJOR >= 7
    (void)line, (void)function, (void)file, (void)code, (void)context;
}

static bool open_context(Sundials *sundials)
{
    return SUNContext_Create(SUN_COMM_NULL, &sundials->context) == 0 &&
           SUNContext_ClearErrHandlers(sundials->context) == 0 &&
           SUNContext_PushErrHandler(sundials->context, keep_message, sundials) == 0;
}
#else
    (void)code, (void)module, (void)function;
}

static bool open_context(Sundials *sundials)
{
    return SUNContext_Create(NULL, &sundials->context) == 0;
}
#endif

// ---- The linear equations of BDF. A solver whose equations have more unknowns than the state has
// parts.

static SUNLinearSolver_Type type_of(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int factor(SUNLinearSolver solver, SUNMatrix matrix)
{
    return SUNLinSolSetup(((Sundials *)solver->content)->solver.klu, matrix);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector right,
                 sunrealtype within)
{
    Sundials *sundials = solver->content;
    N_Vector whole = sundials->solver.right, unknown = sundials->solver.unknown;
    size_t bytes = sundials->base.problem.count * sizeof(double);
    N_VConst(0, whole);
    memcpy(N_VGetArrayPointer(whole), N_VGetArrayPointer(right), bytes);
    int flag = SUNLinSolSolve(sundials->solver.klu, matrix, unknown, whole, within);
    memcpy(N_VGetArrayPointer(x), N_VGetArrayPointer(unknown), bytes);
    return flag;
}

static int release(SUNLinearSolver solver)
{
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static SUNLinearSolver new_solver(Sundials *sundials)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(sundials->context);
    if (!solver)
        return NULL;
    solver->content = sundials;
    solver->ops->gettype = type_of;
    solver->ops->setup = factor;
    solver->ops->solve = solve;
    solver->ops->free = release;
    return solver;
}

// SUNDIALS frees NULL.
static void free_solver(Sundials *sundials)
{
    SUNLinSolFree(sundials->solver.linear);
    SUNLinSolFree(sundials->solver.klu);
    SUNMatDestroy(sundials->solver.matrix);
    N_VDestroy(sundials->solver.right);
    N_VDestroy(sundials->solver.unknown);
    memset(&sundials->solver, 0, sizeof sundials->solver);
}

static bool make_dense(Sundials *sundials)
{
    assert(sundials->base.problem.jacobian);
    sunindextype count = (sunindextype)sundials->base.problem.count;
    SUNMatrix matrix = sundials->solver.matrix = SUNDenseMatrix(count, count, sundials->context);
    if (matrix)
        sundials->solver.linear = SUNLinSol_Dense(sundials->state, matrix, sundials->context);
    return sundials->solver.linear != NULL;
}

static bool make_sparse(Sundials *sundials)
{
    const OdeSparseJacobian *sparse = sundials->sparse;
    SUNContext context = sundials->context;
    size_t entries = sparse->begins[sparse->size];
    sunindextype size = (sunindextype)sparse->size;
    assert(sparse->size >= sundials->base.problem.count && sparse->id > 0);
    SUNMatrix matrix = SUNSparseMatrix(size, size, (sunindextype)entries, CSR_MAT, context);
    sundials->solver.matrix = matrix;
    sundials->solver.right = N_VNew_Serial(size, context);
    sundials->solver.unknown = N_VNew_Serial(size, context);
    sundials->solver.linear = new_solver(sundials);
    if (!matrix || !sundials->solver.right || !sundials->solver.unknown || !sundials->solver.linear)
        return false;
    for (size_t i = 0; i <= sparse->size; i++)
        SM_INDEXPTRS_S(matrix)[i] = (sunindextype)sparse->begins[i];
    for (size_t e = 0; e < entries; e++)
        SM_INDEXVALS_S(matrix)[e] = (sunindextype)sparse->columns[e];
    sundials->solver.klu = SUNLinSol_KLU(sundials->solver.right, matrix, context);
    return sundials->solver.klu != NULL;
}

// A start may bring another pattern.
static bool set_equations(Sundials *sundials)
{
    const OdeProblem *problem = &sundials->base.problem;
    void *memory = sundials->memory;
    sundials->sparse = problem->sparse_jacobian ? problem->sparse_jacobian(problem->program) : NULL;
    size_t pattern = sundials->sparse ? sundials->sparse->id : 0;
    if (sundials->solver.linear && sundials->solver.pattern == pattern)
        return true;
    free_solver(sundials);
    sundials->solver.pattern = pattern;
    return (sundials->sparse ? make_sparse(sundials) : make_dense(sundials)) &&
           CVodeSetLinearSolver(memory, sundials->solver.linear, sundials->solver.matrix) == 0 &&
           (sundials->sparse ? CVodeSetLinSysFn(memory, call_system)
                             : CVodeSetJacFn(memory, call_jacobian)) == 0;
}

// ---- Multistep formulas.

// BDF solves its equations by Newton's iteration, Adams by fixed-point iteration.
static bool set_iteration(Sundials *sundials)
{
    void *memory = sundials->memory;
    if (is_stiff(sundials))
        return !sundials->base.problem.project ||
               (CVodeSetProjFn(memory, call_project_change) == 0 &&
                CVodeSetProjErrEst(memory, SUNFALSE) == 0);
    sundials->fixed_point = SUNNonlinSol_FixedPoint(sundials->state, 0, sundials->context);
    return sundials->fixed_point && CVodeSetNonlinearSolver(memory, sundials->fixed_point) == 0;
}

static bool cvode_open(Sundials *sundials)
{
    sundials->inside = N_VClone(sundials->state);
    void *memory = sundials->memory =
        CVodeCreate(is_stiff(sundials) ? CV_BDF : CV_ADAMS, sundials->context);
    bool failed = !sundials->inside || !memory || SET_MESSAGES(CVodeSetErrHandlerFn, sundials) ||
                  CVodeInit(memory, call_rate, 0, sundials->state) ||
                  CVodeSetUserData(memory, sundials) || CVodeWFtolerances(memory, call_weights) ||
                  CVodeSetMaxStep(memory, sundials->base.problem.max_step) ||
                  CVodeSetMaxErrTestFails(memory, LIMIT_STEPS) ||
                  CVodeSetMaxConvFails(memory, LIMIT_STEPS) || CVodeSetMaxHnilWarns(memory, -1) ||
                  !set_iteration(sundials);
    return !failed;
}

static bool cvode_restart(Sundials *sundials, double t, double step)
{
    sundials->base.statistics.order = 0;
    return (!is_stiff(sundials) || set_equations(sundials)) &&
           CVodeReInit(sundials->memory, t, sundials->state) == 0 &&
           CVodeSetInitStep(sundials->memory, step) == 0;
}

// A state that cannot be projected was too far away.
static bool cvode_accepts(Sundials *sundials, double from, double t)
{
    (void)from;
    int order = 0;
    CVodeGetLastOrder(sundials->memory, &order);
    sundials->base.statistics.order = (size_t)order;
    return call_project(t, sundials->state, sundials) == 0;
}

static int cvode_rejected(void *memory, long *rejected)
{
    long diverged = 0;
    int flag = CVodeGetNumErrTestFails(memory, rejected);
    CVodeGetNumStepSolveFails(memory, &diverged);
    *rejected += diverged;
    return flag;
}

// The rate is that of the state, which the slope of the polynomial is only nearly.
static void cvode_interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    const OdeProblem *problem = &integrator->problem;
    const Sundials *sundials = (const Sundials *)integrator;
    const double *inside = N_VGetArrayPointer(sundials->inside);
    size_t bytes = problem->count * sizeof *y;
    if (CVodeGetDky(sundials->memory, t, 0, sundials->inside) == 0)
        memcpy(y, inside, bytes);
    if (!problem->rate(problem->context, t, y, rate) &&
        CVodeGetDky(sundials->memory, t, 1, sundials->inside) == 0)
        memcpy(rate, inside, bytes);
}

static size_t cvode_expand(OdeIntegrator *integrator, double *about, double *rows)
{
    const Sundials *sundials = (const Sundials *)integrator;
    size_t count = integrator->problem.count, degree = integrator->statistics.order;
    double factorial = 1;
    for (size_t k = 0; k <= degree; k++) {
        const double *inside = N_VGetArrayPointer(sundials->inside);
        if (CVodeGetDky(sundials->memory, *about, (int)k, sundials->inside) != 0)
            return k > 0 ? k - 1 : 0;
        for (size_t j = 0; j < count; j++)
            rows[k * count + j] = inside[j] / factorial;
        factorial *= (double)(k + 1);
    }
    return degree;
}

static const Stepper cvode = {.free = CVodeFree,
                              .set_stop_time = CVodeSetStopTime,
                              .evolve = CVode,
                              .get_steps = CVodeGetNumSteps,
                              .get_rejected = cvode_rejected,
                              .get_next_step = CVodeGetCurrentStep,
                              .open = cvode_open,
                              .restart = cvode_restart,
                              .accepts = cvode_accepts};

// ---- Runge–Kutta: the constants of the method, with one stage for the next beginning (set_table).
static const struct {
    double nodes[14], stages[14][14], order_8[14], order_7[14];
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
enum { STAGES = sizeof pair.nodes / sizeof *pair.nodes };

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
    bool set = table && ERKStepSetTable(memory, table) == 0;
    ARKodeButcherTable_Free(table);
    return set;
}

// Events cut steps short, so that errors of former steps tell little about the next one (ADAPT_I);
// and the error goes as the power 8 of the step (the next to last number there), not 7.
static bool erk_open(Sundials *sundials)
{
    const OdeProblem *problem = &sundials->base.problem;
    sundials->base.statistics.order = 8;
    sundials->error_scale = integrator_numbers(&sundials->base, problem->count);
    dense_output_init(&sundials->dense, problem, sundials->base.arena);
    void *memory = sundials->memory =
        ERKStepCreate(call_rate, 0, sundials->state, sundials->context);
    bool failed =
        !memory || SET_MESSAGES(ERKStepSetErrHandlerFn, sundials) ||
        !set_table(memory, problem->project == NULL) || ERKStepSetUserData(memory, sundials) ||
        ERKStepWFtolerances(memory, call_weights) || ERKStepSetInterpolantDegree(memory, 1) ||
        ERKStepSetMaxNumSteps(memory, -1) || ERKStepSetMaxStep(memory, problem->max_step) ||
        ERKStepSetMaxErrTestFails(memory, LIMIT_STEPS) ||
        ERKStepSetAdaptivityMethod(memory, ARK_ADAPT_I, 1, 1, NULL) ||
        (problem->project && ERKStepSetPostprocessStepFn(memory, call_project));
    return !failed;
}

static bool erk_restart(Sundials *sundials, double t, double step)
{
    dense_output_begin(&sundials->dense, t, N_VGetArrayPointer(sundials->state));
    return ERKStepReInit(sundials->memory, call_rate, t, sundials->state) == 0 &&
           ERKStepSetInitStep(sundials->memory, step) == 0;
}

// Not where the step went over something: a force that acts only for a while, or only somewhere.
// The first step is looked at, and any that is much longer than the one before it; there the defect
// may be many times the error that is allowed.
static bool erk_accepts(Sundials *sundials, double from, double t)
{
    const OdeProblem *problem = &sundials->base.problem;
    const double *reached = N_VGetArrayPointer(sundials->state);
    double length = t - from;
    dense_output_end(&sundials->dense, t, reached);
    if (length > 0 && (length > 2 * sundials->length || isinf(sundials->length))) {
        problem->error_scale(problem->context, reached, sundials->error_scale);
        double defect =
            dense_output_defect(&sundials->dense, ODE_MAX_ORDER - 1, sundials->error_scale);
        if (defect * TOL_COARSE > 1)
            return false;
    }
    sundials->length = length;
    return true;
}

static void erk_interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    const OdeProblem *problem = &integrator->problem;
    dense_output_state(&((Sundials *)integrator)->dense, t, y);
    if (!problem->rate(problem->context, t, y, rate))
        memset(rate, 0, problem->count * sizeof *rate);
}

static size_t erk_expand(OdeIntegrator *integrator, double *about, double *rows)
{
    return dense_output_expand(&((Sundials *)integrator)->dense, about, rows);
}

static const Stepper erk = {.free = ERKStepFree,
                            .set_stop_time = ERKStepSetStopTime,
                            .evolve = ERKStepEvolve,
                            .get_steps = ERKStepGetNumSteps,
                            .get_rejected = ERKStepGetNumErrTestFails,
                            .get_next_step = ERKStepGetCurrentStep,
                            .open = erk_open,
                            .restart = erk_restart,
                            .accepts = erk_accepts,
                            .retries = true};

// ---- Making and starting.

static bool init(OdeIntegrator *integrator)
{
    Sundials *sundials = (Sundials *)integrator;
    assert(integrator->problem.rate);
    sundials->stepper = integrator->method == &integrator_erk ? &erk : &cvode;
    if (!open_context(sundials))
        return false;
    sundials->state = N_VNew_Serial((sunindextype)integrator->problem.count, sundials->context);
    if (!sundials->state)
        return false;
    N_VConst(0, sundials->state);
    return sundials->stepper->open(sundials);
}

static void clear(OdeIntegrator *integrator)
{
    Sundials *sundials = (Sundials *)integrator;
    SUNNonlinSolFree(sundials->fixed_point);
    free_solver(sundials);
    N_VDestroy(sundials->inside);
    if (sundials->memory)
        sundials->stepper->free(&sundials->memory);
    N_VDestroy(sundials->state);
    if (sundials->context)
        SUNContext_Free(&sundials->context);
}

static bool restart(Sundials *sundials, double t, const double *y, double step)
{
    memcpy(N_VGetArrayPointer(sundials->state), y, sundials->base.problem.count * sizeof *y);
    sundials->before = sundials->base.statistics;
    return sundials->stepper->restart(sundials, t, step);
}

static bool start(OdeIntegrator *integrator, double t, const double *y, double step)
{
    Sundials *sundials = (Sundials *)integrator;
    sundials->length = INFINITY;
    return restart(sundials, t, y, step);
}

// ---- Stepping.

static double next_step(const OdeIntegrator *integrator)
{
    const Sundials *sundials = (const Sundials *)integrator;
    sunrealtype step = 0;
    sundials->stepper->get_next_step(sundials->memory, &step);
    return step;
}

static OdeOutcome outcome_of(int flag)
{
    switch (flag) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN: return ODE_STEPPED;
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR:
    case CV_LSETUP_FAIL:
    case ARK_POSTPROCESS_STEP_FAIL: return ODE_NO_RATE;
    case CV_MEM_FAIL: return ODE_FAILED;
    default: return ODE_STEP_UNDERFLOW;
    }
}

// One step of the stepper's own choice, to `state` and *t.
static OdeOutcome evolve(Sundials *sundials, double until, double *t)
{
    const Stepper *stepper = sundials->stepper;
    OdeStatistics *statistics = &sundials->base.statistics;
    void *memory = sundials->memory;
    long steps = 0, rejected = 0;
    assert(until > *t);
    if (stepper->set_stop_time(memory, until) != 0)
        return ODE_FAILED;
    int flag = stepper->evolve(memory, until, sundials->state, t, CV_ONE_STEP);
    stepper->get_steps(memory, &steps);
    stepper->get_rejected(memory, &rejected);
    statistics->steps = sundials->before.steps + (size_t)steps;
    statistics->rejected = sundials->before.rejected + (size_t)rejected;
    if (flag == CV_TSTOP_RETURN)
        *t = until;
    return outcome_of(flag);
}

// A step that is not accepted is repeated from where it began, much shorter.
static OdeOutcome advance(OdeIntegrator *integrator, double until, double *t, double *y)
{
    Sundials *sundials = (Sundials *)integrator;
    size_t bytes = integrator->problem.count * sizeof *y;
    double from = *t, step = 0;
    if (sundials->stepper == &erk)
        dense_output_begin(&sundials->dense, from, y);
    for (;;) {
        double reached = from;
        OdeOutcome outcome = evolve(sundials, until, &reached);
        if (outcome == ODE_STEPPED && sundials->stepper->accepts(sundials, from, reached)) {
            *t = reached;
            memcpy(y, N_VGetArrayPointer(sundials->state), bytes);
            return ODE_STEPPED;
        }
        if (outcome != ODE_STEPPED && !(outcome == ODE_NO_RATE && sundials->stepper->retries))
            return outcome;
        if (outcome == ODE_STEPPED)
            step = reached - from;
        else if (step == 0)
            step = next_step(integrator);
        if (!(step > 0 && step < until - from))
            step = until - from;
        step /= 8;
        if (integrator_is_short(step, from) || !restart(sundials, from, y, step))
            return ODE_NO_RATE;
    }
}

// Fixed-point iteration converges where a step multiplies no decay to more than about 1.
const IntegratorMethod integrator_erk = {sizeof(Sundials), init,      clear,      start, advance,
                                         erk_interpolate,  next_step, erk_expand, NULL,  2.5};
const IntegratorMethod integrator_bdf = {sizeof(Sundials),  init,      clear,        start, advance,
                                         cvode_interpolate, next_step, cvode_expand, NULL,  2.5};
const IntegratorMethod integrator_adams = {
    sizeof(Sundials),  init,      clear,        start, advance,
    cvode_interpolate, next_step, cvode_expand, NULL,  0.5};

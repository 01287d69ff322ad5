// integrator_cvode.c: the integrators on CVODE's multistep formulas: backward differentiation (BDF)
// for stiff problems, with the exact Jacobian, and Adams for smooth ones.
//
// Where the Jacobian is large, the equations of Newton's iteration are an OdeSparseJacobian, which
// holds few entries and more unknowns than the state has parts; KLU factors them. Else they are
// dense.
//
// Both know the states inside a step by their own polynomial. BDF is told the invariants and
// projects onto them at each step; Adams keeps its own state, and the states that it hands out are
// projected.
#include "ode/ode_limits_impl.h"
#include "ode/sundials_impl.h"

#include <assert.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <math.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct {
    Sundials sundials;
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
} Cvode;

static bool is_stiff(const Cvode *cvode)
{
    return cvode->sundials.base.method == &integrator_bdf;
}

// ---- What the stepper calls. Positive: not here.

static int call_jacobian(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                         void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    bool found = problem->jacobian(problem->program, t, N_VGetArrayPointer(y), SM_DATA_D(matrix));
    return found ? 0 : 1;
}

// 1 − γ·J; the old J serves where it is still good.
static int call_system(sunrealtype t, N_Vector y, N_Vector rate, SUNMatrix matrix,
                       sunbooleantype is_good, sunbooleantype *is_new, sunrealtype gamma,
                       void *user_data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)rate, (void)a, (void)b, (void)c;
    const OdeSparseJacobian *sparse = ((Cvode *)user_data)->sparse;
    *is_new = !is_good;
    if (!is_good && !sparse->linearize(sparse->context, t, N_VGetArrayPointer(y)))
        return 1;
    sparse->fill(sparse->context, gamma, SM_DATA_S(matrix));
    return 0;
}

// The change that projects a state.
static int call_project(sunrealtype t, N_Vector y, N_Vector change, sunrealtype within,
                        N_Vector err, void *user_data)
{
    (void)within, (void)err;
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    N_VScale(1, y, change);
    if (!problem->project(problem->context, t, N_VGetArrayPointer(change)))
        return 1;
    N_VLinearSum(1, change, -1, y, change);
    return 0;
}

// ---- A linear solver whose equations have more unknowns than the state has parts.

static SUNLinearSolver_Type type_of(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int factor(SUNLinearSolver solver, SUNMatrix matrix)
{
    return SUNLinSolSetup(((Cvode *)solver->content)->solver.klu, matrix);
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector right,
                 sunrealtype within)
{
    Cvode *cvode = solver->content;
    size_t bytes = cvode->sundials.base.problem.count * sizeof(double);
    N_VConst(0, cvode->solver.right);
    memcpy(N_VGetArrayPointer(cvode->solver.right), N_VGetArrayPointer(right), bytes);
    int flag = SUNLinSolSolve(cvode->solver.klu, matrix, cvode->solver.unknown, cvode->solver.right,
                              within);
    memcpy(N_VGetArrayPointer(x), N_VGetArrayPointer(cvode->solver.unknown), bytes);
    return flag;
}

static int release(SUNLinearSolver solver)
{
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static SUNLinearSolver new_solver(Cvode *cvode)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(cvode->sundials.context);
    if (!solver)
        return NULL;
    solver->content = cvode;
    solver->ops->gettype = type_of;
    solver->ops->setup = factor;
    solver->ops->solve = solve;
    solver->ops->free = release;
    return solver;
}

// ---- Making and starting.

// SUNDIALS frees NULL.
static void free_solver(Cvode *cvode)
{
    SUNLinSolFree(cvode->solver.linear);
    SUNLinSolFree(cvode->solver.klu);
    SUNMatDestroy(cvode->solver.matrix);
    N_VDestroy(cvode->solver.right);
    N_VDestroy(cvode->solver.unknown);
    memset(&cvode->solver, 0, sizeof cvode->solver);
}

static bool set_dense(Cvode *cvode)
{
    assert(cvode->sundials.base.problem.jacobian);
    sunindextype count = (sunindextype)cvode->sundials.base.problem.count;
    SUNContext context = cvode->sundials.context;
    void *memory = cvode->sundials.memory;
    cvode->solver.matrix = SUNDenseMatrix(count, count, context);
    if (!cvode->solver.matrix)
        return false;
    cvode->solver.linear = SUNLinSol_Dense(cvode->sundials.state, cvode->solver.matrix, context);
    return cvode->solver.linear &&
           CVodeSetLinearSolver(memory, cvode->solver.linear, cvode->solver.matrix) == CV_SUCCESS &&
           CVodeSetJacFn(memory, call_jacobian) == CV_SUCCESS;
}

static bool set_sparse(Cvode *cvode)
{
    const OdeSparseJacobian *sparse = cvode->sparse;
    SUNContext context = cvode->sundials.context;
    void *memory = cvode->sundials.memory;
    size_t entries = sparse->begins[sparse->size];
    sunindextype size = (sunindextype)sparse->size;
    assert(sparse->size >= cvode->sundials.base.problem.count && sparse->id > 0);
    cvode->solver.matrix = SUNSparseMatrix(size, size, (sunindextype)entries, CSR_MAT, context);
    cvode->solver.right = N_VNew_Serial(size, context);
    cvode->solver.unknown = N_VNew_Serial(size, context);
    cvode->solver.linear = new_solver(cvode);
    if (!cvode->solver.matrix || !cvode->solver.right || !cvode->solver.unknown ||
        !cvode->solver.linear)
        return false;
    for (size_t i = 0; i <= sparse->size; i++)
        SM_INDEXPTRS_S(cvode->solver.matrix)[i] = (sunindextype)sparse->begins[i];
    for (size_t e = 0; e < entries; e++)
        SM_INDEXVALS_S(cvode->solver.matrix)[e] = (sunindextype)sparse->columns[e];
    cvode->solver.klu = SUNLinSol_KLU(cvode->solver.right, cvode->solver.matrix, context);
    return cvode->solver.klu &&
           CVodeSetLinearSolver(memory, cvode->solver.linear, cvode->solver.matrix) == CV_SUCCESS &&
           CVodeSetLinSysFn(memory, call_system) == CV_SUCCESS;
}

// A start may bring another pattern.
static bool set_equations(Cvode *cvode)
{
    const OdeProblem *problem = &cvode->sundials.base.problem;
    cvode->sparse = problem->sparse_jacobian ? problem->sparse_jacobian(problem->program) : NULL;
    size_t pattern = cvode->sparse ? cvode->sparse->id : 0;
    if (cvode->solver.linear && cvode->solver.pattern == pattern)
        return true;
    free_solver(cvode);
    cvode->solver.pattern = pattern;
    return cvode->sparse ? set_sparse(cvode) : set_dense(cvode);
}

// BDF solves its equations by Newton's iteration, Adams by fixed-point iteration.
static bool set_solver(Cvode *cvode)
{
    void *memory = cvode->sundials.memory;
    if (is_stiff(cvode))
        return !cvode->sundials.base.problem.project ||
               (CVodeSetProjFn(memory, call_project) == CV_SUCCESS &&
                CVodeSetProjErrEst(memory, SUNFALSE) == CV_SUCCESS);
    cvode->fixed_point = SUNNonlinSol_FixedPoint(cvode->sundials.state, 0, cvode->sundials.context);
    return cvode->fixed_point && CVodeSetNonlinearSolver(memory, cvode->fixed_point) == CV_SUCCESS;
}

static int get_rejected(void *memory, long *rejected)
{
    long diverged = 0;
    int flag = CVodeGetNumErrTestFails(memory, rejected);
    CVodeGetNumStepSolveFails(memory, &diverged);
    *rejected += diverged;
    return flag;
}

static const SundialsStepper stepper = {
    .free = CVodeFree,
    .set_stop_time = CVodeSetStopTime,
    .evolve = CVode,
    .get_steps = CVodeGetNumSteps,
    .get_rejected = get_rejected,
    .get_next_step = CVodeGetCurrentStep,
    .one_step = CV_ONE_STEP,
    .stopped = CV_TSTOP_RETURN,
    .no_memory = CV_MEM_FAIL,
    .no_rate = {CV_RHSFUNC_FAIL, CV_FIRST_RHSFUNC_ERR, CV_REPTD_RHSFUNC_ERR, CV_UNREC_RHSFUNC_ERR,
                CV_PROJFUNC_FAIL, CV_REPTD_PROJFUNC_ERR, CV_LSETUP_FAIL}};

static bool init(OdeIntegrator *integrator)
{
    Cvode *cvode = (Cvode *)integrator;
    Sundials *sundials = &cvode->sundials;
    if (!sundials_open(sundials, &stepper))
        return false;
    cvode->inside = N_VClone(sundials->state);
    void *memory = sundials->memory =
        CVodeCreate(is_stiff(cvode) ? CV_BDF : CV_ADAMS, sundials->context);
    bool failed = !cvode->inside || !memory ||
                  SUNDIALS_SET_MESSAGES(sundials, CVodeSetErrHandlerFn) ||
                  CVodeInit(memory, sundials_rate, 0, sundials->state) ||
                  CVodeSetUserData(memory, cvode) || CVodeWFtolerances(memory, sundials_weights) ||
                  CVodeSetMaxStep(memory, integrator->problem.max_step) ||
                  CVodeSetMaxErrTestFails(memory, ODE_MAX_TRIES) ||
                  CVodeSetMaxConvFails(memory, ODE_MAX_TRIES) || CVodeSetMaxHnilWarns(memory, -1) ||
                  !set_solver(cvode);
    return !failed;
}

static void clear(OdeIntegrator *integrator)
{
    Cvode *cvode = (Cvode *)integrator;
    SUNNonlinSolFree(cvode->fixed_point);
    free_solver(cvode);
    N_VDestroy(cvode->inside);
    sundials_clear(integrator);
}

static bool start(OdeIntegrator *integrator, double t, const double *y, double step)
{
    Cvode *cvode = (Cvode *)integrator;
    Sundials *sundials = &cvode->sundials;
    if (is_stiff(cvode) && !set_equations(cvode))
        return false;
    sundials_begin(sundials, y);
    integrator->statistics.order = 0;
    return CVodeReInit(sundials->memory, t, sundials->state) == CV_SUCCESS &&
           CVodeSetInitStep(sundials->memory, step) == CV_SUCCESS;
}

// ---- Stepping.

// A state that cannot be projected was too far away: again from where it was, by half the step.
static OdeOutcome advance(OdeIntegrator *integrator, double until, double *t, double *y)
{
    const OdeProblem *problem = &integrator->problem;
    Sundials *sundials = (Sundials *)integrator;
    double *state = N_VGetArrayPointer(sundials->state);
    for (;;) {
        double reached = *t;
        int order = 0;
        OdeOutcome outcome = sundials_evolve(sundials, until, &reached);
        CVodeGetLastOrder(sundials->memory, &order);
        integrator->statistics.order = (size_t)order;
        if (outcome != ODE_STEPPED)
            return outcome;
        if (!problem->project || problem->project(problem->context, reached, state)) {
            *t = reached;
            memcpy(y, state, problem->count * sizeof *y);
            return ODE_STEPPED;
        }
        double half = (reached - *t) / 2;
        if (integrator_is_short(half, *t) || !start(integrator, *t, y, half))
            return ODE_NO_RATE;
        until = fmin(until, *t + half);
    }
}

// The rate is that of the state, which the slope of the polynomial is only nearly.
static void interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    const OdeProblem *problem = &integrator->problem;
    const Cvode *cvode = (const Cvode *)integrator;
    const double *inside = N_VGetArrayPointer(cvode->inside);
    size_t bytes = problem->count * sizeof *y;
    if (CVodeGetDky(cvode->sundials.memory, t, 0, cvode->inside) == CV_SUCCESS)
        memcpy(y, inside, bytes);
    if (!problem->rate(problem->context, t, y, rate) &&
        CVodeGetDky(cvode->sundials.memory, t, 1, cvode->inside) == CV_SUCCESS)
        memcpy(rate, inside, bytes);
}

// Fixed-point iteration converges where a step multiplies no decay to more than about 1.
const IntegratorMethod integrator_bdf = {
    sizeof(Cvode), init, clear, start, advance, interpolate, sundials_next_step, 2.5};
const IntegratorMethod integrator_adams = {
    sizeof(Cvode), init, clear, start, advance, interpolate, sundials_next_step, 0.5};

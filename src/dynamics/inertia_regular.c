// inertia_regular.c: whether the masses determine the accelerations.
//
// The exact rank of an n × n matrix of functions costs n³ and its entries n². Elimination on the
// definitions has one pivot for each unknown, which are the quotients of its minors: where all of
// them exclude 0 at some state, in ball arithmetic, the inertia is regular there, and so almost
// everywhere.
#include "dynamics/inertia_regular.h"
#include "base/diag.h"
#include "dynamics/elimination.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/definitions.h"
#include "motion/inertia.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <assert.h>
#include <float.h>
#include <math.h>

typedef struct {
    Arena *arena;
    Expr *inputs; // t | q | q'
    double *state;
    size_t count;
    ExprSubst *fixed; // parameters to numbers
} Point;

// Some state that is nothing special. The numbers are what doubles are, exactly.
static void make_point(const Motion *motion, Point *point)
{
    const Model *model = motion->model;
    point->count = 1 + 2 * motion->n;
    point->inputs = arena_array(point->arena, Expr, point->count);
    point->state = arena_array(point->arena, double, point->count);
    point->inputs[0] = model->t;
    for (size_t i = 0; i < 2 * motion->n; i++)
        point->inputs[1 + i] = i < motion->n ? motion->q[i] : motion->v[i - motion->n];
    // Sines of whole numbers lie all over their interval, in no simple pattern.
    for (size_t i = 0; i < point->count; i++)
        point->state[i] = (2 + sin((double)i)) / 4;
}

static bool fix_parameters(const Motion *motion, Point *point)
{
    const Model *model = motion->model;
    Diag *unheard = diag_new();
    double *numbers = arena_array(point->arena, double, model->params.count + 1);
    bool known = model_param_values(model, unheard, numbers) == STATUS_OK;
    point->fixed = expr_subst_new(motion->pool);
    for (size_t i = 0; i < model->params.count && known; i++)
        expr_subst_set(point->fixed, model->params.at[i].symbol,
                       expr_double(motion->pool, numbers[i]));
    diag_free(unheard);
    return known;
}

static bool is_shown(Motion *motion)
{
    const char *why;
    Point point = {.arena = arena_new()};
    Definitions *definitions = definitions_new(motion, &why);
    make_point(motion, &point);
    bool shown = definitions && fix_parameters(motion, &point);
    if (shown) {
        Assembly *assembly = assembly_new(motion->pool, point.inputs, point.count, true);
        EliminationResult result;
        assembly_sample_at(assembly, point.state);
        shown = eliminate(definitions, (EliminationOptions){true, true, true}, assembly,
                          point.fixed, point.arena, &result);
        Program *program =
            shown ? assembly_program(assembly, result.divisors, result.divisor_count) : NULL;
        // The balls grow with each body, by less than the bits of a number.
        long bits = DBL_MANT_DIG, most = bits * (long)motion->n;
        bool excluded = false;
        for (long precision = 2 * bits; shown && !excluded && precision <= most; precision *= 4)
            excluded = program_excludes_zero(program, point.state, precision);
        shown = shown && excluded;
        program_free(program);
        assembly_free(assembly);
    }
    expr_subst_free(point.fixed);
    definitions_free(definitions);
    arena_free(point.arena);
    return shown;
}

Status inertia_check_regular(Motion *motion, Diag *diag)
{
    assert(motion && diag);
    if (motion->regular)
        return STATUS_OK;
    bool many = motion->k > SIZE_SMALL && !motion->curved;
    Status status = many && is_shown(motion) ? STATUS_OK : motion_check_inertia(motion, diag);
    motion->regular = status == STATUS_OK;
    return status;
}

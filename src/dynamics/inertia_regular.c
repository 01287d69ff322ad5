// inertia_regular.c: whether the masses determine the accelerations.
//
// The exact rank of an n × n matrix of functions costs n³ and its entries n². Elimination on the
// definitions has one pivot for each unknown, which are the quotients of its minors: where none of
// them is 0 as a function, the inertia is regular almost everywhere. A prime field shows it, or
// balls at some state.
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

static bool is_shown(Motion *motion)
{
    const char *why;
    Arena *arena = arena_new();
    EliminationSample sample;
    Definitions *definitions = definitions_new(motion, &why);
    bool shown = elimination_sample(motion, arena, &sample) && definitions;
    if (shown) {
        Assembly *assembly = assembly_new(motion->pool, sample.inputs, sample.count, true);
        EliminationResult result;
        assembly_sample_at(assembly, sample.state);
        shown = eliminate(definitions, (EliminationOptions){.vectors = true}, assembly,
                          sample.fixed, arena, &result);
        Program *program =
            shown ? assembly_program(assembly, result.divisors, result.divisor_count) : NULL;
        bool excluded = shown && program_outputs_are_not_zero(program);
        // The balls grow with each body, by less than the bits of a number.
        long bits = DBL_MANT_DIG, most = bits * (long)motion->n;
        for (long precision = 2 * bits; shown && !excluded && precision <= most; precision *= 4)
            excluded = program_excludes_zero(program, sample.state, precision);
        shown = shown && excluded;
        program_free(program);
        assembly_free(assembly);
    }
    expr_subst_free(sample.fixed);
    definitions_free(definitions);
    arena_free(arena);
    return shown;
}

Status inertia_check_regular(Motion *motion, Diag *diag)
{
    assert(motion && diag);
    if (motion->regular)
        return STATUS_OK;
    bool many = motion->n > SIZE_SMALL && !motion->curved;
    Status status = many && is_shown(motion) ? STATUS_OK : motion_check_inertia(motion, diag);
    motion->regular = status == STATUS_OK;
    return status;
}

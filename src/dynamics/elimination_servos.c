// elimination_servos.c: conditions that active forces keep, in Gauss's function.
//
// The force of a servo has a direction of its own, so that its condition and its force are two
// unknowns, g and d: Z + g·(b·x + γ) + d·(D·x). A derivative by g is the condition, one by x the
// balance, in which g is 0 and d the force. All others are eliminated first; what is left couples
// each condition with each force, b·𝓜⁻¹·D with the other conditions used.
#include "dynamics/elimination_impl.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>

void gauss_new_servo(Gauss *gauss, size_t row)
{
    gauss->multipliers[row] = quadratic_new_unknown(&gauss->form, true);
    gauss->reactions[row] = quadratic_new_unknown(&gauss->form, true);
    gauss->form.unknowns.at[gauss->multipliers[row]].driven = true;
    gauss->form.unknowns.at[gauss->reactions[row]].driven = true;
}

// matrix·d = right, s equations; `size` is what an entry is measured by, squared.
typedef struct {
    size_t count;
    uint32_t *forces;
    ProgramValue *matrix, *size, *right;
} Servos;

static Servos remaining(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    size_t m = definitions->motion->m, count = 0;
    uint32_t *conditions = arena_array(gauss->arena, uint32_t, 2 * m + 1), *forces = conditions + m;
    for (size_t i = 0; i < m; i++) {
        if (!definitions->rows[i].servo)
            continue;
        conditions[count] = gauss->multipliers[i];
        forces[count++] = gauss->reactions[i];
    }
    Servos servos = {.count = count,
                     .forces = forces,
                     .matrix = arena_array(gauss->arena, ProgramValue, 2 * count * count + count),
                     .size = NULL};
    servos.size = servos.matrix + count * count;
    servos.right = servos.size + count * count;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            const GaussForm *form = &gauss->form;
            servos.matrix[i * count + j] = quadratic_entry(form, conditions[i], forces[j]);
            servos.size[i * count + j] =
                assembly_mul(gauss->assembly, quadratic_entry(form, conditions[i], conditions[i]),
                             quadratic_entry(form, forces[j], forces[j]));
        }
        servos.right[i] = assembly_negated(quadratic_bias(&gauss->form, conditions[i]));
    }
    return servos;
}

static double part_of(const Gauss *gauss, const Servos *servos, size_t at)
{
    double entry = assembly_sample(gauss->assembly, servos->matrix[at]);
    return entry * entry / assembly_sample(gauss->assembly, servos->size[at]);
}

static void swap(ProgramValue *a, ProgramValue *b)
{
    ProgramValue former = *a;
    *a = *b;
    *b = former;
}

// The largest entry of what is left comes to (k, k); false where none is more than rounding.
static bool take_pivot(Gauss *gauss, Servos *servos, size_t k)
{
    size_t count = servos->count, row = k, column = k;
    for (size_t i = k; i < count; i++)
        for (size_t j = k; j < count; j++)
            if (part_of(gauss, servos, i * count + j) >
                part_of(gauss, servos, row * count + column)) {
                row = i;
                column = j;
            }
    if (count - k > 1)
        assembly_let_samples_decide(gauss->assembly);
    if (!(part_of(gauss, servos, row * count + column) > TOL_RANK))
        return false;
    for (size_t j = 0; j < count; j++) {
        swap(&servos->matrix[k * count + j], &servos->matrix[row * count + j]);
        swap(&servos->size[k * count + j], &servos->size[row * count + j]);
    }
    swap(&servos->right[k], &servos->right[row]);
    for (size_t i = 0; i < count; i++) {
        swap(&servos->matrix[i * count + k], &servos->matrix[i * count + column]);
        swap(&servos->size[i * count + k], &servos->size[i * count + column]);
    }
    uint32_t force = servos->forces[k];
    servos->forces[k] = servos->forces[column];
    servos->forces[column] = force;
    ProgramValue pivot = servos->matrix[k * count + k];
    GaussPivot watched = {assembly_mul(gauss->assembly, pivot, pivot), servos->size[k * count + k],
                          assembly_is_constant(gauss->assembly, pivot)};
    array_push(&gauss->form.pivots, watched);
    return true;
}

static void lower_row(Gauss *gauss, Servos *servos, size_t k, size_t i)
{
    Assembly *assembly = gauss->assembly;
    size_t count = servos->count;
    ProgramValue factor =
        assembly_div(assembly, servos->matrix[i * count + k], servos->matrix[k * count + k]);
    for (size_t j = k + 1; j < count; j++)
        servos->matrix[i * count + j] =
            assembly_sub(assembly, servos->matrix[i * count + j],
                         assembly_mul(assembly, factor, servos->matrix[k * count + j]));
    servos->right[i] =
        assembly_sub(assembly, servos->right[i], assembly_mul(assembly, factor, servos->right[k]));
}

bool gauss_solve_servos(Gauss *gauss)
{
    assert(gauss->multipliers && !gauss->at_rest);
    Assembly *assembly = gauss->assembly;
    Servos servos = remaining(gauss);
    size_t count = servos.count;
    for (size_t k = 0; k < count; k++) {
        if (!take_pivot(gauss, &servos, k))
            return false;
        for (size_t i = k + 1; i < count; i++)
            lower_row(gauss, &servos, k, i);
    }
    for (size_t k = count; k-- > 0;) {
        ProgramValue sum = servos.right[k];
        for (size_t j = k + 1; j < count; j++)
            sum =
                assembly_sub(assembly, sum,
                             assembly_mul(assembly, servos.matrix[k * count + j], servos.right[j]));
        servos.right[k] = assembly_div(assembly, sum, servos.matrix[k * count + k]);
    }
    for (size_t k = 0; k < count; k++)
        quadratic_set(&gauss->form, servos.forces[k], servos.right[k]);
    return true;
}

// second_class.c: conditions that hold accelerations (Hamel 252), in any form.
//
// They bind no velocity, so that the forms are derived without them first. Their virtual
// displacements are those with g·δq = 0, g = ∂f/∂q''; with δq = B·δu the reaction λg does the work
// λ g·B on speed α, which is added to the right side, and the conditions themselves stand beside
// the equations:
//
//     E_α = Q_α + Σ_j λ_j Σ_ν g_jν B_να,   f_j = 0.
//
// Where f is not affine in q'', g holds the accelerations: at each of them there are other virtual
// displacements, and only Gauss' principle says what is meant; eliminated.c puts such conditions
// into S.
#include "forms/steps_impl.h"

static bool is_gauss(FormKind kind)
{
    return kind == FORM_MULTIPLIERS || kind == FORM_GAUSS;
}

bool form_can_take_seconds(const Motion *motion, Form *form)
{
    if (motion->second_count == 0)
        return true;
    const char *name = motion->seconds[motion->second_count - 1].row.constraint->name;
    if (motion_has_curved_conditions(motion) && !is_gauss(form->kind) && form->kind != FORM_APPELL)
        form_refuse(
            form,
            "the constraint '%s' is not affine in the accelerations: which displacements are "
            "virtual depends on the acceleration itself, so that only 'gauss', "
            "'multipliers' and, where they can be put into S, 'appell' say what is meant (Hamel "
            "252)",
            name);
    else if (form->kind == FORM_ACTION)
        form_refuse(form,
                    "the constraint '%s' binds accelerations and no displacements, so that there "
                    "are no paths to vary among",
                    name);
    else if (form->kind == FORM_KORTEWEG || form->kind == FORM_CANONICAL)
        form_refuse(form,
                    "the constraint '%s' binds accelerations and no velocities, and this form "
                    "eliminates velocities",
                    name);
    return form->reason == NULL;
}

// The same as on a speed, in all velocities: Maggi's equations are written so.
static Expr on_displacement(const Motion *motion, const Expr *g, size_t alpha)
{
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(motion->pool, g[nu], motion->state.A[nu * motion->k + alpha]);
    Expr sum = expr_sum(motion->pool, terms, motion->n);
    base_free(terms);
    return sum;
}

// What the reactions add to equation `index` of a set.
static Expr reaction_in(Motion *motion, const Form *form, MotionReduction *by, size_t index)
{
    Expr *terms = base_alloc((motion->second_count + 1) * sizeof *terms);
    for (size_t i = 0; i < motion->second_count; i++) {
        const MotionRow *row = &motion->seconds[i].row;
        Expr g = form->multipliers          ? row->b[index]
                 : form->kind == FORM_MAGGI ? on_displacement(motion, row->b, index)
                                            : motion_on_speed(motion, by, row->b, index);
        terms[i] = expr_mul(motion->pool, row->constraint->lambda, g);
    }
    Expr sum = expr_sum(motion->pool, terms, motion->second_count);
    base_free(terms);
    return sum;
}

static void bind(Motion *motion, const Form *form, MotionReduction *by, size_t index,
                 FormEquation *equation)
{
    Expr reaction = reaction_in(motion, form, by, index);
    equation->right = expr_add(motion->pool, equation->right, reaction);
    if (!expr_is_none(equation->naive))
        equation->naive = expr_add(motion->pool, equation->naive, reaction);
}

static FormEquation condition_of(Motion *motion, const Form *form, const MotionSecond *second)
{
    Expr f = form->in_speeds ? motion_in_speeds(motion, second->f) : second->f;
    return (FormEquation){
        .label = second->row.constraint->name, .left = f, .right = expr_int(motion->pool, 0)};
}

void form_take_seconds(Motion *motion, Form *form)
{
    size_t s = motion->second_count;
    if (s == 0 || form->reason || form->eliminated > 0)
        return;
    bool in_velocities =
        form->kind == FORM_LAGRANGE || form->kind == FORM_TZENOFF || form->kind == FORM_VORONETS;
    MotionReduction *by = in_velocities ? motion_velocities(motion) : &motion->state;
    size_t size = form_size(form, motion) - s, sets = form->sets, at = 0;
    FormEquation *all = base_alloc((sets * (size + s) + 1) * sizeof *all);
    for (size_t set = 0; set < sets; set++) {
        for (size_t i = 0; i < size; i++) {
            all[at] = form->equations.at[set * size + i];
            bind(motion, form, by, i, &all[at++]);
        }
        for (size_t i = 0; i < s; i++)
            all[at++] = condition_of(motion, form, &motion->seconds[i]);
    }
    array_clear(&form->equations);
    for (size_t i = 0; i < at; i++)
        array_push(&form->equations, all[i]);
    base_free(all);
    form_add_note(form, !motion_has_curved_conditions(motion)
                            ? "the conditions on the accelerations bind no velocity; their virtual "
                              "displacements are those on which ∂f/∂q″·δq vanishes"
                            : "not affine in the accelerations: these equations may have several "
                              "solutions, of which the one of least constraint is the motion; "
                              "the instant at the start lists them");
    step_equations(form, STEP_SECOND_CLASS, 0);
}

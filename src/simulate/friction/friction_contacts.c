// friction_contacts.c: all frictions of a motion as one program, and their numbers at a state.
#include "base/diag.h"
#include "contact/friction.h"
#include "dynamics/equations.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "simulate/friction/friction_contacts_impl.h"

#include <assert.h>
#include <math.h>

// ---- The program.

// |u| in the place of slip.NAME.
static Expr with_speed(const Motion *motion, const MotionFriction *friction, Expr e)
{
    FrictionHold hold = {.mode = HOLD_FORWARD};
    Expr symbol = friction->friction->slip;
    Expr speed = motion_friction_speed(motion, friction, hold);
    if (friction->rows == 1)
        speed = expr_call(motion->pool, EXPR_ABS, speed, (Expr){0});
    return expr_replace(motion->pool, e, &symbol, &speed, 1);
}

static size_t put_vector(Vec v, Expr *outputs)
{
    outputs[0] = v.x;
    outputs[1] = v.y;
    outputs[2] = v.z;
    return 3;
}

// w of its rows where it is not 0, then c, then η; axes, normal and place; ν, and both bounds, also
// of each term.
static size_t put_outputs(const FrictionContacts *contacts, size_t i, Expr *outputs)
{
    const Motion *motion = contacts->motion;
    const MotionFriction *friction = &motion->frictions[i];
    const SparseStore *rows = &contacts->rows;
    size_t at = 0, from = contacts->row_at[i];
    for (size_t k = 0; k < friction->rows; k++)
        for (uint32_t e = rows->first.at[from + k]; e < rows->first.at[from + k + 1]; e++)
            outputs[at++] = friction->sticks[k].b[rows->column.at[e]];
    for (size_t k = 0; k < friction->rows; k++)
        outputs[at++] = friction->sticks[k].c;
    for (size_t k = 0; k < friction->rows; k++)
        outputs[at++] = friction->sticks[k].gamma;
    for (size_t k = 0; k < friction->rows; k++)
        at += put_vector(friction->axes[k], outputs + at);
    at += put_vector(friction->normal, outputs + at);
    at += put_vector(friction->place, outputs + at);
    outputs[at++] = friction->pressure;
    outputs[at++] = with_speed(motion, friction, friction->bound);
    outputs[at++] = with_speed(motion, friction, friction->hold);
    for (size_t k = 0; k < friction->term_count; k++) {
        outputs[at++] = with_speed(motion, friction, friction->terms[k].bound);
        outputs[at++] = with_speed(motion, friction, friction->terms[k].hold);
    }
    return at;
}

// Which friction acts is asked of equations that are linear in the accelerations.
static Status refuse(const Motion *motion, Diag *diag)
{
    if (motion->friction_count == 0 || motion_is_affine(motion))
        return STATUS_OK;
    bool condition = motion->affine_count < motion->second_count;
    return diag_error(diag, motion->frictions[0].friction->place,
                      "friction beside %s%s%s, which %s the accelerations, cannot be run by this "
                      "version",
                      condition ? "'" : "an energy of acceleration",
                      condition ? motion->seconds[motion->affine_count].row.constraint->name : "",
                      condition ? "'" : "", condition ? "is not affine in" : "is not quadratic in");
}

bool friction_is_there(const Motion *motion)
{
    bool there = motion->friction_count > 0 || motion->sides_act;
    for (size_t i = 0; i < motion->side_count && !there; i++)
        there = motion->bends || motion->sides[i].constraint->law == SHOCK_POISSON;
    return there;
}

size_t friction_of_side(const FrictionContacts *contacts, size_t side)
{
    return side < contacts->motion->side_count ? contacts->of_side[side] : SIZE_MAX;
}

bool friction_turns_sides(const FrictionContacts *contacts)
{
    return contacts->shares.any;
}

const double *friction_share_of_side(const FrictionContacts *contacts, size_t side)
{
    const SideShares *shares = &contacts->shares;
    bool has = side < contacts->motion->side_count && shares->program[side] != SIZE_MAX;
    return has ? shares->at + side * contacts->n : NULL;
}

// A product of reactions of one-sided conditions belongs to none of them.
static Status check_share(const Motion *motion, size_t side, const Expr *share, Diag *diag)
{
    for (size_t k = 0; k < motion->side_count; k++)
        for (size_t nu = 0; nu < motion->n && k != side; nu++)
            if (expr_holds(motion->pool, share[nu], motion->sides[k].constraint->lambda))
                return diag_error(diag, place_none(),
                                  "a force on %s holds the reactions of the one-sided conditions "
                                  "'%s' and '%s' in one term, and this version cannot tell which "
                                  "of them then act; write it as a sum of terms with one each",
                                  motion->model->coords.at[nu].name,
                                  motion->sides[side].constraint->name,
                                  motion->sides[k].constraint->name);
    return STATUS_OK;
}

// Programs of what forces make of the reactions of one-sided conditions, behind those of frictions.
static Status make_shares(FrictionContacts *contacts, Arena *arena, Diag *diag)
{
    const Motion *motion = contacts->motion;
    SideShares *shares = &contacts->shares;
    size_t n = contacts->n, sides = motion->side_count, next = contacts->count;
    Expr *share = base_alloc((n + 1) * sizeof *share);
    Status status = STATUS_OK;
    *shares = (SideShares){.any = motion->sides_act,
                           .curved = motion->bends,
                           .program = arena_array(arena, size_t, sides + 1),
                           .at = real_alloc(arena, motion->sides_act ? sides * n : 0)};
    for (size_t i = 0; i < sides && status == STATUS_OK; i++) {
        shares->program[i] = SIZE_MAX;
        if (!motion_reaction_share(motion, i, share, &shares->curved))
            continue;
        shares->program[i] = next++;
        status = check_share(motion, i, share, diag);
        if (status == STATUS_OK)
            status = friction_programs_add(contacts->programs, share, n, diag);
    }
    base_free(share);
    return status;
}

// What a term is pressed by among those so far; `presser_count` where it is none of them.
static size_t presser_of(const FrictionContacts *contacts, const FrictionTerm *term)
{
    size_t at = 0;
    for (; at < contacts->presser_count; at++) {
        FrictionTerm own = {0};
        if (at < contacts->count)
            motion_friction_own(&contacts->motion->frictions[at], &own);
        else
            own = *contacts->alone[at - contacts->count];
        if (own.by[0] == term->by[0])
            break;
    }
    return at;
}

static const ModelConstraint *sign_of(const FrictionTerm *term)
{
    return term->count == 1 && term->side == SIZE_MAX ? term->by[0] : NULL;
}

static void find_pressers(FrictionContacts *contacts, Arena *arena)
{
    size_t count = contacts->count, most = FRICTION_TERMS * count;
    contacts->presser = arena_array(arena, size_t, most + 1);
    contacts->alone = arena_array(arena, const FrictionTerm *, most + 1);
    contacts->signs = arena_array(arena, const ModelConstraint *, count + most + 1);
    contacts->presser_count = count;
    for (size_t i = 0; i < count; i++) {
        const MotionFriction *friction = &contacts->motion->frictions[i];
        FrictionTerm own;
        contacts->signs[i] = motion_friction_own(friction, &own) ? sign_of(&own) : NULL;
        for (size_t k = 0; k < friction->term_count; k++) {
            const FrictionTerm *term = &friction->terms[k];
            size_t *at = &contacts->presser[FRICTION_TERMS * i + k];
            *at = presser_of(contacts, term);
            if (*at < contacts->presser_count)
                continue;
            if (term->side != SIZE_MAX) {
                *at = SIZE_MAX;
                continue;
            }
            contacts->alone[*at - count] = term;
            contacts->signs[contacts->presser_count++] = sign_of(term);
        }
    }
}

// Where rows are not 0, and whose each side is.
static void find_places(FrictionContacts *contacts)
{
    const Motion *motion = contacts->motion;
    sparse_store_begin(&contacts->rows);
    for (size_t i = 0; i < motion->side_count; i++)
        contacts->of_side[i] = SIZE_MAX;
    contacts->alike = true;
    for (size_t i = 0, row = 0; i < contacts->count; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        contacts->alike = contacts->alike && friction->side != SIZE_MAX &&
                          friction->rows == motion->frictions[0].rows;
        if (friction->side != SIZE_MAX)
            contacts->of_side[friction->side] = i;
        contacts->row_at[i] = row;
        row += friction->rows;
        for (size_t k = 0; k < friction->rows; k++) {
            for (size_t nu = 0; nu < contacts->n; nu++)
                if (!expr_is_zero(motion->pool, friction->sticks[k].b[nu]))
                    sparse_store_push(&contacts->rows, nu, 0);
            sparse_store_end_row(&contacts->rows);
        }
        contacts->row_at[i + 1] = row;
    }
}

Status friction_contacts_new(Arena *arena, const Equations *eq, const Motion *motion, bool jumps,
                             Diag *diag, FrictionContacts **out)
{
    size_t count = motion->friction_count, n = motion->n;
    *out = NULL;
    if (!friction_is_there(motion))
        return STATUS_OK;
    TRY(refuse(motion, diag));
    FrictionContacts *contacts = *out = arena_array(arena, FrictionContacts, 1);
    *contacts = (FrictionContacts){.motion = motion,
                                   .n = n,
                                   .count = count,
                                   .jumps = jumps,
                                   .first = arena_array(arena, size_t, count + 1),
                                   .row_at = arena_array(arena, size_t, count + 1),
                                   .of_side = arena_array(arena, size_t, motion->side_count + 1),
                                   .at = arena_array(arena, FrictionNumbers, count + 1),
                                   .wrong = SIZE_MAX,
                                   .largest = arena_array(arena, double, count + 1),
                                   .solver = friction_solver_new()};
    find_places(contacts);
    find_pressers(contacts, arena);
    contacts->dense = real_alloc(arena, contacts->row_at[count] * n);
    size_t most = contacts->rows.column.count + FRICTION_MOST * 5 + 9 + 2 * FRICTION_TERMS,
           total = 0;
    Expr *outputs = base_alloc((most + 1) * sizeof *outputs);
    contacts->programs = friction_programs_new(eq);
    Status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        size_t size = put_outputs(contacts, i, outputs);
        contacts->first[i] = total;
        total += size;
        status = friction_programs_add(contacts->programs, outputs, size, diag);
    }
    contacts->out = real_alloc(arena, total);
    base_free(outputs);
    if (status == STATUS_OK)
        status = make_shares(contacts, arena, diag);
    return status == STATUS_OK ? massless_new(contacts, arena, diag) : status;
}

void friction_contacts_clear(FrictionContacts *contacts)
{
    if (!contacts)
        return;
    friction_programs_free(contacts->programs);
    sparse_store_clear(&contacts->rows);
    friction_solver_free(contacts->solver);
}

// ---- Its numbers.

void friction_contacts_evaluate_one(FrictionContacts *contacts, const State *state, size_t i)
{
    assert(i < contacts->count);
    size_t rows = contacts->motion->frictions[i].rows, n = contacts->n, from = contacts->row_at[i];
    const uint32_t *first = contacts->rows.first.at + from, *column = contacts->rows.column.at;
    double *out = contacts->out + contacts->first[i];
    const double *rest = out + (first[rows] - first[0]), *last = rest + 5 * rows + 6;
    double *w = contacts->dense + from * n;
    friction_programs_run(contacts->programs, i, state->inputs, out);
    FrictionNumbers *numbers = &contacts->at[i];
    *numbers = (FrictionNumbers){.w = w,
                                 .c = rest,
                                 .eta = rest + rows,
                                 .axes = rest + 2 * rows,
                                 .normal = rest + 5 * rows,
                                 .place = rest + 5 * rows + 3,
                                 .pressure = last[0],
                                 .sliding = last[1],
                                 .sticking = last[2],
                                 .by = last + 3};
    for (size_t k = 0; k < rows; k++) {
        numbers->u[k] = numbers->c[k];
        numbers->terms[k] = fabs(numbers->c[k]);
        for (uint32_t e = first[k]; e < first[k + 1]; e++) {
            double value = contacts->rows.value.at[e] = out[e - first[0]];
            double part = value * state->v[column[e]];
            w[k * n + column[e]] = value;
            numbers->u[k] += part;
            numbers->terms[k] += fabs(part);
        }
    }
}

void friction_contacts_evaluate(FrictionContacts *contacts, const State *state)
{
    const SideShares *shares = &contacts->shares;
    for (size_t i = 0; i < contacts->count; i++) {
        friction_contacts_evaluate_one(contacts, state, i);
        massless_evaluate(contacts, state, i);
    }
    for (size_t i = 0; i < contacts->motion->side_count && shares->any; i++)
        if (shares->program[i] != SIZE_MAX)
            friction_programs_run(contacts->programs, shares->program[i], state->inputs,
                                  shares->at + i * contacts->n);
}

void friction_vector(const FrictionNumbers *numbers, const MotionFriction *friction,
                     const double *parts, double *vector)
{
    bool placed = friction->friction->kind != FRICTION_AGAINST;
    for (size_t axis = 0; axis < 3; axis++)
        vector[axis] = placed || axis > 0 ? 0 : parts[0];
    for (size_t k = 0; k < friction->rows && placed; k++)
        for (size_t axis = 0; axis < 3; axis++)
            vector[axis] += parts[k] * numbers->axes[3 * k + axis];
}

double friction_speed(const FrictionNumbers *numbers, size_t rows)
{
    double square = 0;
    for (size_t k = 0; k < rows; k++)
        square += numbers->u[k] * numbers->u[k];
    return rows == 1 ? fabs(numbers->u[0]) : sqrt(square);
}

static Status check_one(const FrictionContacts *contacts, size_t i, Diag *diag)
{
    const ModelFriction *friction = contacts->motion->frictions[i].friction;
    const FrictionNumbers *numbers = &contacts->at[i];
    bool law = friction->kind != FRICTION_ON_CONDITION;
    const char *what = law ? "the bound of a friction" : "a friction coefficient";
    if (!isfinite(numbers->sliding) || !isfinite(numbers->sticking) ||
        !isfinite(numbers->pressure) || !isfinite(numbers->u[0]))
        return diag_error(diag, friction->place,
                          "the friction of '%s' has no finite value at the start: something in it "
                          "is divided by 0 or is outside the domain of its function",
                          friction->name);
    for (size_t k = 0; k <= contacts->motion->frictions[i].term_count; k++) {
        const double *own = k == 0 ? &numbers->sliding : &numbers->by[2 * k - 2];
        double sliding = own[0], sticking = own[1];
        if (sliding < 0 || sticking < 0)
            return diag_error(diag, sliding < 0 ? friction->bound_place : friction->hold_place,
                              "%s is 0 or more, and this is %.10g",
                              k == 0 ? what : "the factor of a reaction in the bound of a friction",
                              sliding < 0 ? sliding : sticking);
        if (sticking < sliding)
            return diag_error(diag, friction->hold_place,
                              "the static %s %.10g is below the sliding one, %.10g",
                              law ? "bound" : "coefficient", sticking, sliding);
    }
    return STATUS_OK;
}

Status friction_contacts_check(FrictionContacts *contacts, const State *state, Diag *diag)
{
    Status status = STATUS_OK;
    if (!contacts)
        return status;
    friction_contacts_evaluate(contacts, state);
    for (size_t i = 0; i < contacts->count; i++)
        if (check_one(contacts, i, diag) != STATUS_OK)
            status = STATUS_WRONG;
    return status;
}

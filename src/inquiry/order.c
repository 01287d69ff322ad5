// order.c: Appell's corrections R_α, and how many do not vanish, for any choice of parameters.
//
//     R_α = Σ_ν p_ν (dB_να/dt − ∂q'_ν/∂q_α) + Σ_ν (∂T/∂q_ν)(B_να − ∂q_ν/∂q_α)
//
// is what Quanjel's (8) says in coordinates, with q' = B·u + C. ∂/∂q_α keeps the other parameters
// and the dependent coordinates fixed, after the finite relations were used: a coordinate that
// they determine goes along (Appell 15–16). A declared speed is the rate of a parameter that is no
// coordinate; it is one more variable, and where its rate is integrable the coordinate that it
// determines goes along likewise.
//
// All choices of coordinates are asked at the same points of prime fields, where changing from
// one choice to another is a small linear system in numbers.
#include "inquiry/order_impl.h"

#include <math.h>
#include <string.h>

// ---- What is evaluated at the points.

static size_t add(OrderBase *base, Expr e)
{
    array_push(&base->outputs, base->values ? expr_subst(base->values, e) : e);
    return base->outputs.count - 1;
}

// An entry of B, or of C for alpha == k, in the extended variables.
static Expr entry_of(const OrderBase *base, const Closure *closure, size_t variable, size_t alpha)
{
    size_t field = alpha == base->k ? 0 : alpha + 1;
    return closure->entries.at[field * closure->variables + variable];
}

static void add_velocities(OrderBase *base, Motion *motion, const Closure *closure)
{
    size_t width = base->k + 1;
    base->B = base->outputs.count;
    for (size_t i = 0; i < base->variables; i++)
        for (size_t alpha = 0; alpha < width; alpha++)
            add(base, entry_of(base, closure, i, alpha));
    base->dB = base->outputs.count;
    for (size_t sigma = 0; sigma <= base->n; sigma++) {
        Expr by = sigma < base->n ? motion->q[sigma] : motion->model->t;
        for (size_t i = 0; i < base->variables; i++)
            for (size_t alpha = 0; alpha < width; alpha++)
                add(base, expr_diff(motion->pool, entry_of(base, closure, i, alpha), by));
    }
}

static void mark_held(OrderBase *base, Motion *motion, const Closure *closure)
{
    ExprPool *pool = motion->pool;
    size_t entries = (base->k + 1) * closure->variables;
    ExprList symbols = expr_symbols(pool, closure->entries.at, entries);
    for (size_t nu = 0; nu < base->n; nu++) {
        base->held[nu] = expr_holds(pool, motion->T, motion->q[nu]);
        for (size_t i = 0; i < symbols.count && !base->held[nu]; i++)
            base->held[nu] = symbols.at[i] == motion->q[nu].at;
    }
    expr_list_free(&symbols);
}

bool order_base_init(OrderBase *base, Motion *motion, bool parameters, ExprSubst *values)
{
    MotionReduction *state = &motion->state;
    Closure closure;
    closure_of_motion(&closure, motion, state, parameters, NULL);
    *base = (OrderBase){
        .n = motion->n, .k = motion->k, .variables = closure.variables - 1, .values = values};
    base->held = base_alloc((base->variables + 1) * sizeof *base->held);
    mark_held(base, motion, &closure);
    add_velocities(base, motion, &closure);
    bool known = closure_grow(&closure, motion);
    base->p = base->outputs.count;
    for (size_t nu = 0; nu < base->n; nu++)
        add(base, motion_in_speeds(motion, motion->p[nu]));
    base->T = base->outputs.count;
    for (size_t nu = 0; nu < base->n; nu++)
        add(base, motion_in_speeds(motion, motion->dT_dq[nu]));
    base->rest = base->outputs.count;
    for (size_t nu = 0; nu < base->n; nu++)
        add(base, motion_in_speeds(motion, motion->rest_of_S[nu]));
    base->u = base->outputs.count;
    for (size_t alpha = 0; alpha < base->k; alpha++)
        add(base, state->speeds[alpha].u);
    base->directions = closure.fields - 1;
    base->shown = known && closure_is_shown(&closure, motion, values);
    base->W = base->outputs.count;
    for (size_t f = 1; f <= base->directions; f++)
        for (size_t i = 0; i < base->variables; i++)
            add(base, closure.entries.at[f * closure.variables + i]);
    closure_clear(&closure);
    if (known)
        base->points = algebra_points_new(motion->algebra, base->outputs.at, base->outputs.count);
    return base->points != NULL;
}

void order_base_clear(OrderBase *base)
{
    algebra_points_free(base->points);
    array_clear(&base->outputs);
    base_free(base->held);
    *base = (OrderBase){0};
}

// R of a choice, times the squared determinant of the change of speeds and one of the
// directions, is a polynomial in the values of about this degree.
static size_t points_needed(const OrderBase *base)
{
    double degree = 3 * (double)base->k + (double)base->directions + 8;
    double terms = degree * 2 * log2((double)(base->variables + base->k + 2));
    return algebra_points_enough(base->points, degree, terms);
}

// ---- Choices.

// Looks at the same points for all choices; marks[c·k + α] says that R_α does not vanish, and
// regular[c] that the choice is one. False where the points do not decide it.
static bool look_at_choices(OrderBase *base, const size_t *choices, size_t count, bool *marks,
                            bool *regular)
{
    size_t needed = points_needed(base), k = base->k;
    uint64_t *R = base_alloc((k + 1) * sizeof *R);
    bool known = needed > 0;
    for (size_t i = 0; i < needed && known; i++) {
        known = algebra_points_next(base->points, &base->prime, &base->at);
        for (size_t c = 0; c < count && known; c++) {
            if (!order_corrections_at(base, choices + c * k, R))
                continue;
            regular[c] = true;
            for (size_t alpha = 0; alpha < k; alpha++)
                marks[c * k + alpha] = marks[c * k + alpha] || R[alpha] != 0;
        }
    }
    base_free(R);
    return known;
}

static size_t order_of(const bool *marks, size_t k)
{
    size_t order = 0;
    for (size_t alpha = 0; alpha < k; alpha++)
        order += marks[alpha];
    return order;
}

// The variables that are the state's parameters: a coordinate, or one of the further variables.
static void state_choice(const Motion *motion, size_t *choice)
{
    size_t extra = 0;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        choice[alpha] = speed->declared ? motion->n + extra++ : speed->index;
    }
}

// R is worked out too where there is room for it; none where that fails. `shown`: of the
// directions; `free`: the field is enough to show that something does not vanish.
static bool order_of_state(Motion *motion, ExprSubst *values, bool *marks, Expr *R, bool *shown,
                           bool *free)
{
    OrderBase base;
    size_t *choice = base_alloc((motion->k + 1) * sizeof *choice);
    bool regular = false;
    state_choice(motion, choice);
    bool known = order_base_init(&base, motion, true, values) &&
                 look_at_choices(&base, choice, 1, marks, &regular) && (regular || motion->k == 0);
    if (known && R && !order_corrections(motion, &base, choice, R))
        memset(R, 0, motion->k * sizeof *R);
    *shown = base.shown;
    *free = known && algebra_points_are_free(base.points);
    order_base_clear(&base);
    base_free(choice);
    return known;
}

// n over k, as far as it matters.
static size_t choice_count(size_t n, size_t k)
{
    size_t count = 1;
    for (size_t i = 1; i <= k && count <= INQUIRY_MOST_CHOICES; i++)
        count = count * (n - k + i) / i;
    return count;
}

// All k out of n, in lexical order.
static size_t *all_choices(size_t n, size_t k, size_t count)
{
    size_t *choices = base_alloc((count * k + 1) * sizeof *choices);
    for (size_t i = 0; i < k; i++)
        choices[i] = i;
    for (size_t c = 1; c < count; c++) {
        size_t *next = choices + c * k, i = k;
        memcpy(next, next - k, k * sizeof *next);
        while (i > 0 && next[i - 1] == n - k + i - 1)
            i--;
        next[i - 1]++;
        for (size_t j = i; j < k; j++)
            next[j] = next[j - 1] + 1;
    }
    return choices;
}

static void look_at_all(Motion *motion, InquiryOrder *order, ExprSubst *values)
{
    size_t n = motion->n, k = motion->k, count = choice_count(n, k);
    order->too_many = count > INQUIRY_MOST_CHOICES;
    OrderBase base;
    if (order->too_many || k == 0)
        return;
    size_t *choices = all_choices(n, k, count);
    bool *marks = base_alloc(count * k * sizeof *marks);
    bool *regular = base_alloc(count * sizeof *regular);
    bool known = order_base_init(&base, motion, false, values) &&
                 look_at_choices(&base, choices, count, marks, regular);
    // Fields tell what vanishes; that something does not is shown there only of free functions.
    order->open = known && !base.shown;
    for (size_t i = 0; i < count * k && known && !algebra_points_are_free(base.points); i++)
        order->open = order->open || marks[i];
    for (size_t c = 0; c < count && known && !order->open; c++) {
        if (!regular[c])
            continue;
        InquiryChoice choice = {arena_alloc(order->arena, k * sizeof(size_t)),
                                order_of(marks + c * k, k)};
        memcpy(choice.parameters, choices + c * k, k * sizeof(size_t));
        array_push(&order->choices, choice);
        if (choice.order < order->least)
            order->least = choice.order;
    }
    order_base_clear(&base);
    base_free(choices);
    base_free(marks);
    base_free(regular);
}

// ---- The question.

static bool is_about(Motion *motion, InquiryOrder *order)
{
    if (motion_no_T(motion))
        order->reason = motion_no_T(motion);
    else if (motion->second_count > 0)
        order->reason = "a condition holds accelerations, and R is defined without such";
    else if (inquiry_stranger(motion))
        order->reason =
            "a condition or a speed is not linear in the velocities, or a servo keeps one, and R "
            "is defined for neither";
    return !order->reason;
}

// Whether a real point shows of every marked R that it does not vanish.
static bool are_shown(Motion *motion, const InquiryOrder *order, const bool *marks,
                      ExprSubst *values)
{
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        if (!marks[alpha])
            continue;
        Expr R = order->R[alpha];
        if (expr_is_none(R))
            return false;
        if (inquiry_is_zero(motion, values ? expr_subst(values, R) : R) != ANSWER_NO)
            return false;
    }
    return true;
}

static void ask(Motion *motion, InquiryOrder *order)
{
    size_t k = motion->k;
    ExprSubst *values = inquiry_values(motion);
    bool *marks = base_alloc((k + 1) * sizeof *marks);
    bool *in_general = base_alloc((k + 1) * sizeof *in_general);
    bool shown[2], free[2]; // for the values, and in general
    bool seen = order_of_state(motion, values, marks, NULL, &shown[0], &free[0]) &&
                order_of_state(motion, NULL, in_general, order->R, &shown[1], &free[1]);
    if (seen && shown[0] && shown[1] && (free[0] || are_shown(motion, order, marks, values)) &&
        (free[1] || are_shown(motion, order, in_general, NULL))) {
        order->order = order->least = order_of(marks, k);
        order->general = order_of(in_general, k);
        for (size_t alpha = 0; alpha < k; alpha++) {
            order->holds[alpha] = !marks[alpha];
            if (!in_general[alpha])
                order->R[alpha] = expr_int(motion->pool, 0);
        }
        look_at_all(motion, order, values);
    } else if (seen) {
        order->reason = "no real point was found that shows which of the corrections vanish; "
                        "functions in them may be related";
    } else {
        order->reason = "the corrections cannot be evaluated exactly, so that it cannot be "
                        "decided which of them vanish";
    }
    expr_subst_free(values);
    base_free(marks);
    base_free(in_general);
}

InquiryOrder *inquiry_order(Motion *whole)
{
    InquiryOrder *order = base_alloc(sizeof *order);
    Motion *part = inquiry_without_states(whole), *motion = part ? part : whole;
    order->arena = arena_new();
    order->R = arena_alloc(order->arena, (motion->k + 1) * sizeof *order->R);
    order->holds = arena_alloc(order->arena, (motion->k + 1) * sizeof *order->holds);
    if (!part)
        order->reason = inquiry_rated;
    else if (is_about(motion, order))
        ask(motion, order);
    inquiry_part_free(part, whole);
    return order;
}

void inquiry_order_free(InquiryOrder *order)
{
    if (!order)
        return;
    array_clear(&order->choices);
    arena_free(order->arena);
    base_free(order);
}

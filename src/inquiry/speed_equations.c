// speed_equations.c: the equations of the speeds, and which coordinates they need.
//
// matrix·u' = force in the coordinates q and speeds u, by Kane's road. A coordinate is needed
// where the u' depend on it; that a coordinate which stands in the equations is not needed (the
// heading of a bicycle) is proved in prime fields. Needed too is what the rates of needed
// coordinates depend on.
#include "expr/tables.h"
#include "inquiry/small_impl.h"
#include "program/program.h"

#include <math.h>
#include <string.h>

// Accelerations that differ by more than this part of themselves are seen to differ.
#define SEEN 1e-6

// ---- Tables.

// With t = 0 in the arguments of functions that are given by tables.
static Expr held(InquirySmall *small, Expr e)
{
    ExprPool *pool = small->motion->pool;
    Expr t = small->motion->model->t, zero = expr_int(pool, 0);
    if (!small->options.hold_tables || expr_is_none(e) || !expr_holds(pool, e, t))
        return e;
    ExprList nodes = expr_nodes(pool, &e, 1);
    ExprSubst *subst = expr_subst_new(pool);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        if (expr_table_of(pool, node) && expr_holds(pool, node, t))
            expr_subst_set(subst, node, expr_replace(pool, node, &t, &zero, 1));
    }
    e = expr_subst(subst, e);
    expr_subst_free(subst);
    expr_list_free(&nodes);
    return e;
}

// ---- The equations.

static const FormKind roads[] = {FORM_KANE, FORM_APPELL, FORM_MAGGI};

Status small_find_equations(InquirySmall *small, Diag *diag)
{
    Motion *motion = small->motion;
    const char *reason = NULL;
    for (size_t i = 0; i < sizeof roads / sizeof *roads; i++) {
        Form *form = form_derive_in(roads[i], motion, FORM_TO_RUN);
        InquiryNormal normal = {0};
        bool good = !form->reason && inquiry_normal(motion, form, &normal);
        if (good && normal.size == motion->k) {
            size_t k = motion->k;
            small->matrix = arena_alloc(small->arena, (k * k + 1) * sizeof(Expr));
            small->force = arena_alloc(small->arena, (k + 1) * sizeof(Expr));
            for (size_t j = 0; j < k * k; j++)
                small->matrix[j] = held(small, normal.matrix[j]);
            for (size_t j = 0; j < k; j++)
                small->force[j] = held(small, normal.right[j]);
        }
        reason = form->reason && !reason
                     ? arena_copy_text(small->arena, form->reason, strlen(form->reason))
                     : reason;
        inquiry_normal_clear(&normal);
        form_free(form);
        if (small->matrix)
            return STATUS_OK;
    }
    return diag_error(diag, place_none(), "the equations of this system cannot be linearized: %s",
                      reason ? reason : "they are not affine in the accelerations");
}

// ---- What they need.

// A program for matrix and force in all coordinates, speeds and t, with the model's parameters.
typedef struct {
    Program *program; // NULL where it holds more
    size_t inputs;
    double *at, *out, *work;
} Trial;

static Trial trial_new(const InquirySmall *small)
{
    const Motion *motion = small->motion;
    const Model *model = motion->model;
    size_t n = motion->n, k = small->k, params = model->params.count;
    Trial trial = {.inputs = n + k + 1};
    Expr *inputs = base_alloc(trial.inputs * sizeof *inputs), missing;
    Expr *outputs = base_alloc((k * k + k + 1) * sizeof *outputs);
    ProgramDefinition *definitions = base_alloc((params + 1) * sizeof *definitions);
    memcpy(inputs, motion->q, n * sizeof *inputs);
    for (size_t alpha = 0; alpha < k; alpha++)
        inputs[n + alpha] = motion->state.speeds[alpha].u;
    inputs[n + k] = model->t;
    bool known = true;
    for (size_t i = 0; i < params; i++) {
        definitions[i] = (ProgramDefinition){model->params.at[i].symbol, model->params.at[i].value};
        known = known && !expr_is_none(definitions[i].value);
    }
    memcpy(outputs, small->matrix, k * k * sizeof *outputs);
    memcpy(outputs + k * k, small->force, k * sizeof *outputs);
    if (known)
        trial.program = program_new_defined(motion->pool, inputs, trial.inputs, definitions, params,
                                            outputs, k * k + k, &missing);
    if (trial.program) {
        trial.at = base_alloc(trial.inputs * sizeof(double));
        trial.out = base_alloc((k * k + k + 1) * sizeof(double));
        trial.work = base_alloc((program_registers(trial.program) + 1) * sizeof(double));
    }
    base_free(inputs);
    base_free(outputs);
    base_free(definitions);
    return trial;
}

static void trial_clear(Trial *trial)
{
    program_free(trial->program);
    base_free(trial->at);
    base_free(trial->out);
    base_free(trial->work);
}

// u' at a point that is random but for one input; false where it has no values.
static bool trial_solve(Trial *trial, const InquirySmall *small, size_t input, double value,
                        double *rates)
{
    size_t k = small->k;
    Random random = random_seed(7);
    for (size_t i = 0; i < trial->inputs; i++) {
        double drawn = 0.1 + (double)random_below(&random, 1000) / 1200;
        trial->at[i] = i == input ? value : drawn;
    }
    program_run_real(trial->program, trial->at, trial->out, trial->work);
    for (size_t i = 0; i < k * k + k; i++)
        if (!isfinite(trial->out[i]))
            return false;
    memcpy(rates, trial->out + k * k, k * sizeof *rates);
    return small_least(trial->out, rates, k, k) == k;
}

// Whether numbers show already that u' depends on an input.
static bool is_seen(Trial *trial, const InquirySmall *small, size_t input)
{
    size_t k = small->k;
    double *one = base_alloc((2 * k + 1) * sizeof *one), *other = one + k, most = 0, apart = 0;
    bool solved = trial->program && trial_solve(trial, small, input, 0.3, one) &&
                  trial_solve(trial, small, input, 0.55, other);
    for (size_t i = 0; i < k && solved; i++) {
        most = fmax(most, fmax(fabs(one[i]), fabs(other[i])));
        apart = fmax(apart, fabs(one[i] - other[i]));
    }
    base_free(one);
    return solved && apart > SEEN * most;
}

// Whether u' depends on a symbol, an input of the trial: not where nothing holds it, or where
// putting another symbol in its place is proved to change nothing.
static bool speeds_need(InquirySmall *small, Trial *trial, Expr symbol, size_t input)
{
    ExprPool *pool = small->motion->pool;
    size_t k = small->k, count = k * k + k;
    Expr *other = base_alloc((count + 1) * sizeof *other);
    bool held = false;
    for (size_t i = 0; i < count && !held; i++)
        held = expr_holds(pool, i < k * k ? small->matrix[i] : small->force[i - k * k], symbol);
    if (held && !is_seen(trial, small, input)) {
        Expr aside = expr_symbol_new(pool, "aside");
        for (size_t i = 0; i < count; i++)
            other[i] = expr_replace(pool, i < k * k ? small->matrix[i] : small->force[i - k * k],
                                    &symbol, &aside, 1);
        LinearSystem here = {k, small->matrix, small->force};
        LinearSystem there = {k, other, other + k * k};
        Verdict same = algebra_same_solution_modular(small->motion->algebra, &here, &there, k);
        held = same.answer != ANSWER_YES;
        verdict_clear(&same);
    }
    base_free(other);
    return held;
}

static bool rate_needs(InquirySmall *small, Expr rate, Expr symbol)
{
    ExprPool *pool = small->motion->pool;
    if (!expr_holds(pool, rate, symbol))
        return false;
    Verdict zero = algebra_is_zero(small->motion->algebra, expr_diff(pool, rate, symbol));
    bool needs = zero.answer != ANSWER_YES;
    verdict_clear(&zero);
    return needs;
}

// Continuous states have equations of their own: those that the rates of states need are needed,
// whether a force holds them or not. A state that only sums up what others do is none of these: it
// is dropped, and then those that it alone needs.
static void add_states(InquirySmall *small)
{
    Motion *motion = small->motion;
    size_t count = motion->model->rated_count, first = motion->n - count;
    bool *kept = base_alloc((count + 1) * sizeof *kept), again = count > 0;
    for (size_t i = 0; i < count; i++)
        kept[i] = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < count; i++) {
            bool needed = !kept[i];
            for (size_t j = 0; j < count && !needed; j++)
                needed =
                    kept[j] &&
                    rate_needs(small, held(small, motion_in_speeds(motion, motion->v[first + j])),
                               motion->q[first + i]);
            again = again || !needed;
            kept[i] = kept[i] && needed;
        }
    }
    for (size_t i = 0; i < count; i++)
        small->is_needed[first + i] = small->is_needed[first + i] || kept[i];
    base_free(kept);
}

// Adds what the rates of needed coordinates depend on, until nothing more is; whether time is.
static bool close_needed(InquirySmall *small)
{
    Motion *motion = small->motion;
    bool timed = false, grown = true;
    bool *asked = base_alloc((motion->n + 1) * sizeof *asked);
    while (grown) {
        grown = false;
        for (size_t nu = 0; nu < motion->n; nu++) {
            if (!small->is_needed[nu] || asked[nu])
                continue;
            asked[nu] = grown = true;
            Expr rate = held(small, motion_in_speeds(motion, motion->v[nu]));
            timed = timed || rate_needs(small, rate, motion->model->t);
            for (size_t mu = 0; mu < motion->n; mu++)
                if (!small->is_needed[mu] && rate_needs(small, rate, motion->q[mu]))
                    small->is_needed[mu] = true;
        }
    }
    base_free(asked);
    return timed;
}

// The rank of finite conditions as equations of the coordinates that are not needed.
static ptrdiff_t rank_of_others(InquirySmall *small, const MotionRow *const *rows, size_t count)
{
    Motion *motion = small->motion;
    size_t n = motion->n;
    Expr *matrix = base_alloc((count * n + 1) * sizeof *matrix);
    for (size_t i = 0; i < count; i++)
        for (size_t nu = 0; nu < n; nu++)
            matrix[i * n + nu] = small->is_needed[nu] ? expr_int(motion->pool, 0) : rows[i]->b[nu];
    ptrdiff_t rank =
        count > 0 ? algebra_rank(motion->algebra, matrix, count, n, NULL, NULL, NULL) : 0;
    base_free(matrix);
    return rank;
}

// Finite conditions that hold both needed coordinates and others, behind those of the others alone:
// where the others can meet them all, they say nothing of the needed ones.
static bool others_meet(InquirySmall *small, const MotionRow *const *rows, size_t alone,
                        size_t count)
{
    ptrdiff_t own = rank_of_others(small, rows, alone);
    return own >= 0 && rank_of_others(small, rows, count) == own + (ptrdiff_t)(count - alone);
}

// Gathers the finite conditions between needed coordinates. False where conditions made more
// coordinates needed.
static bool gather_finite(InquirySmall *small)
{
    Motion *motion = small->motion;
    const MotionRow **rows = base_alloc((2 * motion->m + 1) * sizeof *rows);
    const MotionRow **mixed = rows + motion->m;
    size_t alone = 0, mixed_count = 0;
    small->f = 0;
    for (size_t i = 0; i < motion->m; i++) {
        const MotionRow *row = &motion->rows[i];
        if (expr_is_none(row->position))
            continue;
        bool needed = false, other = false;
        for (size_t nu = 0; nu < motion->n; nu++)
            if (expr_holds(motion->pool, row->position, motion->q[nu])) {
                needed = needed || small->is_needed[nu];
                other = other || !small->is_needed[nu];
            }
        if (needed && other)
            mixed[mixed_count++] = row;
        else if (needed)
            small->finite[small->f++] = held(small, row->position);
        else if (other)
            rows[alone++] = row;
    }
    for (size_t i = 0; i < mixed_count; i++)
        rows[alone + i] = mixed[i];
    bool settled = mixed_count == 0 || others_meet(small, rows, alone, alone + mixed_count);
    for (size_t i = 0; i < mixed_count && !settled; i++)
        for (size_t nu = 0; nu < motion->n; nu++)
            if (expr_holds(motion->pool, rows[alone + i]->position, motion->q[nu]))
                small->is_needed[nu] = true;
    base_free(rows);
    return settled;
}

static Status refuse_time(Diag *diag)
{
    return diag_error(diag, place_none(),
                      "the equations of the speeds hold the time t, so that no motion is steady: "
                      "eigenvalues say nothing about coefficients that change");
}

Status small_find_needed(InquirySmall *small, Diag *diag)
{
    Motion *motion = small->motion;
    size_t n = motion->n;
    small->is_needed = arena_alloc(small->arena, (n + 1) * sizeof(bool));
    small->needed = arena_alloc(small->arena, (n + 1) * sizeof(size_t));
    small->finite = arena_alloc(small->arena, (motion->m + 1) * sizeof(Expr));
    Trial trial = trial_new(small);
    bool timed = speeds_need(small, &trial, motion->model->t, n + small->k);
    for (size_t nu = 0; nu < n && !timed; nu++)
        small->is_needed[nu] = speeds_need(small, &trial, motion->q[nu], nu);
    trial_clear(&trial);
    if (timed)
        return refuse_time(diag);
    add_states(small);
    do {
        if (close_needed(small))
            return refuse_time(diag);
    } while (!gather_finite(small));
    for (size_t i = 0; i < small->f; i++)
        if (rate_needs(small, small->finite[i], motion->model->t))
            return refuse_time(diag);
    for (size_t nu = 0; nu < n; nu++)
        if (small->is_needed[nu])
            small->needed[small->e++] = nu;
    small->unknowns = small->e + small->k;
    small->size = small->unknowns - small->f;
    small->rates = arena_alloc(small->arena, (small->e + 1) * sizeof(Expr));
    small->y = arena_alloc(small->arena, (small->unknowns + 1) * sizeof(Expr));
    for (size_t i = 0; i < small->e; i++) {
        small->y[i] = motion->q[small->needed[i]];
        small->rates[i] = held(small, motion_in_speeds(motion, motion->v[small->needed[i]]));
    }
    for (size_t alpha = 0; alpha < small->k; alpha++)
        small->y[small->e + alpha] = motion->state.speeds[alpha].u;
    return STATUS_OK;
}

// balls.c: a program run in ball arithmetic. Arb's functions enclose, so the outputs enclose.
#include "program/balls.h"

#include "program/program_impl.h"

#include <math.h>

// At a point: of the two ways to write it the one whose exponential is small.
static void put_logistic(arb_t r, const arf_t at, slong precision)
{
    arb_t power;
    arb_init(power);
    arb_set_arf(power, at);
    arb_abs(power, power);
    arb_neg(power, power);
    arb_exp(power, power, precision);
    arb_add_ui(r, power, 1, precision);
    if (arf_sgn(at) < 0)
        arb_div(r, power, r, precision);
    else
        arb_inv(r, r, precision);
    arb_clear(power);
}

void ball_logistic(arb_t r, const arb_t a, slong precision)
{
    if (!arb_is_finite(a)) {
        arb_unit_interval(r);
        return;
    }
    arf_t low, high;
    arb_t top;
    arf_init(low), arf_init(high), arb_init(top);
    arb_get_interval_arf(low, high, a, precision);
    put_logistic(r, low, precision);
    put_logistic(top, high, precision);
    arb_union(r, r, top, precision);
    arf_clear(low), arf_clear(high), arb_clear(top);
}

// ---- Tables.

// No piece: below and above a table that ends.
#define BRANCH_BELOW (INT64_MIN + 1)
#define BRANCH_ABOVE INT64_MAX

static int64_t branch_of(const ExprTable *table, double u)
{
    double piece = expr_table_piece(table, u);
    if (isnan(piece))
        return u < table->numbers.knots[0] ? BRANCH_BELOW : BRANCH_ABOVE;
    return (int64_t)piece + (piece >= 0);
}

// Where the branch of u ends.
static double branch_end(const ExprTable *table, double u)
{
    double piece = expr_table_piece(table, u);
    if (isnan(piece))
        return u < table->numbers.knots[0] ? table->numbers.knots[0] : INFINITY;
    return expr_table_end(table, piece);
}

void ball_table_branches(const ExprTables *tables, const arb_t u, const arb_t number,
                         int64_t *first, int64_t *last)
{
    const ExprTable *table =
        expr_table_at(tables, (size_t)arf_get_d(arb_midref(number), ARF_RND_NEAR));
    *first = *last = 0;
    if (!arb_is_finite(u))
        return;
    arf_t low, high;
    arf_init(low), arf_init(high);
    arb_get_interval_arf(low, high, u, ARF_PREC_EXACT);
    // No knot lies between a number and the double below it.
    double lowest = arf_get_d(low, ARF_RND_FLOOR), end = branch_end(table, lowest);
    *first = *last = branch_of(table, lowest);
    int past = arf_cmp_d(high, end);
    if (past > 0 || (past == 0 && branch_of(table, end) != *first))
        *last = branch_of(table, arf_get_d(high, ARF_RND_CEIL));
    // It may end where a table does, without another piece behind.
    if (past > 0 && *last == *first)
        *last = BRANCH_ABOVE;
    arf_clear(low), arf_clear(high);
}

int64_t ball_table_branch(const ExprTables *tables, const arb_t u, const arb_t number)
{
    int64_t first, last;
    ball_table_branches(tables, u, number, &first, &last);
    return first == last ? first : 0;
}

void ball_branch_piece(arb_t r, int64_t branch)
{
    if (branch == BRANCH_BELOW || branch == BRANCH_ABOVE)
        arb_indeterminate(r);
    else
        arb_set_si(r, (slong)(branch - (branch > 0)));
}

static void ball_piece(arb_t r, const ExprTables *tables, const arb_t u, const arb_t number)
{
    int64_t branch = ball_table_branch(tables, u, number);
    if (branch == 0)
        arb_indeterminate(r);
    else
        ball_branch_piece(r, branch);
}

void ball_column(arb_t r, const ExprTables *tables, const arb_t piece, const arb_t number)
{
    if (!arb_is_exact(piece)) {
        arb_indeterminate(r);
        return;
    }
    double value = expr_tables_column(tables, arf_get_d(arb_midref(piece), ARF_RND_NEAR),
                                      arf_get_d(arb_midref(number), ARF_RND_NEAR));
    arb_set_d(r, value);
}

// One instruction; `r` may be the same ball as an operand.
static void run_one(const Instruction *at, const ExprTables *tables, slong precision, arb_ptr work,
                    arb_ptr t)
{
    arb_ptr r = work + at->result;
    arb_srcptr a = work + at->a, b = work + at->b, c = work + at->c;
    switch ((ProgramOp)at->op) {
#define INSTRUCTION(NAME, operands, real_value, field_value, put, ...)                             \
    case PROGRAM_##NAME:                                                                           \
        put;                                                                                       \
        break;
#include "program/instructions.def"
#undef INSTRUCTION
#define OP(NAME, word, arity, real_value, put, ...)                                                \
    case PROGRAM_CALL_##NAME:                                                                      \
        put;                                                                                       \
        break;
#include "expr/ops.def"
#undef OP
    }
}

void program_run_ball(const Program *program, slong precision, arb_srcptr inputs, arb_ptr outputs)
{
    slong count = (slong)program->register_count;
    arb_ptr work = _arb_vec_init(count);
    arb_t t;
    arb_init(t);
    for (size_t i = 0; i < program->constant_count; i++) {
        if ((ptrdiff_t)i == program->pi_at)
            arb_const_pi(work + i, precision);
        else
            arb_set_fmpq(work + i, program->exact + i, precision);
    }
    for (size_t i = 0; i < program->input_count; i++)
        arb_set(work + program->constant_count + i, inputs + i);
    for (size_t i = 0; i < program->code_count; i++)
        run_one(program->code + i, program->tables, precision, work, t);
    for (size_t i = 0; i < program->output_count; i++)
        arb_set(outputs + i, work + program->outputs[i]);
    arb_clear(t);
    _arb_vec_clear(work, count);
}

bool program_excludes_zero(const Program *program, const double *inputs, long precision)
{
    slong input_count = (slong)program->input_count, count = (slong)program->output_count;
    arb_ptr points = _arb_vec_init(input_count + 1), values = _arb_vec_init(count + 1);
    for (slong i = 0; i < input_count; i++)
        arb_set_d(points + i, inputs[i]);
    program_run_ball(program, precision, points, values);
    bool excluded = true;
    for (slong i = 0; i < count && excluded; i++)
        excluded = !arb_contains_zero(values + i);
    _arb_vec_clear(points, input_count + 1);
    _arb_vec_clear(values, count + 1);
    return excluded;
}

bool program_is_defined(const Program *program, const double *inputs, long precision)
{
    slong input_count = (slong)program->input_count, count = (slong)program->output_count;
    arb_ptr points = _arb_vec_init(input_count + 1), values = _arb_vec_init(count + 1);
    for (slong i = 0; i < input_count; i++)
        arb_set_d(points + i, inputs[i]);
    program_run_ball(program, precision, points, values);
    bool defined = true;
    for (slong i = 0; i < count && defined; i++)
        defined = arb_is_finite(values + i);
    _arb_vec_clear(points, input_count + 1);
    _arb_vec_clear(values, count + 1);
    return defined;
}

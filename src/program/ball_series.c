// ball_series.c: a program run in power series of balls, all orders of an instruction at once.
//
// The recurrences are those of series_rows.h. Two functions have other helpers there: tan and tanh
// take 1/cos² and 1/cosh² as they are and not as 1 ± r², so that tanh far from 0 is flat to the
// last digit and not to the width of a ball about 1.
#include "program/ball_series.h"

#include "program/program_impl.h"

#include <assert.h>

enum { HELPERS = 3 };

// One instruction: the rows it reads, the row it writes, and rows to work in.
typedef struct {
    arb_ptr r;
    arb_srcptr a, b, c;
    arb_ptr x[HELPERS];
    slong length, precision;
    const ExprTables *tables;
} Rows;

// ---- Sums of products.

// sum = Σ a_i·b_{k−i} for first ≤ i ≤ last.
static void convolve(const Rows *rows, arb_t sum, arb_srcptr a, arb_srcptr b, slong first,
                     slong last, slong k)
{
    if (first > last)
        arb_zero(sum);
    else
        arb_dot(sum, NULL, 0, a + first, 1, b + k - first, -1, last - first + 1, rows->precision);
}

// d_i = i·a_i.
static void take_rates(const Rows *rows, arb_ptr d, arb_srcptr a)
{
    for (slong i = 0; i < rows->length; i++)
        arb_mul_si(d + i, a + i, i, rows->precision);
}

static void put_product(const Rows *rows, arb_ptr r, arb_srcptr a, arb_srcptr b)
{
    for (slong k = 0; k < rows->length; k++)
        convolve(rows, r + k, a, b, 0, k, k);
    // A square is never negative.
    if (a == b)
        arb_nonnegative_part(r, r);
}

// r = a·b ± c, or c − a·b.
static void put_with_product(const Rows *rows, int product_sign, int sign)
{
    put_product(rows, rows->r, rows->a, rows->b);
    if (product_sign < 0)
        _arb_vec_neg(rows->r, rows->r, rows->length);
    if (sign > 0)
        _arb_vec_add(rows->r, rows->r, rows->c, rows->length, rows->precision);
    else
        _arb_vec_sub(rows->r, rows->r, rows->c, rows->length, rows->precision);
}

// r·b = a.
static void put_quotient(const Rows *rows, arb_ptr r, arb_srcptr a, arb_srcptr b)
{
    for (slong k = 0; k < rows->length; k++) {
        convolve(rows, r + k, b, r, 1, k, k);
        arb_sub(r + k, a + k, r + k, rows->precision);
        arb_div(r + k, r + k, b, rows->precision);
    }
}

// r² = a. What lies below 0 in a ball about 0 is no value of a, but the width of the ball.
static void put_root(const Rows *rows, arb_ptr r, arb_srcptr a)
{
    if (arb_contains_zero(a))
        arb_sqrtpos(r, a, rows->precision);
    else
        arb_sqrt(r, a, rows->precision);
    for (slong k = 1; k < rows->length; k++) {
        convolve(rows, r + k, r, r, 1, k - 1, k);
        arb_sub(r + k, a + k, r + k, rows->precision);
        arb_div(r + k, r + k, r, rows->precision);
        arb_mul_2exp_si(r + k, r + k, -1);
    }
}

// ---- Functions. d holds the rates of the argument.

// r' = a'·f, coefficient k.
static void integrate(const Rows *rows, arb_t r, arb_srcptr d, arb_srcptr f, slong k)
{
    convolve(rows, r, d, f, 1, k, k);
    arb_div_si(r, r, k, rows->precision);
}

static void put_exponential(const Rows *rows, arb_ptr r, arb_srcptr a)
{
    arb_ptr d = rows->x[2];
    take_rates(rows, d, a);
    arb_exp(r, a, rows->precision);
    for (slong k = 1; k < rows->length; k++)
        integrate(rows, r + k, d, r, k);
}

// r'·f = d, whose coefficient 0 is known; e_i = i·r_i.
static void put_integral_of_quotient(const Rows *rows, arb_ptr r, arb_srcptr d, arb_srcptr f,
                                     arb_ptr e)
{
    for (slong k = 1; k < rows->length; k++) {
        convolve(rows, e + k, e, f, 1, k - 1, k);
        arb_sub(e + k, d + k, e + k, rows->precision);
        arb_div(e + k, e + k, f, rows->precision);
        arb_div_si(r + k, e + k, k, rows->precision);
    }
}

static void put_logarithm(const Rows *rows, arb_ptr r, arb_srcptr a)
{
    take_rates(rows, rows->x[2], a);
    arb_log(r, a, rows->precision);
    put_integral_of_quotient(rows, r, rows->x[2], a, rows->x[1]);
}

// Both at once: other' = ±r·a', r' = other·a'.
static void put_pair(const Rows *rows, arb_ptr r, arb_ptr other, bool hyperbolic)
{
    arb_ptr d = rows->x[2];
    take_rates(rows, d, rows->a);
    if (hyperbolic)
        arb_sinh_cosh(r, other, rows->a, rows->precision);
    else
        arb_sin_cos(r, other, rows->a, rows->precision);
    for (slong k = 1; k < rows->length; k++) {
        integrate(rows, r + k, d, other, k);
        integrate(rows, other + k, d, r, k);
        if (!hyperbolic)
            arb_neg(other + k, other + k);
    }
}

// r' = x·a', x' = ±2·r·r': x is 1/cos² or 1/cosh².
static void put_tangent(const Rows *rows, bool hyperbolic)
{
    arb_ptr r = rows->r, x = rows->x[0], d = rows->x[2];
    take_rates(rows, d, rows->a);
    if (hyperbolic) {
        arb_tanh(r, rows->a, rows->precision);
        arb_sech(x, rows->a, rows->precision);
    } else {
        arb_tan(r, rows->a, rows->precision);
        arb_sec(x, rows->a, rows->precision);
    }
    arb_sqr(x, x, rows->precision);
    for (slong k = 1; k < rows->length; k++) {
        integrate(rows, r + k, d, x, k);
        convolve(rows, x + k, r, r, 0, k, k);
        if (hyperbolic)
            arb_neg(x + k, x + k);
    }
}

// r' = a'·x, x = r·m, m = 1 − r: both r and m are small where they are.
static void put_logistic(const Rows *rows)
{
    arb_ptr r = rows->r, m = rows->x[0], x = rows->x[1], d = rows->x[2];
    take_rates(rows, d, rows->a);
    arb_neg(m, rows->a);
    ball_logistic(m, m, rows->precision);
    ball_logistic(r, rows->a, rows->precision);
    arb_mul(x, r, m, rows->precision);
    for (slong k = 1; k < rows->length; k++) {
        integrate(rows, r + k, d, x, k);
        arb_neg(m + k, r + k);
        convolve(rows, x + k, r, m, 0, k, k);
    }
}

// r'·x = ±a', x² = 1 − a².
static void put_arc(const Rows *rows, bool cosine)
{
    arb_ptr x = rows->x[0], d = rows->x[1];
    put_product(rows, d, rows->a, rows->a);
    _arb_vec_neg(d, d, rows->length);
    arb_add_si(d, d, 1, rows->precision);
    put_root(rows, x, d);
    take_rates(rows, d, rows->a);
    if (cosine) {
        _arb_vec_neg(d, d, rows->length);
        arb_acos(rows->r, rows->a, rows->precision);
    } else {
        arb_asin(rows->r, rows->a, rows->precision);
    }
    put_integral_of_quotient(rows, rows->r, d, x, rows->x[2]);
}

// r'·x = a', x = 1 + a².
static void put_arc_tangent(const Rows *rows)
{
    arb_ptr x = rows->x[0], d = rows->x[1];
    put_product(rows, x, rows->a, rows->a);
    arb_add_si(x, x, 1, rows->precision);
    take_rates(rows, d, rows->a);
    arb_atan(rows->r, rows->a, rows->precision);
    put_integral_of_quotient(rows, rows->r, d, x, rows->x[2]);
}

// r'·x = a'·b − a·b', x = a² + b².
static void put_angle(const Rows *rows)
{
    arb_ptr r = rows->r, x = rows->x[0], d = rows->x[1], rates = rows->x[2];
    take_rates(rows, rates, rows->a);
    put_product(rows, d, rates, rows->b);
    take_rates(rows, rates, rows->b);
    put_product(rows, x, rates, rows->a);
    _arb_vec_sub(d, d, x, rows->length, rows->precision);
    put_product(rows, x, rows->a, rows->a);
    put_product(rows, rates, rows->b, rows->b);
    _arb_vec_add(x, x, rates, rows->length, rows->precision);
    arb_atan2(r, rows->a, rows->b, rows->precision);
    put_integral_of_quotient(rows, r, d, x, rates);
}

// Of a constant exponent p: k·a₀·r_k = Σ (p·i − (k − i))·a_i·r_{k−i}.
static void put_constant_power(const Rows *rows)
{
    arb_ptr r = rows->r, factor = rows->x[0], term = rows->x[1];
    arb_pow(r, rows->a, rows->b, rows->precision);
    for (slong k = 1; k < rows->length; k++) {
        for (slong i = 1; i <= k; i++) {
            arb_mul_si(factor, rows->b, i, rows->precision);
            arb_sub_si(factor, factor, k - i, rows->precision);
            arb_mul(term + i, factor, rows->a + i, rows->precision);
        }
        convolve(rows, r + k, term, r, 1, k, k);
        arb_div(r + k, r + k, rows->a, rows->precision);
        arb_div_si(r + k, r + k, k, rows->precision);
    }
}

static bool is_constant(const Rows *rows, arb_srcptr row)
{
    for (slong k = 1; k < rows->length; k++)
        if (!arb_is_zero(row + k))
            return false;
    return true;
}

static void put_power(const Rows *rows)
{
    if (is_constant(rows, rows->b)) {
        put_constant_power(rows);
        return;
    }
    put_logarithm(rows, rows->r, rows->a);
    put_product(rows, rows->x[0], rows->r, rows->b);
    put_exponential(rows, rows->r, rows->x[0]);
}

// ---- Branches.

static void set_row(const Rows *rows, arb_srcptr from)
{
    _arb_vec_set(rows->r, from, rows->length);
}

static void put_branch(const Rows *rows, uint32_t op, int sign)
{
    switch (op) {
    case PROGRAM_CALL_ABS:
        set_row(rows, rows->a);
        if (sign < 0)
            _arb_vec_neg(rows->r, rows->r, rows->length);
        break;
    case PROGRAM_CALL_SIGN:
        _arb_vec_zero(rows->r, rows->length);
        arb_set_si(rows->r, sign);
        break;
    case PROGRAM_CALL_MIN: set_row(rows, sign < 0 ? rows->a : rows->b); break;
    default: set_row(rows, sign > 0 ? rows->a : rows->b); break;
    }
}

// The piece of a table; the slope of its argument tells whether this passes each knot once.
static void put_piece(const Rows *rows, ProgramBallBranches *branches, size_t which)
{
    int64_t *branch = branches->signs + which;
    if (*branch == 0)
        *branch = ball_table_branch(rows->tables, rows->a, rows->b);
    _arb_vec_zero(rows->r, rows->length);
    if (*branch != 0) {
        ball_branch_piece(rows->r, *branch);
        return;
    }
    _arb_vec_indeterminate(rows->r, rows->length);
    if (branches->unknown < 0) {
        branches->unknown = (ptrdiff_t)which;
        ball_table_branches(rows->tables, rows->a, rows->b, &branches->first, &branches->last);
        _arb_vec_set(branches->difference, rows->a, rows->length);
    }
}

// A number of a piece that is known.
static void put_column(const Rows *rows)
{
    _arb_vec_zero(rows->r, rows->length);
    ball_column(rows->r, rows->tables, rows->a, rows->b);
}

// The branch of switch number `which`; where it is not known, all that depends on it is not.
static void put_switch(const Rows *rows, uint32_t op, ProgramBallBranches *branches, size_t which)
{
    int64_t *sign = branches->signs + which;
    if (op == PROGRAM_PIECE) {
        put_piece(rows, branches, which);
        return;
    }
    bool two = op == PROGRAM_CALL_MIN || op == PROGRAM_CALL_MAX;
    arb_ptr difference = rows->x[0];
    _arb_vec_set(difference, rows->a, rows->length);
    if (two)
        _arb_vec_sub(difference, rows->a, rows->b, rows->length, rows->precision);
    if (*sign == 0 && arb_is_positive(difference))
        *sign = 1;
    if (*sign == 0 && arb_is_negative(difference))
        *sign = -1;
    if (*sign != 0) {
        put_branch(rows, op, (int)*sign);
        return;
    }
    if (branches->unknown < 0) {
        branches->unknown = (ptrdiff_t)which;
        _arb_vec_set(branches->difference, difference, rows->length);
    }
    _arb_vec_indeterminate(rows->r, rows->length);
    if (op == PROGRAM_CALL_ABS)
        arb_abs(rows->r, rows->a);
    else if (two)
        (op == PROGRAM_CALL_MIN ? arb_min : arb_max)(rows->r, rows->a, rows->b, rows->precision);
    else
        arb_zero_pm_one(rows->r);
}

// ---- Running.

static void put_function(const Rows *rows, uint32_t op)
{
    switch (op) {
    case PROGRAM_ADD: _arb_vec_add(rows->r, rows->a, rows->b, rows->length, rows->precision); break;
    case PROGRAM_SUB: _arb_vec_sub(rows->r, rows->a, rows->b, rows->length, rows->precision); break;
    case PROGRAM_MUL: put_product(rows, rows->r, rows->a, rows->b); break;
    case PROGRAM_DIV: put_quotient(rows, rows->r, rows->a, rows->b); break;
    case PROGRAM_NEG: _arb_vec_neg(rows->r, rows->a, rows->length); break;
    case PROGRAM_SQRT: put_root(rows, rows->r, rows->a); break;
    case PROGRAM_MUL_ADD: put_with_product(rows, 1, 1); break;
    case PROGRAM_MUL_SUB: put_with_product(rows, 1, -1); break;
    case PROGRAM_SUB_MUL: put_with_product(rows, -1, 1); break;
    case PROGRAM_CALL_POW: put_power(rows); break;
    case PROGRAM_CALL_SIN: put_pair(rows, rows->r, rows->x[0], false); break;
    case PROGRAM_CALL_COS: put_pair(rows, rows->x[0], rows->r, false); break;
    case PROGRAM_CALL_TAN: put_tangent(rows, false); break;
    case PROGRAM_CALL_ASIN: put_arc(rows, false); break;
    case PROGRAM_CALL_ACOS: put_arc(rows, true); break;
    case PROGRAM_CALL_ATAN: put_arc_tangent(rows); break;
    case PROGRAM_CALL_ATAN2: put_angle(rows); break;
    case PROGRAM_CALL_SINH: put_pair(rows, rows->r, rows->x[0], true); break;
    case PROGRAM_CALL_COSH: put_pair(rows, rows->x[0], rows->r, true); break;
    case PROGRAM_CALL_TANH: put_tangent(rows, true); break;
    case PROGRAM_CALL_LOGISTIC: put_logistic(rows); break;
    case PROGRAM_CALL_EXP: put_exponential(rows, rows->r, rows->a); break;
    case PROGRAM_COLUMN: put_column(rows); break;
    case PROGRAM_CALL_LOG: put_logarithm(rows, rows->r, rows->a); break;
    default: _arb_vec_indeterminate(rows->r, rows->length); break;
    }
}

// What is constant stays so, whatever the function does elsewhere.
static void cut_constant(const Rows *rows, int operands)
{
    if ((operands < 1 || is_constant(rows, rows->a)) &&
        (operands < 2 || is_constant(rows, rows->b)) &&
        (operands < 3 || is_constant(rows, rows->c)))
        _arb_vec_zero(rows->r + 1, rows->length - 1);
}

static void set_inputs(const Program *program, slong precision, slong length, arb_srcptr inputs,
                       size_t moving, arb_ptr work)
{
    for (size_t i = 0; i < program->constant_count; i++) {
        arb_ptr constant = work + (slong)i * length;
        if ((ptrdiff_t)i == program->pi_at)
            arb_const_pi(constant, precision);
        else
            arb_set_fmpq(constant, program->exact + i, precision);
    }
    arb_ptr first = work + (slong)program->constant_count * length;
    size_t constant = program->input_count - moving;
    for (size_t i = 0; i < constant; i++)
        arb_set(first + (slong)i * length, inputs + i);
    _arb_vec_set(first + (slong)constant * length, inputs + constant, (slong)moving * length);
}

static void run_code(const Program *program, arb_ptr work, Rows *rows,
                     ProgramBallBranches *branches)
{
    slong length = rows->length;
    for (size_t i = 0, which = 0; i < program->code_count; i++) {
        const Instruction *at = program->code + i;
        rows->a = work + at->a * length;
        rows->b = work + at->b * length;
        rows->c = work + at->c * length;
        if (program_is_switch(at->op))
            put_switch(rows, at->op, branches, which++);
        else
            put_function(rows, at->op);
        cut_constant(rows, program_operands(at->op));
        // The result may stand where an operand stood.
        for (slong k = 0; k < length; k++)
            arb_swap(work + at->result * length + k, rows->r + k);
    }
}

void program_run_ball_series(const Program *program, slong precision, slong length,
                             arb_srcptr inputs, size_t moving, ProgramBallBranches *branches,
                             arb_ptr outputs)
{
    assert(program && length > 0 && moving <= program->input_count);
    slong count = ((slong)program->register_count + 1 + HELPERS) * length;
    arb_ptr work = _arb_vec_init(count);
    Rows rows = {.length = length, .precision = precision, .tables = program->tables};
    rows.r = work + (slong)program->register_count * length;
    for (slong i = 0; i < HELPERS; i++)
        rows.x[i] = rows.r + (1 + i) * length;
    set_inputs(program, precision, length, inputs, moving, work);
    branches->unknown = -1;
    branches->first = branches->last = 0;
    run_code(program, work, &rows, branches);
    for (size_t i = 0; i < program->output_count; i++)
        _arb_vec_set(outputs + (slong)i * length, work + program->outputs[i] * length, length);
    _arb_vec_clear(work, count);
}

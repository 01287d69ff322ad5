// small_motions.c: the linearized equations of a steady motion, written out as a source does
// (Hamel 244): A·θ″ − B·ψ′ = 0.
#include "show/pretty_impl.h"
#include "show/show_impl.h"
#include "show/stability_impl.h"

enum { MOST_SPEEDS = 4 };

// Coefficients of one equation, and what they multiply: u', u and q.
typedef struct {
    Expr *at, *of;
    size_t count;
} Terms;

static void add_term(const ExprPool *pool, Terms *terms, Expr coefficient, Expr of)
{
    terms->at[terms->count] = coefficient;
    terms->of[terms->count] = of;
    terms->count += !expr_is_zero(pool, coefficient);
}

static void collect(const Show *show, const ShowStability *stability, size_t row, Terms *terms)
{
    const Motion *motion = show->motion;
    const InquiryLinear *linear = stability->linear;
    size_t k = linear->speeds, free = linear->coordinates;
    terms->count = 0;
    for (size_t j = 0; j < k; j++)
        add_term(motion->pool, terms, stability->form.M[row * k + j], motion->state.speeds[j].rate);
    for (size_t j = 0; j < k; j++)
        add_term(motion->pool, terms, stability->form.C[row * k + j], motion->state.speeds[j].u);
    for (size_t j = 0; j < free; j++)
        add_term(motion->pool, terms, stability->form.K[row * free + j],
                 expr_symbol(motion->pool, linear->variables[j]));
}

// Whether a variable stands for its steady value and for its deviation in one equation.
static bool is_ambiguous(const Show *show, const Terms *terms)
{
    for (size_t j = 0; j < terms->count; j++)
        for (size_t i = 0; i < terms->count; i++)
            if (expr_holds(show->pool, terms->at[i], terms->of[j]))
                return true;
    return false;
}

static Expr sum_of(const Show *show, const Terms *terms)
{
    ExprPool *pool = show->motion->pool;
    Expr sum = expr_int(pool, 0);
    for (size_t j = 0; j < terms->count; j++)
        sum = expr_add(pool, sum, expr_mul(pool, terms->at[j], terms->of[j]));
    return sum;
}

void show_small_motions(const Show *show, const ShowStability *stability, Text *out)
{
    size_t k = stability->linear->speeds;
    if (!stability->form.known || k > MOST_SPEEDS || stability->linear->inputs > 0)
        return;
    Expr *room = base_alloc(2 * (2 * k + stability->linear->coordinates + 1) * sizeof *room);
    Terms terms = {room, room + 2 * k + stability->linear->coordinates + 1, 0};
    bool good = true;
    for (size_t row = 0; row < k && good; row++) {
        collect(show, stability, row, &terms);
        good = !is_ambiguous(show, &terms) && show_is_readable(show, sum_of(show, &terms));
    }
    if (good)
        text_add(out, "written out, each variable for its deviation\n");
    for (size_t row = 0; row < k && good; row++) {
        collect(show, stability, row, &terms);
        text_add(out, "  ");
        show_collected(show, sum_of(show, &terms), terms.of, terms.count, out);
        text_add(out, " = 0\n");
    }
    base_free(room);
}

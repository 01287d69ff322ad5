// print_flow_sums.c: sums over all orders, Σ a_i·b_{k−i}, as C text.
//
// At the beginning of a block all terms whose factors are both known are swept up for its four
// orders at once: four neighbours of b times one a_i, with no sum across a vector. Several sums go
// together, so that what they share is loaded once and none waits for its own last term; the newest
// coefficients come last, so that no vector is read right after its parts were written. Inside the
// block a new coefficient is multiplied with the low ones of its partner: for the order at hand
// alone, and for the later orders of the block together.
#include "program/flow_impl.h"

// Within a block of words of its own, the orders whose new coefficients are shared as a vector: a
// vector for the last order alone would gain nothing.
enum { SHARED_ORDERS = 2 };

// ---- The order at hand.

// A product of two coefficients, one new and one old where this is not the first block.
typedef struct {
    uint32_t fresh;
    unsigned i;
    uint32_t old;
    unsigned j;
    bool twice;
} Term;

static void print_term(const FlowPrinter *p, const Term *term)
{
    // Twice the old one is there before the new one is.
    text_add(p->out, "FMA(");
    flow_print_new(p, term->fresh, term->i);
    text_add(p->out, term->twice ? ", 2.0 * " : ", ");
    if (p->phase == FLOW_FIRST)
        flow_print_new(p, term->old, term->j);
    else
        text_addf(p->out, "R%u[%u]", term->old, term->j);
    text_add(p->out, ", ");
}

// The terms that no order of the block has given before, the newest last, so that the others are
// summed before these are known.
static size_t find_terms(const FlowPrinter *p, uint32_t left, uint32_t right, int ends, Term *terms)
{
    size_t count = 0;
    const FlowValue *values = p->flow->values.at;
    uint32_t first = flow_row_of(p->flow, left), second = flow_row_of(p->flow, right);
    for (unsigned i = p->order < SHARED_ORDERS ? p->order : SHARED_ORDERS; i < p->order; i++) {
        unsigned j = p->order - i;
        terms[count++] = (Term){first, i, second, j, first == second};
        if (first != second)
            terms[count++] = (Term){second, i, first, j, false};
    }
    if (ends > 1)
        terms[count++] = (Term){left, p->order, values[right].whole, 0, left == right};
    if (left != right && ends > 2)
        terms[count++] = (Term){right, p->order, values[left].whole, 0, false};
    return count;
}

// What the sum begins with: that of the sweep, or of the first block the products of two new ones.
static void print_start(const FlowPrinter *p, uint32_t left, uint32_t right, uint32_t sum)
{
    if (p->phase == FLOW_FIRST && p->order == 2) {
        flow_print_new(p, flow_row_of(p->flow, left), 1);
        text_add(p->out, " * ");
        flow_print_new(p, flow_row_of(p->flow, right), 1);
    } else if (p->phase == FLOW_FIRST)
        text_add(p->out, "0.0");
    else if (p->phase == FLOW_ANY)
        text_addf(p->out, "A[%u + 4 * J]", p->lanes->slots[sum]);
    else
        text_addf(p->out, "A[%u][%u]", sum, p->order);
}

void flow_print_sum(const FlowPrinter *p, const FlowStep *step, int which)
{
    uint32_t left = 0, right = 0;
    Term terms[2 * FLOW_BLOCK];
    flow_factors(step, which, &left, &right);
    size_t count = find_terms(p, left, right, flow_ends(step), terms);
    for (size_t i = count; i-- > 0;)
        print_term(p, terms + i);
    print_start(p, left, right, step->sum + (uint32_t)which);
    for (size_t i = 0; i < count; i++)
        text_add(p->out, ")");
}

// ---- What it gives to the later ones.

static void print_share(const FlowPrinter *p, const char *factor, uint32_t fresh, uint32_t old)
{
    text_addf(p->out, "FMA4(ALL(%s", factor);
    flow_print_now(p, fresh);
    text_addf(p->out, "), AT(R%u - %u), ", old, p->order);
}

void flow_print_share(const FlowPrinter *p, const FlowStep *step)
{
    uint32_t left, right;
    if (p->phase != FLOW_LATER || p->order >= SHARED_ORDERS)
        return;
    for (int which = 0; flow_factors(step, which, &left, &right); which++) {
        unsigned sum = step->sum + (unsigned)which;
        if (p->flow->sums.at[sum].last != step->r)
            continue;
        left = flow_row_of(p->flow, left);
        right = flow_row_of(p->flow, right);
        text_addf(p->out, "    A[%u] = ", sum);
        if (left != right)
            print_share(p, "", right, left);
        print_share(p, left == right ? "2.0 * " : "", left, right);
        text_addf(p->out, "A[%u])", sum);
        text_add(p->out, left == right ? ";\n" : ");\n");
    }
}

// ---- The beginning of a block.

// Whether a value is one of the factors of these sums of a group.
static bool is_loaded(const Flow *flow, size_t begin, size_t end, uint32_t value, bool right)
{
    for (size_t i = begin; i < end; i++) {
        const FlowSum *sum = flow->sums.at + flow->sweeps.at[i];
        if ((right ? sum->right : sum->left) == value)
            return true;
    }
    return false;
}

// Four neighbours of the right factor.
static void print_load(const FlowPrinter *p, uint32_t value, bool again)
{
    text_addf(p->out, "            Four b%u = AT(R%u + K - i);\n", value, value);
    if (again)
        text_addf(p->out, "            ONCE(b%u);\n", value);
}

static void print_group(const FlowPrinter *p, size_t begin, size_t end)
{
    const Flow *flow = p->flow;
    text_add(p->out, "    {\n");
    for (size_t i = begin; i < end; i++)
        text_addf(p->out, "        Four s%u = ALL(0.0);\n", flow->sweeps.at[i]);
    text_add(p->out, "        for (long i = K - 1; i > 0; i--) {\n");
    for (size_t i = begin; i < end; i++) {
        const FlowSum *sum = flow->sums.at + flow->sweeps.at[i];
        if (!is_loaded(flow, begin, i, sum->left, false))
            text_addf(p->out, "            const Four a%u = ALL(R%u[i]);\n", sum->left, sum->left);
        if (!is_loaded(flow, begin, i, sum->right, true))
            print_load(p, sum->right, is_loaded(flow, i + 1, end, sum->right, true));
        text_addf(p->out, "            s%u = FMA4(a%u, b%u, s%u);\n", flow->sweeps.at[i], sum->left,
                  sum->right, flow->sweeps.at[i]);
    }
    text_add(p->out, "        }\n");
    for (size_t i = begin; i < end; i++)
        text_addf(p->out, "        A[%u] = s%u;\n", flow->sweeps.at[i], flow->sweeps.at[i]);
    text_add(p->out, "    }\n");
}

// In as few groups as can be, of equal sizes.
static void print_groups(const FlowPrinter *p, size_t most)
{
    size_t count = p->flow->sweeps.count, groups = (count + most - 1) / most;
    for (size_t i = 0; i < groups; i++)
        print_group(p, i * count / groups, (i + 1) * count / groups);
}

void flow_print_sweeps(const FlowPrinter *p)
{
    const Flow *flow = p->flow;
    if (p->phase == FLOW_ANY) {
        text_add(p->out, "    sweep_all(K, work);\n");
        return;
    }
    // Rows are 0 beyond the block's beginning while they are swept.
    for (size_t i = 0; i < flow->values.count; i++)
        if (flow->values.at[i].swept)
            text_addf(p->out, "    *(Four *)(R%zu + K) = ALL(0.0);\n", i);
    if (flow->sweeps.count <= FLOW_FEW_SWEEPS) {
        print_groups(p, FLOW_FEW_SWEEPS);
        return;
    }
    text_add(p->out, "#ifdef __AVX512VL__\n");
    print_groups(p, FLOW_SWEEPS);
    text_add(p->out, "#else\n");
    print_groups(p, FLOW_FEW_SWEEPS);
    text_add(p->out, "#endif\n");
}

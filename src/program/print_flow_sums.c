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

// + a_i·b_j, one new and one old where this is not the first block.
static void print_term(const FlowPrinter *p, uint32_t a, unsigned i, uint32_t b, unsigned j)
{
    text_add(p->out, " + ");
    flow_print_new(p, a, i);
    text_add(p->out, " * ");
    if (p->phase == FLOW_BEGIN || p->phase == FLOW_FIRST)
        flow_print_new(p, b, j);
    else
        text_addf(p->out, "R%u[%u]", b, j);
}

static void print_all_terms(const FlowPrinter *p, uint32_t a, uint32_t b, bool first, bool last)
{
    unsigned k = p->order;
    text_add(p->out, "0.0");
    for (unsigned i = first ? 0 : 1; i + (last ? 0 : 1) <= k; i++)
        print_term(p, a, i, b, k - i);
}

// Whether the block's order i has told this one what it gives.
static bool is_shared(const FlowPrinter *p, unsigned i)
{
    return i < p->order && i < SHARED_ORDERS;
}

// The newest terms stand last, so that the others are summed before these are known.
static void print_new_terms(const FlowPrinter *p, uint32_t a, uint32_t b, bool first, bool last)
{
    for (unsigned i = 0; i <= p->order; i++) {
        if (is_shared(p, i))
            continue;
        if (i < p->order || last)
            print_term(p, a, i, b, p->order - i);
        if (i < p->order || first)
            print_term(p, b, i, a, p->order - i);
    }
}

// The same for a², ends included or not.
static void print_new_squares(const FlowPrinter *p, uint32_t a, bool ends)
{
    text_add(p->out, " + 2.0 * (0.0");
    for (unsigned i = 0; i + (ends ? 0 : 1) <= p->order; i++)
        if (!is_shared(p, i))
            print_term(p, a, i, a, p->order - i);
    text_add(p->out, ")");
}

void flow_print_sum(const FlowPrinter *p, const FlowStep *step, int which, bool first, bool last)
{
    uint32_t left = 0, right = 0;
    flow_factors(step, which, &left, &right);
    text_add(p->out, "(");
    if (p->phase == FLOW_BEGIN || p->phase == FLOW_FIRST) {
        print_all_terms(p, left, right, first, last);
    } else {
        text_addf(p->out, "A[%u]", p->sums[step->r] + (unsigned)which);
        text_addf(p->out, p->phase == FLOW_ANY ? "[J]" : "[%u]", p->order);
        if (left == right)
            print_new_squares(p, left, first);
        else
            print_new_terms(p, left, right, first, last);
    }
    text_add(p->out, ")");
}

// ---- What it gives to the later ones.

static void print_share(const FlowPrinter *p, const char *factor, uint32_t fresh, uint32_t old)
{
    text_addf(p->out, " + ALL(%s", factor);
    flow_print_now(p, fresh);
    if (p->phase == FLOW_ANY)
        text_addf(p->out, ") * AT(R%u + 1)", old);
    else
        text_addf(p->out, ") * AT(R%u - %u)", old, p->order);
}

void flow_print_share(const FlowPrinter *p, const FlowStep *step)
{
    uint32_t left, right;
    if (p->phase == FLOW_BEGIN || p->phase == FLOW_FIRST || p->order >= SHARED_ORDERS)
        return;
    for (int which = 0; flow_factors(step, which, &left, &right); which++) {
        unsigned sum = p->sums[step->r] + (unsigned)which;
        if (p->phase == FLOW_ANY)
            text_addf(p->out, "    *(Four *)(A[%u] + J + 1) = AT(A[%u] + J + 1)", sum, sum);
        else
            text_addf(p->out, "    A[%u] = A[%u]", sum, sum);
        print_share(p, left == right ? "2.0 * " : "", left, right);
        if (left != right)
            print_share(p, "", right, left);
        text_add(p->out, ";\n");
    }
}

// ---- The beginning of a block.

// Whether a value is one of the factors of the group's sums before `end`.
static bool is_loaded(const Flow *flow, size_t begin, size_t end, uint32_t value, bool right)
{
    for (size_t i = begin; i < end; i++) {
        const FlowSum *sum = flow->sums.at + flow->sweeps.at[i];
        if ((right ? sum->right : sum->left) == value)
            return true;
    }
    return false;
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
            text_addf(p->out, "            const Four b%u = AT(R%u + K - i);\n", sum->right,
                      sum->right);
        text_addf(p->out, "            s%u += a%u * b%u;\n", flow->sweeps.at[i], sum->left,
                  sum->right);
    }
    text_add(p->out, "        }\n");
    for (size_t i = begin; i < end; i++)
        text_addf(p->out, "        A[%u] = s%u;\n", flow->sweeps.at[i], flow->sweeps.at[i]);
    text_add(p->out, "    }\n");
}

static void print_groups(const FlowPrinter *p, size_t size)
{
    size_t count = p->flow->sweeps.count;
    for (size_t i = 0; i < count; i += size)
        print_group(p, i, i + size < count ? i + size : count);
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
    if (flow->sweeps.count <= FLOW_SWEEPS / 2) {
        print_groups(p, FLOW_SWEEPS / 2);
        return;
    }
    text_add(p->out, "#ifdef __AVX512VL__\n");
    print_groups(p, FLOW_SWEEPS);
    text_add(p->out, "#else\n");
    print_groups(p, FLOW_SWEEPS / 2);
    text_add(p->out, "#endif\n");
}

// ---- The same by a table, for long programs.

static const char sweep_all[] =
    "// Σ a_i·b_{K+j−i} for 0 < i < K, j = 0 … 3.\n"
    "static Four sweep(const double *a, const double *b, long K)\n{\n"
    "    Four even = ALL(0.0), odd = ALL(a[1]) * AT(b + K - 1);\n"
    "    for (long i = K - 2; i > 1; i -= 2) {\n"
    "        even += ALL(a[i]) * AT(b + K - i);\n"
    "        odd += ALL(a[i + 1]) * AT(b + K - i - 1);\n    }\n"
    "    return even + odd;\n}\n\n"
    "static void sweep_all(long K, double *work)\n{\n"
    "    for (int c = 0; c < SUMS && K > 0; c++)\n"
    "        *(Four *)(work + sums[c].b + K) = ALL(0.0);\n"
    "    for (int c = 0; c < SUMS; c++)\n"
    "        *(Four *)A[c] = K > 0 ? sweep(work + sums[c].a, work + sums[c].b, K) : ALL(0.0);\n"
    "}\n\n"
    "// After order 1: its products with each other, which both factors would give to order 2.\n"
    "static void meet(double *work)\n{\n"
    "    for (int c = 0; c < SUMS; c++) {\n"
    "        A[c][2] = work[sums[c].a + 1] * work[sums[c].b + 1];\n"
    "        A[c][3] = 0;\n    }\n}\n\n";

void flow_print_sweep_tools(const FlowPrinter *p)
{
    const Flow *flow = p->flow;
    text_addf(p->out, "enum { SUMS = %zu };\n", flow->sums.count);
    text_add(p->out, "static const struct {\n    int a, b;\n} sums[SUMS] = {");
    for (size_t i = 0; i < flow->sums.count; i++)
        text_addf(p->out, "%s{%u, %u}", i == 0 ? "" : ", ", p->rows[flow->sums.at[i].left],
                  p->rows[flow->sums.at[i].right]);
    text_add(p->out, "};\n\n");
    text_add(p->out, sweep_all);
}

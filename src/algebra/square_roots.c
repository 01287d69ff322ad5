// square_roots.c: points of prime fields at which all square roots exist.
//
// A number is a square with a chance of one half, so that k roots exist together at one point in
// 2^k. Drawn one after the other they cost two draws each: the symbols are put in stages, and
// those of a stage are drawn again until the roots that hold them, and none of a later stage,
// exist. A symbol that one root alone holds makes a stage with that root; where there is none,
// all roots that hold the rarest symbol share a stage. Stages are peeled off from the last one,
// so that a root under another root never stands after it.
//
// A root is independent of those before it if it exists at one draw of its stage and not at
// another, all else being the same. If every root is, each choice of signs is the image of every
// other one under an automorphism, and what vanishes for one vanishes for all. It also keeps
// degrees low: P = A + B·r, with r² = a the last root and y its symbol, is not zero at a point of
// the other symbols where A or B is not, for A² = a·B² would make a a square up to a factor. So P
// vanishes only where a coefficient of a power of y does, which is of no higher degree, or at the
// zeros y of A² − a·B²; these are twice as many as P has degrees, out of half of all y. A stage of
// b roots counts 4^b times. That is used only at points where it has been seen that no product of
// radicands is a square up to a factor.
#include "algebra/algebra_impl.h"

#include <assert.h>
#include <flint/ulong_extras.h>
#include <math.h>
#include <stdlib.h>

// How often a stage is drawn for each root in it, and for how many roots this is doubled.
enum { DRAWS = 32, MOST_DOUBLED = 10 };
// After how many draws of a stage it is judged, and how many a point may take by that judgement.
enum { DRAWS_JUDGED = 1 << 10, MOST_LOG_DRAWS = 16 };

static bool is_half(const fmpq *exponent)
{
    return !fmpz_is_one(&exponent->den);
}

// ---- The plan.

static void push_root(Sample *sample, const Expr *symbols, Expr radicand)
{
    for (size_t i = 0; i < sample->roots.count; i++)
        if (sample->roots.at[i].node == radicand.at)
            return;
    const ExprPool *pool = sample->algebra->pool;
    SampleRoot root = {.node = radicand.at};
    root.radicand = program_new(pool, symbols, sample->symbols.count, &radicand, 1, NULL);
    root.holds = base_alloc((sample->symbols.count + 1) * sizeof *root.holds);
    ExprList held = expr_symbols(pool, &radicand, 1);
    for (size_t i = 0; i < sample->symbols.count; i++)
        for (size_t k = 0; k < held.count; k++)
            root.holds[sample->twin[i]] |= held.at[k] == symbols[i].at;
    expr_list_free(&held);
    array_push(&sample->roots, root);
}

static void find_roots(Sample *sample, const Expr *symbols, const Expr *exprs, size_t count)
{
    const ExprPool *pool = sample->algebra->pool;
    ExprList nodes = expr_nodes(pool, exprs, count);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr e = {nodes.at[i]};
        for (size_t k = 0; expr_op(pool, e) == EXPR_PRODUCT && k < expr_arg_count(pool, e); k++)
            if (is_half(expr_arg_weight(pool, e, k)))
                push_root(sample, symbols, expr_arg(pool, e, k));
    }
    expr_list_free(&nodes);
}

// How many roots that have no stage yet hold this symbol.
static size_t holders(const Sample *sample, size_t symbol)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->roots.count; i++)
        count += sample->roots.at[i].stage == 0 && sample->roots.at[i].holds[symbol];
    return count;
}

// The symbol that the fewest roots without a stage hold; the number of symbols where none does.
static size_t rarest(const Sample *sample)
{
    size_t best = sample->symbols.count, fewest = 0;
    for (size_t i = 0; i < sample->symbols.count; i++) {
        size_t count = holders(sample, i);
        if (count > 0 && (best == sample->symbols.count || count < fewest)) {
            best = i;
            fewest = count;
        }
    }
    return best;
}

// Stages are counted from the last to be drawn, 1, and turned about to the end.
static void peel(Sample *sample)
{
    size_t symbols = sample->symbols.count, symbol;
    while ((symbol = rarest(sample)) < symbols) {
        size_t stage = ++sample->stages;
        for (size_t i = 0; i < sample->roots.count; i++)
            if (sample->roots.at[i].stage == 0 && sample->roots.at[i].holds[symbol])
                sample->roots.at[i].stage = stage;
        for (size_t k = 0; k < symbols; k++)
            for (size_t i = 0; i < sample->roots.count && sample->stage[k] == 0; i++)
                if (sample->roots.at[i].stage == stage && sample->roots.at[i].holds[k] &&
                    holders(sample, k) == 0)
                    sample->stage[k] = stage;
    }
}

static int by_stage(const void *a, const void *b)
{
    const SampleRoot *left = a, *right = b;
    if (left->stage != right->stage)
        return left->stage < right->stage ? -1 : 1;
    return (left->node > right->node) - (left->node < right->node);
}

void square_roots_init(Sample *sample, const Expr *symbols, const Expr *exprs, size_t count)
{
    sample->stage = base_alloc((sample->symbols.count + 1) * sizeof *sample->stage);
    find_roots(sample, symbols, exprs, count);
    peel(sample);
    for (size_t i = 0; i < sample->roots.count; i++) {
        SampleRoot *root = &sample->roots.at[i];
        root->stage = root->stage ? sample->stages + 1 - root->stage : 0;
    }
    for (size_t i = 0; i < sample->symbols.count; i++)
        sample->stage[i] = sample->stage[i] ? sample->stages + 1 - sample->stage[i] : 0;
    if (sample->roots.count > 0)
        qsort(sample->roots.at, sample->roots.count, sizeof *sample->roots.at, by_stage);
}

void square_roots_clear(Sample *sample)
{
    for (size_t i = 0; i < sample->roots.count; i++) {
        program_free(sample->roots.at[i].radicand);
        base_free(sample->roots.at[i].holds);
    }
    array_clear(&sample->roots);
    base_free(sample->stage);
}

// ---- At a point.

// How many roots of the stage exist before the first that does not; count where all do.
static size_t existing(const Sample *sample, SampleRoot *roots, size_t count, uint64_t signs,
                       bool *valued)
{
    *valued = true;
    for (size_t i = 0; i < count; i++) {
        Random random = random_seed(signs);
        uint64_t value = 0;
        *valued = program_run_field(roots[i].radicand, sample->prime, &random, sample->inputs,
                                    &value, sample->work);
        roots[i].value = value;
        if (!*valued || (value != 0 && n_jacobi_unsigned(value, sample->prime) != 1))
            return i;
    }
    return count;
}

static bool all_failed(const SampleRoot *roots, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!roots[i].failed && !roots[i].copy)
            return false;
    return true;
}

static SampleRoot *roots_of(Sample *sample, size_t stage, size_t *count)
{
    size_t first = 0;
    *count = 0;
    while (first < sample->roots.count && sample->roots.at[first].stage < stage)
        first++;
    while (first + *count < sample->roots.count && sample->roots.at[first + *count].stage == stage)
        ++*count;
    return sample->roots.at + first;
}

// A new point of the stage; tells how many roots exist there, and marks the first that does not.
static size_t try_stage(Sample *sample, SampleRoot *roots, size_t count, uint64_t signs)
{
    bool valued;
    size_t exist = existing(sample, roots, count, signs, &valued);
    if (exist < count && valued)
        roots[exist].failed = true;
    return exist;
}

// Each further root halves the chance of a point, unless it is bound to others. What many draws
// have reached tells how many more there must be: 30 roots of one symbol are never found.
static bool is_hopeless(size_t draws, size_t reached, size_t count)
{
    return draws == DRAWS_JUDGED && log2(DRAWS_JUDGED) + (double)(count - reached) > MOST_LOG_DRAWS;
}

bool square_roots_draw(Sample *sample, const bool *held, bool new_field, size_t stage,
                       uint64_t signs)
{
    assert(stage <= sample->stages);
    size_t count;
    SampleRoot *roots = roots_of(sample, stage, &count);
    size_t most = count ? (size_t)DRAWS << (count < MOST_DOUBLED ? count : MOST_DOUBLED) : 1;
    bool both_ways = sample->independent && stage > 0 && !held, found = false;
    for (size_t i = 0; i < count; i++)
        roots[i].failed = false;
    size_t reached = 0;
    for (size_t i = 0; i < most && !found && !sample->hopeless; i++) {
        sample_draw_stage(sample, held, new_field, stage);
        size_t exist = try_stage(sample, roots, count, signs);
        reached = exist > reached ? exist : reached;
        found = exist == count && (!both_ways || all_failed(roots, count));
        sample->hopeless = !found && is_hopeless(i, reached, count);
    }
    for (size_t i = 0; i < count && found; i++)
        roots[i].independent |= roots[i].failed;
    return found;
}

// The same radicand may be written in two ways; their roots are the same, in a field too. Each
// point that was drawn may tell them apart.
static void look_for_copies(Sample *sample, bool first)
{
    for (size_t i = 0; i < sample->roots.count; i++) {
        SampleRoot *root = &sample->roots.at[i];
        bool copy = false;
        for (size_t k = 0; k < i && !copy; k++)
            copy = sample->roots.at[k].value == root->value;
        root->copy = copy && (first || root->copy);
    }
}

bool square_roots_sign_trials(Sample *sample, size_t *trials)
{
    // An independent root is taken for a dependent one once in 2^16, and a root for a copy of
    // another one with a probability far below 2^-100.
    enum { LOOKS = 16, FEWEST_LOOKS = 3 };
    size_t dependent = sample->roots.count;
    for (int look = 0; dependent > 0 ? look < LOOKS : look && look < FEWEST_LOOKS; look++) {
        if (!sample_draw(sample))
            break; // who asks for a point next says so
        look_for_copies(sample, look == 0);
        dependent = 0;
        for (size_t i = 0; i < sample->roots.count; i++)
            dependent += !sample->roots.at[i].independent && !sample->roots.at[i].copy;
    }
    bool few = dependent <= MOST_DEPENDENT_ROOTS;
    sample->independent = sample->roots.count > 0 && dependent == 0;
    *trials = few && dependent > 0 ? (size_t)71 << dependent : 0;
    return few;
}

double square_roots_log2_weight(Sample *sample)
{
    double weight = 0;
    for (size_t stage = 0; stage <= sample->stages; stage++) {
        size_t count, copies = 0;
        const SampleRoot *roots = roots_of(sample, stage, &count);
        for (size_t i = 0; i < count; i++)
            copies += roots[i].copy;
        weight += ldexp(1.0, 2 * (int)(count - copies));
    }
    return log2(weight);
}

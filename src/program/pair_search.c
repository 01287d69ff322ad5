// pair_search.c: a tree of boxes over the elements, and a walk over pairs of its nodes.
//
// Every element i has a box A_i of what f takes of it as the first of a pair, and a box B_i of what
// f takes of it as the second. A node of the tree has the hulls of both over its elements. For two
// nodes P and Q, f is evaluated in intervals once, on the hull of A over P and of B over Q.
//
// No pair is missed. Let i < j be a pair with f(s, a, b) ≥ level for some s, a ∈ A_i and b ∈ B_j.
// The walk begins with (root, root), and i and j are below these. Let i be below P and j below Q
// for a pair (P, Q) that is visited. Its hulls contain A_i and B_j, so the interval of f there
// contains f(s, a, b) (intervals.c: inclusion), its upper end is at least `level`, and (P, Q) is
// not dropped by it. Nor is it dropped by the order of the elements: that is done only where no
// element below P comes before one below Q. So either it is a pair of leaves, and (i, j) is looked
// at by itself, with the same argument, and kept; or the walk goes on to all parts of P, or of Q,
// and i, or j, is below one of them. The tree is finite, so that the walk comes to (i, j). Where f
// has no bound, or is not a number, the interval is the whole line: the pair is kept.
//
// Where f is symmetric (P, Q) and (Q, P) have the same interval, and one of them stands for both:
// of equal nodes both parts with themselves, and the first with the second.
//
// Nothing in it knows what f is: it is exact for distances, for x[j] − x[i] ≥ w, and for whatever
// has intervals. What it costs depends on f: for distances, on the pairs that are near.
#include "program/pair_search.h"
#include "program/program.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Elements in a leaf, at most.
enum { LEAF = 4 };

typedef struct {
    uint32_t from, to;    // its elements, in `order`
    uint32_t least, most; // the numbers of these
    uint32_t left;        // its parts are this node and the next one; 0 for a leaf
} Node;

typedef struct {
    uint32_t p, q;
} Visit;

struct PairSearch {
    const Program *f;
    size_t shared, first, second, width, elements;
    Interval *boxes; // of the elements, width each
    uint32_t *order;
    double *keys; // of the elements, along the axis at hand
    ARRAY(Node) nodes;
    ARRAY(Interval) hulls; // of the nodes, width each
    ARRAY(Visit) stack;
    ARRAY(ElementPair) found;
    Interval *inputs, *work;
    size_t looked;
    bool symmetric;
};

PairSearch *pair_search_new(const Program *f, size_t shared, size_t first, size_t second,
                            size_t elements, bool symmetric)
{
    assert(program_inputs(f) == shared + first + second && program_outputs(f) == 1);
    assert(!symmetric || first == second);
    PairSearch *search = base_alloc(sizeof *search);
    *search = (PairSearch){.f = f,
                           .shared = shared,
                           .first = first,
                           .second = second,
                           .width = first + second,
                           .elements = elements,
                           .symmetric = symmetric};
    search->boxes = base_alloc((elements * search->width + 1) * sizeof *search->boxes);
    search->order = base_alloc((elements + 1) * sizeof *search->order);
    search->keys = base_alloc((elements + 1) * sizeof *search->keys);
    search->inputs = base_alloc((shared + search->width + 1) * sizeof *search->inputs);
    search->work = base_alloc((program_registers(f) + 1) * sizeof *search->work);
    return search;
}

void pair_search_free(PairSearch *search)
{
    if (!search)
        return;
    base_free(search->boxes);
    base_free(search->order);
    base_free(search->keys);
    base_free(search->inputs);
    base_free(search->work);
    array_clear(&search->nodes);
    array_clear(&search->hulls);
    array_clear(&search->stack);
    array_clear(&search->found);
    base_free(search);
}

Interval *pair_search_boxes(PairSearch *search, size_t element)
{
    assert(element < search->elements);
    return search->boxes + element * search->width;
}

// ---- The tree.

static double centre(Interval box)
{
    double middle = box.low / 2 + box.high / 2;
    return isfinite(middle) ? middle : 0;
}

// The hull of a node's elements, and the least and the most of their numbers.
static void enclose(PairSearch *search, size_t index)
{
    Node *node = &search->nodes.at[index];
    Interval *hull = search->hulls.at + index * search->width;
    memcpy(hull, pair_search_boxes(search, search->order[node->from]),
           search->width * sizeof *hull);
    node->least = node->most = search->order[node->from];
    for (uint32_t k = node->from + 1; k < node->to; k++) {
        uint32_t element = search->order[k];
        const Interval *box = pair_search_boxes(search, element);
        node->least = element < node->least ? element : node->least;
        node->most = element > node->most ? element : node->most;
        for (size_t i = 0; i < search->width; i++) {
            hull[i].low = box[i].low < hull[i].low ? box[i].low : hull[i].low;
            hull[i].high = box[i].high > hull[i].high ? box[i].high : hull[i].high;
        }
    }
}

// The axis along which the elements of a node lie widest apart.
static size_t widest_axis(const PairSearch *search, const Node *node)
{
    size_t widest = 0;
    double most = -1;
    for (size_t i = 0; i < search->width; i++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t k = node->from; k < node->to; k++) {
            double at = centre(search->boxes[search->order[k] * search->width + i]);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low > most) {
            most = high - low;
            widest = i;
        }
    }
    return widest;
}

// Puts the elements with the least keys before `middle` (Hoare's selection).
static void part(uint32_t *order, const double *keys, uint32_t from, uint32_t to, uint32_t middle)
{
    while (to - from > 1) {
        double pivot = keys[order[from + (to - from - 1) / 2]];
        uint32_t i = from, j = to - 1;
        for (;;) {
            while (keys[order[i]] < pivot)
                i++;
            while (keys[order[j]] > pivot)
                j--;
            if (i >= j)
                break;
            uint32_t held = order[i];
            order[i++] = order[j];
            order[j--] = held;
        }
        if (middle <= j)
            to = j + 1;
        else
            from = j + 1;
    }
}

static uint32_t add_node(PairSearch *search, uint32_t from, uint32_t to)
{
    array_push(&search->nodes, ((Node){.from = from, .to = to}));
    array_reserve(&search->hulls, search->nodes.count * search->width);
    enclose(search, search->nodes.count - 1);
    return (uint32_t)(search->nodes.count - 1);
}

static void build(PairSearch *search)
{
    for (size_t i = 0; i < search->elements; i++)
        search->order[i] = (uint32_t)i;
    search->nodes.count = 0;
    add_node(search, 0, (uint32_t)search->elements);
    for (size_t at = 0; at < search->nodes.count; at++) {
        Node node = search->nodes.at[at];
        if (node.to - node.from <= LEAF)
            continue;
        size_t axis = widest_axis(search, &node);
        for (uint32_t k = node.from; k < node.to; k++) {
            uint32_t element = search->order[k];
            search->keys[element] = centre(search->boxes[element * search->width + axis]);
        }
        uint32_t middle = node.from + (node.to - node.from) / 2;
        part(search->order, search->keys, node.from, node.to, middle);
        uint32_t left = add_node(search, node.from, middle);
        add_node(search, middle, node.to);
        search->nodes.at[at].left = left;
    }
}

// ---- The walk.

// Whether f may reach the level for a first element within one box and a second within another.
static bool may_reach(PairSearch *search, const Interval *p, const Interval *q, double level)
{
    Interval f, *inputs = search->inputs + search->shared;
    memcpy(inputs, p, search->first * sizeof *inputs);
    memcpy(inputs + search->first, q + search->first, search->second * sizeof *inputs);
    program_run_intervals(search->f, search->inputs, &f, search->work);
    search->looked++;
    return !(f.high < level);
}

static void look_at_leaves(PairSearch *search, const Node *p, const Node *q, double level)
{
    for (uint32_t k = p->from; k < p->to; k++)
        for (uint32_t l = q->from; l < q->to; l++) {
            uint32_t i = search->order[k], j = search->order[l];
            bool turned = search->symmetric && p != q && j < i;
            if ((i < j || turned) && may_reach(search, pair_search_boxes(search, i),
                                               pair_search_boxes(search, j), level))
                array_push(&search->found, turned ? ((ElementPair){j, i}) : ((ElementPair){i, j}));
        }
}

// The larger of two nodes is replaced by its parts.
static void go_below(PairSearch *search, Visit visit)
{
    const Node *p = &search->nodes.at[visit.p], *q = &search->nodes.at[visit.q];
    bool first = p->left && (!q->left || p->to - p->from >= q->to - q->from);
    if (search->symmetric && p == q) {
        array_push(&search->stack, ((Visit){p->left, p->left}));
        array_push(&search->stack, ((Visit){p->left + 1, p->left + 1}));
        array_push(&search->stack, ((Visit){p->left, p->left + 1}));
        return;
    }
    for (uint32_t side = 0; side < 2; side++)
        array_push(&search->stack,
                   first ? ((Visit){p->left + side, visit.q}) : ((Visit){visit.p, q->left + side}));
}

static void visit_nodes(PairSearch *search, Visit visit, double level)
{
    const Node *p = &search->nodes.at[visit.p], *q = &search->nodes.at[visit.q];
    size_t width = search->width;
    bool none = p->least >= q->most && (!search->symmetric || q->least >= p->most);
    if (none || !may_reach(search, search->hulls.at + visit.p * width,
                           search->hulls.at + visit.q * width, level))
        return;
    if (!p->left && !q->left)
        look_at_leaves(search, p, q, level);
    else
        go_below(search, visit);
}

static int compare(const void *a, const void *b)
{
    const ElementPair *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return (one->second > other->second) - (one->second < other->second);
}

ElementPairs pair_search_find(PairSearch *search, const Interval *shared, double level)
{
    search->found.count = search->looked = 0;
    memcpy(search->inputs, shared, search->shared * sizeof *shared);
    if (search->elements > 1) {
        build(search);
        array_push(&search->stack, ((Visit){0, 0}));
    }
    while (search->stack.count > 0)
        visit_nodes(search, search->stack.at[--search->stack.count], level);
    if (search->found.count > 1)
        qsort(search->found.at, search->found.count, sizeof *search->found.at, compare);
    return (ElementPairs){search->found.at, search->found.count, search->looked};
}

// pile.c: which conditions of a large island act: a rope on pegs, a heap of balls.
//
// The inertia falls into blocks 𝓜 = LLᵀ, so that Φ = WWᵀ with W = gL⁻ᵀ stays sparse. Whole blocks
// of conditions change sides, as in blocks.c, the part of Φ that acts being factored as a sparse
// matrix. Where conditions depend on each other, Φ is made regular and the error of that taken
// back: λ minimizes ½ λ·Φλ − λ·Φ⁰ + ½δ|λ − λ_before|² again and again (Martinet 1970; Rockafellar,
// SIAM J. Control Optim. 14 (1976) 877); from 0 the first of these is next to the λ of least norm.
#include "gauss/gauss_impl.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

// As in blocks.c; rounds cost less here, and in a chain news travels from one to the next.
#define PATIENCE     8
#define LEAST_ROUNDS 60
#define WRONG        4e-14
#define LEAST_PIVOT  1e-9
// A condition that does not push touches where its f'' is this part of its terms at most.
#define TOUCHES 1e-11
// What is added to Φ's diagonal, as a part of its largest entry, and how often its error may be
// taken back. What that does not take off soon is nearly dependent and needs less to be added.
#define SOFT         1e-6
#define LEAST_SOFT   1e-9
#define SLOW         0.3
#define FEW_REPEATS  8
#define MOST_REPEATS 60
// What may be left of f'' where a condition pushes, or be above 0 where it does not.
// More where it does not get less soon.
#define SOLVED      4e-13
#define SOLVED_LATE 1e-12
// And still more for those who need no more.
#define SOLVED_ROUGHLY 1e-10
// A multiplier of no more than this part of the terms at hand is rounding.
#define NO_PUSH 1e-13
// The inertia along a velocity, against its diagonal, below which it is none.
#define NO_INERTIA 1e-12
// With more of Φ filled than this it is no sparse matrix.
#define FULL_PART 0.25
#define FULL_SIZE 400

typedef struct {
    uint32_t row;
    double value;
} Entry;

struct Pile {
    Sparse *phi;
    const PileProblem *problem;
    size_t most_n, most_count;
    Islands blocks;    // of the inertia
    size_t *factor_at; // where each block's factors begin
    double *block, *pull;
    ARRAY(double) factors;
    // W, row after row, and the same by coordinates.
    uint32_t *normal_first, *column_first;
    ARRAY(Entry) normals; // row: the coordinate here
    ARRAY(Entry) columns;
    ARRAY(Entry) filled; // Φ's entries while they are found
    // For each condition:
    double *phi0, *sizes, *own, *lambda, *rates, *before, *sum;
    bool *kept;
    uint32_t *mark;
    double square; // λ·Φλ
    double added;  // to Φ's diagonal
    // What Φ's factors are those of, where there are some: they often serve again.
    bool *factored, has_factors;
    double factored_added;
};

Pile *pile_new(void)
{
    Pile *pile = base_alloc(sizeof *pile);
    pile->phi = ldl_new();
    return pile;
}

static void free_room(Pile *pile)
{
    uint32_t *whole[] = {pile->normal_first, pile->column_first, pile->mark};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        base_free(whole[i]);
    double *real[] = {pile->block,  pile->pull,  pile->phi0,   pile->sizes, pile->own,
                      pile->lambda, pile->rates, pile->before, pile->sum};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        base_free(real[i]);
    islands_clear(&pile->blocks);
    base_free(pile->factor_at);
    base_free(pile->kept);
    base_free(pile->factored);
}

void pile_free(Pile *pile)
{
    if (!pile)
        return;
    free_room(pile);
    array_clear(&pile->factors);
    array_clear(&pile->normals);
    array_clear(&pile->columns);
    array_clear(&pile->filled);
    ldl_free(pile->phi);
    base_free(pile);
}

static void reserve(Pile *pile, size_t n, size_t count)
{
    if (n <= pile->most_n && count <= pile->most_count)
        return;
    free_room(pile);
    n = pile->most_n = 2 * (n > pile->most_n ? n : pile->most_n);
    count = pile->most_count = 2 * (count > pile->most_count ? count : pile->most_count);
    islands_init(&pile->blocks, n);
    pile->column_first = base_alloc((n + 1) * sizeof *pile->column_first);
    double **of_count[] = {&pile->phi0,  &pile->sizes,  &pile->own, &pile->lambda,
                           &pile->rates, &pile->before, &pile->sum};
    for (size_t i = 0; i < sizeof of_count / sizeof of_count[0]; i++)
        *of_count[i] = base_alloc((count + 1) * sizeof(double));
    pile->block = base_alloc((n + 1) * sizeof(double));
    pile->pull = base_alloc((n + 1) * sizeof(double));
    pile->factor_at = base_alloc((n + 1) * sizeof *pile->factor_at);
    pile->normal_first = base_alloc((count + 2) * sizeof *pile->normal_first);
    pile->mark = base_alloc((count + 1) * sizeof *pile->mark);
    pile->kept = base_alloc((count + 1) * sizeof *pile->kept);
    pile->factored = base_alloc((count + 1) * sizeof *pile->factored);
}

// ---- The blocks of the inertia.

static void find_blocks(Pile *pile)
{
    const GaussRows *inertia = &pile->problem->inertia;
    islands_part(&pile->blocks, pile->problem->n);
    for (size_t i = 0; i < pile->problem->n; i++)
        for (uint32_t at = inertia->first[i]; at < inertia->first[i + 1]; at++)
            if (inertia->value[at] != 0)
                islands_tie(&pile->blocks, i, inertia->column[at]);
    islands_number(&pile->blocks);
}

static size_t size_of(const Pile *pile, size_t block)
{
    return pile->blocks.first[block + 1] - pile->blocks.first[block];
}

// 𝓜 = LLᵀ of a block, L row after row. False where it is not positive.
static bool factor_block(double *factor, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        double *row = factor + i * size, own = row[i], pivot = own;
        for (size_t j = 0; j < i; j++) {
            const double *other = factor + j * size;
            row[j] = (row[j] - dot(row, other, j)) / other[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > NO_INERTIA * own))
            return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

static bool factor_inertia(Pile *pile)
{
    const GaussRows *inertia = &pile->problem->inertia;
    const Islands *blocks = &pile->blocks;
    pile->factors.count = 0;
    for (size_t block = 0; block < blocks->islands; block++) {
        size_t size = size_of(pile, block), at = pile->factors.count;
        array_reserve(&pile->factors, at + size * size);
        pile->factors.count += size * size;
        pile->factor_at[block] = at;
        double *factor = pile->factors.at + at;
        memset(factor, 0, size * size * sizeof *factor);
        for (size_t place = 0; place < size; place++) {
            uint32_t i = blocks->members[blocks->first[block] + place];
            for (uint32_t k = inertia->first[i]; k < inertia->first[i + 1]; k++)
                if (inertia->value[k] != 0)
                    factor[place * size + blocks->place[inertia->column[k]]] = inertia->value[k];
        }
        if (!factor_block(factor, size))
            return false;
    }
    return true;
}

// L⁻¹ of a block's part of something, in `block`.
static void solve_lower(Pile *pile, size_t block)
{
    size_t size = size_of(pile, block);
    const double *factor = pile->factors.at + pile->factor_at[block];
    for (size_t i = 0; i < size; i++)
        pile->block[i] =
            (pile->block[i] - dot(factor + i * size, pile->block, i)) / factor[i * size + i];
}

static void solve_upper(Pile *pile, size_t block)
{
    size_t size = size_of(pile, block);
    const double *factor = pile->factors.at + pile->factor_at[block];
    for (size_t i = size; i-- > 0;) {
        pile->block[i] /= factor[i * size + i];
        add_times(-pile->block[i], factor + i * size, i, pile->block);
    }
}

// 𝓜⁻¹·force.
static void accelerations_of(Pile *pile, const double *force, double *accelerations)
{
    const Islands *blocks = &pile->blocks;
    for (size_t block = 0; block < blocks->islands; block++) {
        const uint32_t *members = blocks->members + blocks->first[block];
        size_t size = size_of(pile, block);
        for (size_t i = 0; i < size; i++)
            pile->block[i] = force[members[i]];
        solve_lower(pile, block);
        solve_upper(pile, block);
        for (size_t i = 0; i < size; i++)
            accelerations[members[i]] = pile->block[i];
    }
}

// ---- W and Φ.

// The row's normal: whole blocks of numbers, for the blocks that the row knows.
static void find_normal(Pile *pile, size_t l)
{
    const GaussRows *rows = &pile->problem->rows;
    const Islands *blocks = &pile->blocks;
    for (uint32_t at = rows->first[l]; at < rows->first[l + 1]; at++) {
        uint32_t block = blocks->of[rows->column[at]];
        bool known = false;
        for (uint32_t k = rows->first[l]; k < at && !known; k++)
            known = blocks->of[rows->column[k]] == block;
        if (known)
            continue;
        size_t size = size_of(pile, block);
        memset(pile->block, 0, size * sizeof *pile->block);
        for (uint32_t k = at; k < rows->first[l + 1]; k++)
            if (blocks->of[rows->column[k]] == block)
                pile->block[blocks->place[rows->column[k]]] = rows->value[k];
        solve_lower(pile, block);
        for (size_t i = 0; i < size; i++)
            if (pile->block[i] != 0)
                array_push(&pile->normals,
                           ((Entry){blocks->members[blocks->first[block] + i], pile->block[i]}));
    }
}

static void find_normals(Pile *pile)
{
    pile->normals.count = 0;
    for (size_t l = 0; l < pile->problem->count; l++) {
        pile->normal_first[l] = (uint32_t)pile->normals.count;
        find_normal(pile, l);
    }
    pile->normal_first[pile->problem->count] = (uint32_t)pile->normals.count;
}

// The same numbers by coordinates.
static void turn_over(Pile *pile)
{
    size_t n = pile->problem->n, count = pile->problem->count, entries = pile->normals.count;
    array_reserve(&pile->columns, entries);
    memset(pile->column_first, 0, (n + 1) * sizeof *pile->column_first);
    for (size_t k = 0; k < entries; k++)
        pile->column_first[pile->normals.at[k].row + 1]++;
    for (size_t i = 0; i < n; i++)
        pile->column_first[i + 1] += pile->column_first[i];
    for (size_t l = 0; l < count; l++)
        for (uint32_t k = pile->normal_first[l]; k < pile->normal_first[l + 1]; k++) {
            Entry entry = pile->normals.at[k];
            pile->columns.at[pile->column_first[entry.row]++] = (Entry){(uint32_t)l, entry.value};
        }
    for (size_t i = n; i > 0; i--)
        pile->column_first[i] = pile->column_first[i - 1];
    pile->column_first[0] = 0;
}

// One row of Φ onto `filled`; `sum` is 0 before and after.
static void fill_row(Pile *pile, size_t l)
{
    size_t begin = pile->filled.count;
    array_push(&pile->filled, ((Entry){(uint32_t)l, 0}));
    pile->mark[l] = (uint32_t)l + 1;
    for (uint32_t k = pile->normal_first[l]; k < pile->normal_first[l + 1]; k++) {
        Entry mine = pile->normals.at[k];
        for (uint32_t c = pile->column_first[mine.row]; c < pile->column_first[mine.row + 1]; c++) {
            Entry other = pile->columns.at[c];
            if (pile->mark[other.row] != (uint32_t)l + 1) {
                pile->mark[other.row] = (uint32_t)l + 1;
                array_push(&pile->filled, ((Entry){other.row, 0}));
            }
            pile->sum[other.row] += mine.value * other.value;
        }
    }
    for (size_t k = begin; k < pile->filled.count; k++) {
        Entry *entry = &pile->filled.at[k];
        entry->value = pile->sum[entry->row];
        pile->sum[entry->row] = 0;
    }
}

// False where it is full, or nothing orders it.
static bool find_phi(Pile *pile)
{
    size_t count = pile->problem->count;
    find_normals(pile);
    turn_over(pile);
    pile->filled.count = 0;
    memset(pile->mark, 0, count * sizeof *pile->mark);
    memset(pile->sum, 0, count * sizeof *pile->sum);
    for (size_t l = 0; l < count; l++) {
        pile->before[l] = (double)pile->filled.count;
        fill_row(pile, l);
        if (count > FULL_SIZE &&
            (double)pile->filled.count > FULL_PART * (double)count * (double)count)
            return false;
    }
    SparseRows rows = ldl_rows(pile->phi, count, pile->filled.count);
    for (size_t l = 0; l < count; l++)
        rows.first[l] = (int)pile->before[l];
    rows.first[count] = (int)pile->filled.count;
    for (size_t k = 0; k < pile->filled.count; k++) {
        rows.column[k] = (int)pile->filled.at[k].row;
        rows.value[k] = pile->filled.at[k].value;
    }
    if (!ldl_begin(pile->phi))
        return false;
    for (size_t l = 0; l < count; l++)
        pile->own[l] = ldl_diagonal(pile->phi, l);
    return true;
}

// Φ⁰ of the motion without any condition, and the terms that it is a sum of.
static void find_phi0(Pile *pile, const double *free)
{
    const PileProblem *problem = pile->problem;
    for (size_t l = 0; l < problem->count; l++) {
        double sum = problem->drift[l], size = fabs(sum);
        for (uint32_t at = problem->rows.first[l]; at < problem->rows.first[l + 1]; at++) {
            double term = problem->rows.value[at] * free[problem->rows.column[at]];
            sum += term;
            size += fabs(term);
        }
        pile->phi0[l] = sum;
        pile->sizes[l] = size;
    }
}

// ---- Who acts.

// Whether |x| exceeds a part of the terms that f''_l is a sum of.
static bool exceeds(const Pile *pile, size_t l, double x, double part)
{
    return x > part * pile->sizes[l] && x * x > part * part * pile->own[l] * pile->square;
}

// f'' = Φ⁰ − Φλ, and λ·Φλ.
static void find_rates(Pile *pile)
{
    size_t count = pile->problem->count;
    memcpy(pile->rates, pile->phi0, count * sizeof *pile->rates);
    ldl_subtract_times(pile->phi, pile->lambda, pile->rates);
    double square = 0;
    for (size_t l = 0; l < count; l++)
        square += pile->lambda[l] * (pile->phi0[l] - pile->rates[l]);
    pile->square = more(square, 0);
}

// Factors of the part of Φ that acts.
static bool factor(Pile *pile)
{
    size_t bytes = pile->problem->count * sizeof *pile->kept;
    if (pile->has_factors && pile->factored_added == pile->added &&
        memcmp(pile->factored, pile->kept, bytes) == 0)
        return true;
    double least = pile->added > 0 ? 0 : LEAST_PIVOT;
    pile->has_factors = ldl_factor(pile->phi, pile->kept, pile->added, least);
    pile->factored_added = pile->added;
    memcpy(pile->factored, pile->kept, bytes);
    return pile->has_factors;
}

// λ where those kept act and no others. `before` is what λ is held to by `added`.
static bool let_act(Pile *pile, bool refine)
{
    size_t count = pile->problem->count;
    if (!factor(pile))
        return false;
    for (size_t l = 0; l < count; l++)
        pile->lambda[l] = pile->kept[l] ? pile->phi0[l] + pile->added * pile->before[l] : 0;
    ldl_solve(pile->phi, pile->lambda);
    find_rates(pile);
    // What rounding left is taken off once.
    for (size_t l = 0; l < count && refine; l++)
        pile->sum[l] =
            pile->kept[l] ? pile->rates[l] + pile->added * (pile->before[l] - pile->lambda[l]) : 0;
    if (refine) {
        ldl_solve(pile->phi, pile->sum);
        add_times(1, pile->sum, count, pile->lambda);
        find_rates(pile);
    }
    return true;
}

static bool is_wrong(const Pile *pile, size_t l)
{
    if (l < pile->problem->equations)
        return false;
    if (pile->kept[l])
        return pile->lambda[l] < 0 &&
               pile->lambda[l] * pile->lambda[l] * pile->own[l] > WRONG * WRONG * pile->square;
    double rate = pile->rates[l] + pile->added * pile->before[l];
    return rate > 0 && exceeds(pile, l, rate, WRONG);
}

static bool exchange(Pile *pile)
{
    size_t count = pile->problem->count, best = count + 1, patience = PATIENCE;
    for (size_t round = 0; round < LEAST_ROUNDS + count; round++) {
        if (!let_act(pile, false))
            return false;
        size_t wrong = 0, last = count;
        for (size_t l = 0; l < count; l++)
            if (is_wrong(pile, l)) {
                wrong++;
                last = l;
            }
        if (wrong == 0)
            return let_act(pile, true);
        bool whole = wrong < best || patience > 0;
        patience = wrong < best ? PATIENCE : patience - (patience > 0);
        best = wrong < best ? wrong : best;
        if (!whole)
            pile->kept[last] = !pile->kept[last];
        for (size_t l = 0; l < count && whole; l++)
            pile->mark[l] = is_wrong(pile, l);
        for (size_t l = 0; l < count && whole; l++)
            pile->kept[l] = pile->kept[l] != (pile->mark[l] != 0);
    }
    return false;
}

// How far the motion is from obeying every condition, against the terms of each.
static double miss(const Pile *pile)
{
    double worst = 0;
    for (size_t l = 0; l < pile->problem->count; l++) {
        bool pushes = l < pile->problem->equations || pile->lambda[l] != 0;
        double off = pushes ? fabs(pile->rates[l]) : pile->rates[l];
        double size = more(pile->sizes[l], sqrt(pile->own[l] * pile->square));
        if (off > 0 && off > worst * size)
            worst = off / size;
    }
    return worst;
}

// Conditions that depend on each other.
static bool soften(Pile *pile)
{
    size_t count = pile->problem->count;
    double most = 0, former = INFINITY;
    for (size_t l = 0; l < count; l++)
        most = more(most, pile->own[l]);
    pile->added = SOFT * most;
    memset(pile->before, 0, count * sizeof *pile->before);
    bool solved = false;
    for (size_t repeat = 0; repeat < MOST_REPEATS && !solved; repeat++) {
        if (!exchange(pile))
            return false;
        for (size_t l = pile->problem->equations; l < count; l++)
            pile->lambda[l] = more(pile->lambda[l], 0);
        find_rates(pile);
        double worst = miss(pile);
        double enough = pile->problem->rough ? SOLVED_ROUGHLY : SOLVED_LATE;
        solved = worst <= (repeat > FEW_REPEATS ? enough : SOLVED);
        memcpy(pile->before, pile->lambda, count * sizeof *pile->before);
        if (worst > SLOW * former && pile->added > LEAST_SOFT * most)
            pile->added /= 10;
        former = worst;
    }
    return solved;
}

// Whether all conditions with f'' = 0, those that push among them, are independent.
static bool touch_independently(Pile *pile)
{
    size_t count = pile->problem->count;
    bool more_touch = false;
    for (size_t l = 0; l < count; l++) {
        bool touches =
            !pile->kept[l] && !(pile->rates[l] < 0 && exceeds(pile, l, -pile->rates[l], TOUCHES));
        more_touch = more_touch || touches;
        pile->mark[l] = touches;
    }
    for (size_t l = 0; l < count && more_touch; l++)
        pile->kept[l] = pile->kept[l] || pile->mark[l];
    bool independent = !more_touch || factor(pile);
    for (size_t l = 0; l < count && more_touch; l++)
        pile->kept[l] = pile->kept[l] && !pile->mark[l];
    return independent;
}

// Φ⁰ where the equations act: the motion that is free of one-sided conditions.
static bool find_free_rates(Pile *pile, double *phi0)
{
    size_t count = pile->problem->count, equations = pile->problem->equations;
    for (size_t l = 0; l < count; l++)
        pile->kept[l] = l < equations;
    if (equations > 0 && !let_act(pile, true))
        return false;
    memcpy(phi0, equations > 0 ? pile->rates : pile->phi0, count * sizeof *phi0);
    return true;
}

// Where nobody is known to act, begins from those that the free motion does not release: a rope
// whose upper end is held would else learn of it string by string.
static void begin(Pile *pile, const bool *acting, const double *phi0)
{
    size_t count = pile->problem->count, equations = pile->problem->equations;
    bool any = false;
    for (size_t l = equations; l < count; l++)
        any = any || acting[l];
    for (size_t l = 0; l < count; l++)
        pile->kept[l] = l < equations || (any ? acting[l] : phi0[l] >= -WRONG * pile->sizes[l]);
}

// ---- The whole.

static void keep_answer(Pile *pile, PileAnswer *answer)
{
    const PileProblem *problem = pile->problem;
    memcpy(pile->pull, problem->force, problem->n * sizeof *pile->pull);
    for (size_t l = 0; l < problem->count; l++) {
        bool equal = l < problem->equations;
        double push = equal ? pile->lambda[l] : more(pile->lambda[l], 0);
        bool pushes = push != 0 && (equal || exceeds(pile, l, push * pile->own[l], NO_PUSH));
        push = pushes ? push : 0;
        for (uint32_t at = problem->rows.first[l]; at < problem->rows.first[l + 1] && pushes; at++)
            pile->pull[problem->rows.column[at]] -= push * problem->rows.value[at];
        answer->lambda[l] = push;
        answer->acting[l] = !equal && push > 0;
        answer->rates[l] = equal || pile->kept[l] ? 0 : pile->rates[l] < 0 ? pile->rates[l] : 0;
    }
    accelerations_of(pile, pile->pull, answer->accelerations);
}

bool pile_solve(Pile *pile, const PileProblem *problem, PileAnswer *answer)
{
    reserve(pile, problem->n, problem->count);
    pile->problem = problem;
    pile->has_factors = false;
    pile->added = pile->square = 0;
    find_blocks(pile);
    if (!factor_inertia(pile))
        return false;
    accelerations_of(pile, problem->force, answer->accelerations);
    if (!find_phi(pile))
        return false;
    find_phi0(pile, answer->accelerations);
    memset(pile->before, 0, problem->count * sizeof *pile->before);
    if (!find_free_rates(pile, answer->phi0))
        return false;
    begin(pile, answer->acting, answer->phi0);
    answer->unique = exchange(pile) && touch_independently(pile);
    if (!answer->unique && !soften(pile))
        return false;
    keep_answer(pile, answer);
    return true;
}

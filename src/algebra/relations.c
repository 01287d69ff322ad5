// relations.c: linear relations with constant coefficients between functions.
//
// Where the constants have values, each point of the other symbols is a linear equation for the
// coefficients; in a prime field enough of them leave just the relations there are. That tells
// which functions enter into each relation. Its coefficients as functions of the constants are
// then the solution of a small system, the same equations at rational points; and that they are
// right is proved by putting them in, so that nothing rests on the field.
#include "algebra/algebra_impl.h"

#include <flint/fmpq.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>
#include <string.h>

enum {
    IDLE_DRAWS = 3,      // points that tell nothing new before it is believed that none will
    LARGEST_SYSTEM = 16, // functions in a relation whose coefficients are solved for
    SMALL_NUMBER = 20    // bits of a coefficient that is believed to be a number
};

typedef struct {
    Algebra *algebra;
    size_t rows, columns;
    Expr *images; // over atoms
    Sample sample;
    bool *held;        // which symbols of the sample are constant
    uint64_t *echelon; // rank × columns
    ptrdiff_t *row_of; // of a column: which row of it begins there with 1; −1 for none
    size_t rank;
} Search;

// ---- The relations in one field.

static bool holds_only(const ExprPool *pool, Expr e, const Expr *constants, size_t count)
{
    ExprList symbols = expr_symbols(pool, &e, 1);
    bool only = true;
    for (size_t i = 0; i < symbols.count && only; i++) {
        only = false;
        for (size_t k = 0; k < count && !only; k++)
            only = symbols.at[i] == constants[k].at;
    }
    expr_list_free(&symbols);
    return only;
}

static bool search_init(Search *search, Algebra *algebra, const Expr *matrix, size_t rows,
                        size_t columns, const Expr *constants, size_t constant_count)
{
    size_t count = rows * columns;
    *search = (Search){.algebra = algebra, .rows = rows, .columns = columns};
    search->images = base_alloc((count + 1) * sizeof(Expr));
    atoms_rewrite(algebra, ATOMS_SPLIT, matrix, count, search->images);
    bool rational = sample_init(&search->sample, algebra, search->images, count);
    const ExprList *symbols = &search->sample.symbols;
    search->held = base_alloc((symbols->count + 1) * sizeof *search->held);
    for (size_t i = 0; i < symbols->count; i++) {
        Expr meaning = atoms_meaning(algebra, (Expr){symbols->at[i]});
        search->held[i] = holds_only(algebra->pool, meaning, constants, constant_count);
    }
    search->echelon = base_alloc((columns * columns + 1) * sizeof *search->echelon);
    search->row_of = base_alloc((columns + 1) * sizeof *search->row_of);
    for (size_t j = 0; j < columns; j++)
        search->row_of[j] = -1;
    return rational;
}

static void search_clear(Search *search)
{
    sample_clear(&search->sample);
    base_free(search->images);
    base_free(search->held);
    base_free(search->echelon);
    base_free(search->row_of);
}

static uint64_t *row_of_pivot(const Search *search, size_t column)
{
    ptrdiff_t row = search->row_of[column];
    return row < 0 ? NULL : search->echelon + (size_t)row * search->columns;
}

// Takes one more equation into the echelon form. Whether it says something new.
static bool take_equation(Search *search, uint64_t *row, nmod_t mod)
{
    size_t columns = search->columns;
    for (size_t j = 0; j < columns; j++) {
        const uint64_t *known = row_of_pivot(search, j);
        slong left = (slong)(columns - j);
        if (row[j] == 0)
            continue;
        if (known) {
            _nmod_vec_scalar_addmul_nmod(row + j, known + j, left, nmod_neg(row[j], mod), mod);
            continue;
        }
        _nmod_vec_scalar_mul_nmod(row + j, row + j, left, n_invmod(row[j], mod.n), mod);
        memcpy(search->echelon + search->rank * columns, row, columns * sizeof *row);
        search->row_of[j] = (ptrdiff_t)search->rank++;
        return true;
    }
    return false;
}

// Takes the columns in which rows begin out of all others; what becomes of these alone is worked
// out in the free columns.
static void reduce(Search *search)
{
    size_t columns = search->columns, free_count = 0;
    size_t *free_ = base_alloc((columns + 1) * sizeof *free_); // the last one first
    nmod_t mod;
    nmod_init(&mod, search->sample.prime);
    for (size_t j = columns; j-- > 0;) {
        uint64_t *row = row_of_pivot(search, j);
        if (!row)
            free_[free_count++] = j;
        for (size_t k = j + 1; k < columns && row; k++) {
            const uint64_t *other = row_of_pivot(search, k);
            if (!other || row[k] == 0)
                continue;
            for (size_t i = 0; i < free_count && free_[i] > k; i++)
                row[free_[i]] =
                    nmod_sub(row[free_[i]], nmod_mul(row[k], other[free_[i]], mod), mod);
            row[k] = 0;
        }
    }
    base_free(free_);
}

static bool search_field(Search *search)
{
    if (!sample_draw(&search->sample))
        return false;
    nmod_t mod;
    nmod_init(&mod, search->sample.prime);
    for (int idle = 0; idle < IDLE_DRAWS && search->rank < search->columns;) {
        bool news = false;
        for (size_t i = 0; i < search->rows; i++)
            news |= take_equation(search, search->sample.outputs + i * search->columns, mod);
        idle = news ? 0 : idle + 1;
        if (!sample_draw_holding(&search->sample, search->held))
            return false;
    }
    return true;
}

bool algebra_constant_rank(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                           const Expr *constants, size_t constant_count, bool *independent)
{
    Search search;
    bool known = search_init(&search, algebra, matrix, rows, columns, constants, constant_count) &&
                 search_field(&search);
    for (size_t j = 0; j < columns; j++)
        independent[j] = known && row_of_pivot(&search, j);
    search_clear(&search);
    return known;
}

// ---- One relation: that which makes the column `free_` out of those before it.

typedef struct {
    size_t *support; // columns, the free one last
    size_t count;
    Expr *coefficients; // of the support
} Relation;

static void find_support(const Search *search, size_t free_, Relation *relation)
{
    relation->count = 0;
    for (size_t j = 0; j < free_; j++) {
        const uint64_t *row = row_of_pivot(search, j);
        if (row && row[free_] != 0)
            relation->support[relation->count++] = j;
    }
    relation->support[relation->count++] = free_;
}

// The coefficients as rational numbers, where all of them are small ones.
static bool read_numbers(const Search *search, size_t free_, Relation *relation)
{
    ExprPool *pool = search->algebra->pool;
    uint64_t prime = search->sample.prime;
    bool small = true;
    fmpz_t value, modulus;
    fmpq_t number;
    fmpz_init(value);
    fmpz_init_set_ui(modulus, prime);
    fmpq_init(number);
    for (size_t i = 0; i + 1 < relation->count && small; i++) {
        fmpz_set_ui(value, prime - row_of_pivot(search, relation->support[i])[free_]);
        small = fmpq_reconstruct_fmpz(number, value, modulus) &&
                fmpz_bits(fmpq_numref(number)) + fmpz_bits(fmpq_denref(number)) <= SMALL_NUMBER;
        if (small)
            relation->coefficients[i] = expr_number(pool, number);
    }
    relation->coefficients[relation->count - 1] = expr_int(pool, 1);
    fmpz_clear(value);
    fmpz_clear(modulus);
    fmpq_clear(number);
    return small;
}

// A small rational point for every symbol that is not held.
static void small_point(const Search *search, Random *random, Expr *symbols, Expr *values,
                        size_t *count)
{
    ExprPool *pool = search->algebra->pool;
    const Sample *sample = &search->sample;
    *count = 0;
    int64_t *over = base_alloc((sample->symbols.count + 1) * sizeof *over);
    int64_t *under = base_alloc((sample->symbols.count + 1) * sizeof *under);
    for (size_t i = 0; i < sample->symbols.count; i++) {
        if (search->held[i])
            continue;
        Expr symbol = {sample->symbols.at[i]};
        const Circle *circle = atoms_circle(search->algebra, symbol);
        size_t twin = sample->twin[i];
        if (twin == i) {
            over[i] = (int64_t)random_below(random, 6) + 1;
            under[i] = circle ? (int64_t)random_below(random, 4) + over[i] + 1 : 1;
        }
        int64_t a = over[twin], b = under[twin];
        symbols[*count] = symbol;
        values[(*count)++] = !circle ? expr_int(pool, a)
                             : expr_same(symbol, circle->sine)
                                 ? expr_ratio(pool, 2 * a * b, a * a + b * b)
                                 : expr_ratio(pool, b * b - a * a, a * a + b * b);
    }
    base_free(over);
    base_free(under);
}

// The equations for the support's coefficients at small points, as many as `wanted`.
static Expr *small_equations(const Search *search, const Relation *relation, size_t wanted)
{
    size_t symbols = search->sample.symbols.count, filled = 0, count;
    Expr *equations = base_alloc((wanted * relation->count + 1) * sizeof *equations);
    Expr *symbol = base_alloc((2 * symbols + 1) * sizeof *symbol), *value = symbol + symbols;
    Random random = random_seed(0x9D1E5u);
    while (filled < wanted) {
        small_point(search, &random, symbol, value, &count);
        ExprSubst *subst = expr_subst_new(search->algebra->pool);
        for (size_t i = 0; i < count; i++)
            expr_subst_set(subst, symbol[i], value[i]);
        for (size_t i = 0; i < search->rows && filled < wanted; i++, filled++)
            for (size_t j = 0; j < relation->count; j++)
                equations[filled * relation->count + j] =
                    expr_subst(subst, search->images[i * search->columns + relation->support[j]]);
        expr_subst_free(subst);
    }
    base_free(symbol);
    return equations;
}

// Atoms of the constants are put back into the asker's language.
static Expr in_words(Algebra *algebra, Expr e)
{
    ExprList symbols = expr_symbols(algebra->pool, &e, 1);
    ExprSubst *subst = expr_subst_new(algebra->pool);
    for (size_t i = 0; i < symbols.count; i++) {
        Expr symbol = {symbols.at[i]};
        expr_subst_set(subst, symbol, atoms_meaning(algebra, symbol));
    }
    Expr image = expr_subst(subst, e);
    expr_subst_free(subst);
    expr_list_free(&symbols);
    return image;
}

// Solves the equations that are independent for the coefficients before the last, which is 1.
static bool solve_coefficients(Search *search, const Expr *equations, size_t equation_count,
                               Relation *relation)
{
    Algebra *algebra = search->algebra;
    size_t size = relation->count - 1, taken = 0;
    Expr *left = base_alloc((equation_count * size + 1) * sizeof *left);
    Expr *right = base_alloc((size + 1) * sizeof *right);
    bool *independent = base_alloc((equation_count + 1) * sizeof *independent);
    for (size_t i = 0; i < equation_count; i++)
        memcpy(left + i * size, equations + i * relation->count, size * sizeof *left);
    ptrdiff_t rank = algebra_rank(algebra, left, equation_count, size, NULL, independent, NULL);
    for (size_t i = 0; i < equation_count && taken < size; i++) {
        if (!independent[i])
            continue;
        memmove(left + taken * size, left + i * size, size * sizeof *left);
        right[taken++] = expr_neg(algebra->pool, equations[i * relation->count + size]);
    }
    bool solved = rank == (ptrdiff_t)size &&
                  algebra_solve(algebra, left, right, size, 1, relation->coefficients);
    for (size_t j = 0; j < size && solved; j++)
        relation->coefficients[j] =
            algebra_simplify(algebra, in_words(algebra, relation->coefficients[j]));
    relation->coefficients[size] = expr_int(algebra->pool, 1);
    base_free(left);
    base_free(right);
    base_free(independent);
    return solved;
}

static bool find_functions(Search *search, Relation *relation)
{
    if (relation->count > LARGEST_SYSTEM)
        return false;
    size_t wanted = 3 * relation->count;
    Expr *equations = small_equations(search, relation, wanted);
    bool solved = solve_coefficients(search, equations, wanted, relation);
    base_free(equations);
    return solved;
}

// ---- Proof.

static bool holds_in_all_rows(const Search *search, const Expr *matrix, const Relation *relation,
                              ProofKind *proof)
{
    *proof = PROOF_EXACT;
    ExprPool *pool = search->algebra->pool;
    Expr *terms = base_alloc((relation->count + 1) * sizeof *terms);
    bool holds = true;
    for (size_t i = 0; i < search->rows && holds; i++) {
        for (size_t j = 0; j < relation->count; j++)
            terms[j] = expr_mul(pool, relation->coefficients[j],
                                matrix[i * search->columns + relation->support[j]]);
        Verdict zero = algebra_is_zero(search->algebra, expr_sum(pool, terms, relation->count));
        holds = zero.answer == ANSWER_YES;
        if (zero.proof == PROOF_MODULAR)
            *proof = PROOF_MODULAR;
        verdict_clear(&zero);
    }
    base_free(terms);
    return holds;
}

static void keep(AlgebraRelations *relations, const Relation *relation, ProofKind proof, Expr zero)
{
    relations->proofs[relations->count] = proof;
    Expr *row = relations->coefficients + relations->count++ * relations->columns;
    for (size_t j = 0; j < relations->columns; j++)
        row[j] = zero;
    for (size_t j = 0; j < relation->count; j++)
        row[relation->support[j]] = relation->coefficients[j];
}

void algebra_relations(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                       const Expr *constants, size_t constant_count, AlgebraRelations *relations)
{
    Search search;
    *relations = (AlgebraRelations){.columns = columns};
    bool known = search_init(&search, algebra, matrix, rows, columns, constants, constant_count) &&
                 search_field(&search);
    if (known)
        reduce(&search);
    size_t free_count = known ? columns - search.rank : 0;
    relations->proofs = base_alloc((free_count + 1) * sizeof *relations->proofs);
    relations->coefficients = base_alloc((free_count * columns + 1) * sizeof(Expr));
    Relation relation = {.support = base_alloc((columns + 1) * sizeof(size_t)),
                         .coefficients = base_alloc((columns + 1) * sizeof(Expr))};
    for (size_t j = 0; j < columns && known; j++) {
        if (row_of_pivot(&search, j))
            continue;
        ProofKind proof;
        find_support(&search, j, &relation);
        if ((read_numbers(&search, j, &relation) || find_functions(&search, &relation)) &&
            holds_in_all_rows(&search, matrix, &relation, &proof))
            keep(relations, &relation, proof, expr_int(algebra->pool, 0));
        else
            relations->unproved++;
    }
    base_free(relation.support);
    base_free(relation.coefficients);
    search_clear(&search);
}

void algebra_relations_clear(AlgebraRelations *relations)
{
    base_free(relations->coefficients);
    base_free(relations->proofs);
    *relations = (AlgebraRelations){0};
}

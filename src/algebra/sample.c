// sample.c: expressions over atoms at random points of random prime fields.
//
// The primes are drawn from those between 2^60 and 2^61, a new one for every point: a single
// prime would take its own multiples for zero, and has roots of some numbers and never of
// others. The seed is fixed, so that the same question has the same answer.
#include "algebra/algebra_impl.h"

#include <flint/nmod.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>

// Points without value that are passed over before giving up.
enum { MOST_FAILURES = 64, MOST_FAILURES_OF_ROOTS = 4096 };

static uint64_t random_prime(Random *random)
{
    for (;;) {
        uint64_t n = (random_next(random) >> 4) | (uint64_t)1 << 60 | 1;
        if (n_is_prime(n))
            return n;
    }
}

// The first symbol of the same circle.
static size_t twin_of(const Sample *sample, size_t index)
{
    const Circle *circle = atoms_circle(sample->algebra, (Expr){sample->symbols.at[index]});
    for (size_t i = 0; circle && i < index; i++) {
        uint32_t at = sample->symbols.at[i];
        if (at == circle->sine.at || at == circle->cosine.at)
            return i;
    }
    return index;
}

bool sample_init(Sample *sample, const Algebra *algebra, const Expr *roots, size_t count)
{
    *sample = (Sample){.algebra = algebra, .random = random_seed(0x5A57414E47u)};
    sample->symbols = expr_symbols(algebra->pool, roots, count);
    size_t inputs = sample->symbols.count;
    Expr *symbols = base_alloc((inputs + 1) * sizeof *symbols);
    sample->twin = base_alloc((inputs + 1) * sizeof *sample->twin);
    for (size_t i = 0; i < inputs; i++) {
        symbols[i] = (Expr){sample->symbols.at[i]};
        sample->twin[i] = twin_of(sample, i);
    }
    sample->program = program_new(algebra->pool, symbols, inputs, roots, count, NULL);
    square_roots_init(sample, symbols, roots, count);
    base_free(symbols);
    sample->parameters = base_alloc((inputs + 1) * sizeof *sample->parameters);
    sample->inputs = base_alloc((inputs + 1) * sizeof *sample->inputs);
    sample->outputs = base_alloc((count + 1) * sizeof *sample->outputs);
    size_t registers = program_registers(sample->program);
    for (size_t i = 0; i < sample->roots.count; i++) {
        size_t own = program_registers(sample->roots.at[i].radicand);
        registers = own > registers ? own : registers;
    }
    sample->work = base_alloc((registers + 1) * sizeof *sample->work);
    return program_is_rational(sample->program);
}

void sample_clear(Sample *sample)
{
    square_roots_clear(sample);
    program_free(sample->program);
    expr_list_free(&sample->symbols);
    base_free(sample->twin);
    base_free(sample->parameters);
    base_free(sample->inputs);
    base_free(sample->outputs);
    base_free(sample->work);
    *sample = (Sample){0};
}

// s = 2t/(1+t²) or c = (1−t²)/(1+t²).
static uint64_t circle_value(uint64_t t, bool is_sine, nmod_t mod)
{
    uint64_t square = nmod_mul(t, t, mod);
    uint64_t inverse = n_invmod(nmod_add(1, square, mod), mod.n);
    uint64_t above = is_sine ? nmod_add(t, t, mod) : nmod_sub(1, square, mod);
    return nmod_mul(above, inverse, mod);
}

void sample_draw_stage(Sample *sample, const bool *held, bool new_field, size_t stage)
{
    nmod_t mod;
    if (new_field && stage == 0)
        sample->prime = random_prime(&sample->random);
    nmod_init(&mod, sample->prime);
    for (size_t i = 0; i < sample->symbols.count; i++) {
        if (sample->stage[sample->twin[i]] != stage)
            continue;
        Expr symbol = {sample->symbols.at[i]};
        const Circle *circle = atoms_circle(sample->algebra, symbol);
        uint64_t *parameter = &sample->parameters[sample->twin[i]];
        if (sample->twin[i] == i && !(held && held[i])) {
            do
                *parameter = random_below(&sample->random, sample->prime);
            while (circle && nmod_mul(*parameter, *parameter, mod) == sample->prime - 1);
        }
        sample->inputs[i] =
            circle ? circle_value(*parameter, expr_same(symbol, circle->sine), mod) : *parameter;
    }
}

static bool draw_until_valued(Sample *sample, const bool *held, bool new_field)
{
    int most = program_has_roots(sample->program) ? MOST_FAILURES_OF_ROOTS : MOST_FAILURES;
    for (int i = 0; i < most && !sample->hopeless; i++) {
        uint64_t signs = random_next(&sample->random);
        bool exist = true;
        for (size_t stage = 0; stage <= sample->stages && exist; stage++)
            exist = square_roots_draw(sample, held, new_field, stage, signs);
        Random random = random_seed(signs);
        if (exist && program_run_field(sample->program, sample->prime, &random, sample->inputs,
                                       sample->outputs, sample->work))
            return true;
    }
    return false;
}

bool sample_draw(Sample *sample)
{
    return draw_until_valued(sample, NULL, true);
}

bool sample_draw_holding(Sample *sample, const bool *held)
{
    return draw_until_valued(sample, held, false);
}

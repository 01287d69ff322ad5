// elimination_form.c: a quadratic form with few entries, and its elimination step by step.
//
// Four steps: substitution (a sequence of shears x = x' + c·y), the turn of all vectors of a frame
// together, the least over one unknown, and an unknown solved from a row of which it has a constant
// factor. All are logged; the log read backwards gives the unknowns.
#include "dynamics/elimination_impl.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <math.h>

void quadratic_init(GaussForm *form, Assembly *assembly)
{
    *form = (GaussForm){.assembly = assembly, .zero = assembly_int(assembly, 0)};
    quadratic_new_unknown(form, false);
}

void quadratic_clear(GaussForm *form)
{
    for (size_t i = 0; i < form->unknowns.count; i++)
        array_clear(&form->unknowns.at[i].entries);
    array_clear(&form->unknowns);
    array_clear(&form->log);
    array_clear(&form->log_terms);
    array_clear(&form->pivots);
}

uint32_t quadratic_new_unknown(GaussForm *form, bool multiplier)
{
    GaussUnknown unknown = {.diagonal = form->zero,
                            .bias = form->zero,
                            .measure = form->zero,
                            .multiplier = multiplier};
    array_push(&form->unknowns, unknown);
    return (uint32_t)form->unknowns.count - 1;
}

// ---- Entries.

static GaussUnknown *unknown_at(const GaussForm *form, uint32_t x)
{
    return &form->unknowns.at[x];
}

static GaussTerm *find_entry(const GaussForm *form, uint32_t x, uint32_t y)
{
    GaussTerms *entries = &unknown_at(form, x)->entries;
    for (size_t i = 0; i < entries->count; i++)
        if (entries->at[i].unknown == y)
            return &entries->at[i];
    return NULL;
}

ProgramValue quadratic_entry(const GaussForm *form, uint32_t x, uint32_t y)
{
    if (x == y)
        return unknown_at(form, x)->diagonal;
    const GaussTerm *entry = find_entry(form, x, y);
    return entry ? entry->value : form->zero;
}

ProgramValue quadratic_bias(const GaussForm *form, uint32_t x)
{
    return unknown_at(form, x)->bias;
}

void quadratic_hold(GaussForm *form)
{
    for (uint32_t x = 0; x < form->unknowns.count; x++) {
        GaussUnknown *unknown = unknown_at(form, x);
        unknown->bias = form->zero;
        unknown->diagonal = assembly_hold(form->assembly, unknown->diagonal);
        unknown->measure = assembly_hold(form->assembly, unknown->measure);
        for (size_t i = 0; i < unknown->entries.count; i++)
            unknown->entries.at[i].value =
                assembly_hold(form->assembly, unknown->entries.at[i].value);
    }
}

// Entries stand in the order of the unknowns, whatever was done before: so what links of one shape
// do is written in one order, and is one piece of code.
static void insert_entry(GaussForm *form, uint32_t x, GaussTerm entry)
{
    GaussTerms *entries = &unknown_at(form, x)->entries;
    array_push(entries, entry);
    size_t i = entries->count - 1;
    for (; i > 0 && entries->at[i - 1].unknown > entry.unknown; i--)
        entries->at[i] = entries->at[i - 1];
    entries->at[i] = entry;
}

static void remove_entry(GaussForm *form, uint32_t x, uint32_t y)
{
    GaussTerms *entries = &unknown_at(form, x)->entries;
    size_t kept = 0;
    for (size_t i = 0; i < entries->count; i++)
        if (entries->at[i].unknown != y)
            entries->at[kept++] = entries->at[i];
    entries->count = kept;
}

static void set_entry(GaussForm *form, uint32_t x, uint32_t y, ProgramValue value)
{
    if (x == y) {
        unknown_at(form, x)->diagonal = value;
        return;
    }
    if (assembly_is_zero(form->assembly, value)) {
        remove_entry(form, x, y);
        remove_entry(form, y, x);
        return;
    }
    assert(x != 0 && y != 0);
    const uint32_t both[] = {x, y};
    for (int i = 0; i < 2; i++) {
        GaussTerm *entry = find_entry(form, both[i], both[1 - i]);
        if (entry)
            entry->value = value;
        else
            insert_entry(form, both[i], (GaussTerm){both[1 - i], value, false});
    }
}

// An entry of a row, where it is kept; NULL: it is none, or not there.
static GaussTerm *find_in_row(const GaussForm *form, uint32_t x, uint32_t y)
{
    if (unknown_at(form, x)->multiplier == unknown_at(form, y)->multiplier)
        return NULL;
    return unknown_at(form, x)->multiplier ? find_entry(form, x, y) : find_entry(form, y, x);
}

static bool is_cancelled(const GaussForm *form, uint32_t x, uint32_t y)
{
    const GaussTerm *entry = find_in_row(form, x, y);
    return entry && entry->cancelled;
}

// Entries of a row may cancel identically without being seen to: the arm of a particle of a body,
// and that of the body's centre. What rounding leaves of them must not become a pivot.
static void change_in_row(GaussForm *form, uint32_t x, uint32_t y, ProgramValue by, bool cancelled)
{
    Assembly *assembly = form->assembly;
    const GaussTerm *former = find_in_row(form, x, y);
    double before = former ? fabs(assembly_sample(assembly, former->value)) : 0;
    bool nothing = cancelled && (!former || former->cancelled);
    set_entry(form, x, y, assembly_add(assembly, quadratic_entry(form, x, y), by));
    GaussTerm *entry = find_in_row(form, x, y);
    if (!entry)
        return;
    double size = fmax(before, fabs(assembly_sample(assembly, by)));
    entry->cancelled =
        nothing || fabs(assembly_sample(assembly, entry->value)) <= TOL_ROUNDING * size;
}

// Without the diagonal's account of what it was given; `by` may be rounding.
static void change_by(GaussForm *form, uint32_t x, uint32_t y, ProgramValue by, bool cancelled)
{
    if (x == 0 || y == 0 || assembly_is_zero(form->assembly, by))
        return;
    if (unknown_at(form, x)->multiplier != unknown_at(form, y)->multiplier)
        change_in_row(form, x, y, by, cancelled);
    else
        set_entry(form, x, y, assembly_add(form->assembly, quadratic_entry(form, x, y), by));
}

static void change(GaussForm *form, uint32_t x, uint32_t y, ProgramValue by)
{
    change_by(form, x, y, by, false);
}

void quadratic_add(GaussForm *form, uint32_t x, uint32_t y, ProgramValue value)
{
    if (x == y && x != 0)
        unknown_at(form, x)->measure =
            assembly_add(form->assembly, unknown_at(form, x)->measure, value);
    change(form, x, y, value);
}

void quadratic_add_bias(GaussForm *form, uint32_t x, ProgramValue value)
{
    if (x == 0)
        return;
    ProgramValue *bias = &unknown_at(form, x)->bias;
    *bias = assembly_add(form->assembly, *bias, value);
}

static void drop(GaussForm *form, uint32_t x)
{
    GaussUnknown *unknown = unknown_at(form, x);
    for (size_t i = 0; i < unknown->entries.count; i++)
        remove_entry(form, unknown->entries.at[i].unknown, x);
    array_clear(&unknown->entries);
    unknown->left = true;
}

// ---- The log.

static GaussStep *begin_step(GaussForm *form, uint32_t x, ProgramValue constant)
{
    array_push(&form->log, ((GaussStep){x, form->log_terms.count, 0, constant}));
    return &form->log.at[form->log.count - 1];
}

static void push_term(GaussForm *form, uint32_t y, ProgramValue factor)
{
    if (y == 0 || assembly_is_zero(form->assembly, factor))
        return;
    array_push(&form->log_terms, ((GaussTerm){y, factor, false}));
    form->log.at[form->log.count - 1].count++;
}

void quadratic_set(GaussForm *form, uint32_t x, ProgramValue value)
{
    assert(x != 0 && !unknown_at(form, x)->left);
    begin_step(form, x, value);
    drop(form, x);
}

ProgramValue *quadratic_solve(const GaussForm *form)
{
    ProgramValue *values = base_alloc(form->unknowns.count * sizeof *values);
    Assembly *assembly = form->assembly;
    for (size_t i = 0; i < form->unknowns.count; i++)
        values[i] = form->zero;
    for (size_t i = form->log.count; i-- > 0;) {
        const GaussStep *step = &form->log.at[i];
        ProgramValue sum = step->constant;
        for (size_t j = step->first; j < step->first + step->count; j++) {
            const GaussTerm *term = &form->log_terms.at[j];
            sum = assembly_add(assembly, sum,
                               assembly_mul(assembly, term->value, values[term->unknown]));
        }
        values[step->unknown] = sum;
    }
    return values;
}

// ---- Shears.

// x = x' + c·y, and x stands for x' from now on.
static void shear(GaussForm *form, uint32_t x, ProgramValue c, uint32_t y)
{
    Assembly *assembly = form->assembly;
    if (y == 0 || assembly_is_zero(assembly, c))
        return;
    ProgramValue both = quadratic_entry(form, x, y), own = unknown_at(form, x)->diagonal;
    for (size_t i = 0; i < unknown_at(form, x)->entries.count; i++) {
        GaussTerm entry = unknown_at(form, x)->entries.at[i];
        if (entry.unknown != y)
            change_by(form, y, entry.unknown, assembly_mul(assembly, c, entry.value),
                      is_cancelled(form, x, entry.unknown));
    }
    quadratic_add_bias(form, y, assembly_mul(assembly, c, unknown_at(form, x)->bias));
    ProgramValue now = assembly_add(assembly, both, assembly_mul(assembly, c, own));
    quadratic_add(form, y, y, assembly_mul(assembly, c, assembly_add(assembly, both, now)));
    set_entry(form, x, y, now);
}

// x = x' + c.
static void shift(GaussForm *form, uint32_t x, ProgramValue c)
{
    Assembly *assembly = form->assembly;
    const GaussUnknown *unknown = unknown_at(form, x);
    if (assembly_is_zero(assembly, c))
        return;
    for (size_t i = 0; i < unknown->entries.count; i++)
        quadratic_add_bias(form, unknown->entries.at[i].unknown,
                           assembly_mul(assembly, c, unknown->entries.at[i].value));
    quadratic_add_bias(form, x, assembly_mul(assembly, c, unknown->diagonal));
}

// Factors 1 come last: what x' then is coupled to is not needed any more.
static void shear_all(GaussForm *form, uint32_t x, const GaussTerm *terms, size_t count)
{
    for (int ones = 0; ones < 2; ones++)
        for (size_t i = 0; i < count; i++)
            if (assembly_is_one(form->assembly, terms[i].value) == (ones == 1))
                shear(form, x, terms[i].value, terms[i].unknown);
}

void quadratic_substitute(GaussForm *form, uint32_t x, const GaussTerm *terms, size_t count)
{
    assert(x != 0 && !unknown_at(form, x)->left);
    begin_step(form, x, form->zero);
    for (size_t i = 0; i < count; i++)
        push_term(form, terms[i].unknown, terms[i].value);
    shear_all(form, x, terms, count);
    drop(form, x);
}

// ---- Vectors: several unknowns whose definitions have the same terms, taken together.

typedef struct {
    const uint32_t *x;
    size_t count;
    ProgramValue factors[3]; // of y
} Block;

static bool is_in_block(const Block *block, uint32_t unknown)
{
    for (size_t i = 0; i < block->count; i++)
        if (block->x[i] == unknown)
            return true;
    return false;
}

// Q_yz for all z beside y and the block, and b_y.
static void shear_others(GaussForm *form, const Block *block, uint32_t y)
{
    Assembly *assembly = form->assembly;
    ProgramValue bias = form->zero;
    for (size_t i = 0; i < block->count; i++) {
        bias = assembly_add(
            assembly, bias,
            assembly_mul(assembly, block->factors[i], unknown_at(form, block->x[i])->bias));
        for (size_t k = 0; k < unknown_at(form, block->x[i])->entries.count; k++) {
            GaussTerm entry = unknown_at(form, block->x[i])->entries.at[k];
            if (entry.unknown != y && !is_in_block(block, entry.unknown))
                change_by(form, y, entry.unknown,
                          assembly_mul(assembly, block->factors[i], entry.value),
                          is_cancelled(form, block->x[i], entry.unknown));
        }
    }
    quadratic_add_bias(form, y, bias);
}

// x_i = x_i' + c_i·y.
static void shear_block(GaussForm *form, const Block *block, uint32_t y)
{
    Assembly *assembly = form->assembly;
    ProgramValue now[3], own = form->zero;
    shear_others(form, block, y);
    for (size_t i = 0; i < block->count; i++) {
        ProgramValue former = quadratic_entry(form, block->x[i], y), sum = form->zero;
        for (size_t k = 0; k < block->count; k++)
            sum = assembly_add(assembly, sum,
                               assembly_mul(assembly, block->factors[k],
                                            quadratic_entry(form, block->x[i], block->x[k])));
        now[i] = assembly_add(assembly, former, sum);
        own = assembly_add(
            assembly, own,
            assembly_mul(assembly, block->factors[i], assembly_add(assembly, former, now[i])));
    }
    quadratic_add(form, y, y, own);
    for (size_t i = 0; i < block->count; i++)
        set_entry(form, block->x[i], y, now[i]);
}

static ProgramValue factor_of(const GaussForm *form, const GaussTerms *terms, uint32_t y)
{
    for (size_t i = 0; i < terms->count; i++)
        if (terms->at[i].unknown == y)
            return terms->at[i].value;
    return form->zero;
}

static bool is_common(const GaussForm *form, const GaussTerms *terms, size_t count, uint32_t y)
{
    size_t times = 0;
    for (size_t i = 0; i < count; i++)
        times += !assembly_is_zero(form->assembly, factor_of(form, &terms[i], y));
    return times > 1;
}

void quadratic_substitute_vector(GaussForm *form, const uint32_t *x, GaussTerms *terms,
                                 size_t count)
{
    assert(count <= 3);
    Block block = {.x = x, .count = count};
    for (size_t i = 0; i < count; i++) {
        begin_step(form, x[i], form->zero);
        for (size_t k = 0; k < terms[i].count; k++)
            push_term(form, terms[i].at[k].unknown, terms[i].at[k].value);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < terms[i].count; k++) {
            uint32_t y = terms[i].at[k].unknown;
            if (y == 0 || !is_common(form, terms, count, y))
                continue;
            for (size_t l = 0; l < count; l++)
                block.factors[l] = factor_of(form, &terms[l], y);
            shear_block(form, &block, y);
            // It is done with in the others too.
            for (size_t l = 0; l < count; l++)
                for (size_t at = 0; at < terms[l].count; at++)
                    if (terms[l].at[at].unknown == y)
                        terms[l].at[at].unknown = 0;
        }
    for (size_t i = 0; i < count; i++)
        shear_all(form, x[i], terms[i].at, terms[i].count);
    for (size_t i = 0; i < count; i++)
        drop(form, x[i]);
}

// ---- Turns.

typedef struct {
    GaussForm *form;
    ProgramValue c, s, twice; // twice the cosine
} Turn;

static ProgramValue times(const Turn *turn, ProgramValue a, ProgramValue b)
{
    return assembly_mul(turn->form->assembly, a, b);
}

static ProgramValue minus(const Turn *turn, ProgramValue a, ProgramValue b)
{
    return assembly_sub(turn->form->assembly, a, b);
}

static ProgramValue plus(const Turn *turn, ProgramValue a, ProgramValue b)
{
    return assembly_add(turn->form->assembly, a, b);
}

// Where one of a pair alone has an entry, it leaves c² of it there: 1 − s² would lose its digits
// where the cosine is small, as in gimbal lock.
static void turn_single(const Turn *turn, const uint32_t *from, const uint32_t *to,
                        ProgramValue own)
{
    ProgramValue mixed = times(turn, turn->c, times(turn, turn->s, own));
    set_entry(turn->form, from[0], from[0], times(turn, turn->c, times(turn, turn->c, own)));
    set_entry(turn->form, to[0], to[0], times(turn, turn->s, times(turn, turn->s, own)));
    set_entry(turn->form, from[0], to[0], from < to ? mixed : assembly_negated(mixed));
}

static void turn_own(const Turn *turn, const uint32_t *pair)
{
    GaussForm *form = turn->form;
    ProgramValue first = quadratic_entry(form, pair[0], pair[0]),
                 second = quadratic_entry(form, pair[1], pair[1]),
                 both = quadratic_entry(form, pair[0], pair[1]);
    bool empty[2] = {assembly_is_zero(form->assembly, first),
                     assembly_is_zero(form->assembly, second)};
    if (assembly_is_zero(form->assembly, both) && empty[0] != empty[1]) {
        unknown_at(form, pair[0])->measure = unknown_at(form, pair[1])->measure =
            plus(turn, unknown_at(form, pair[0])->measure, unknown_at(form, pair[1])->measure);
        turn_single(turn, pair + empty[0], pair + empty[1], empty[0] ? second : first);
        return;
    }
    ProgramValue w = plus(turn, times(turn, turn->s, minus(turn, first, second)),
                          times(turn, turn->twice, both));
    ProgramValue sw = times(turn, turn->s, w);
    unknown_at(form, pair[0])->measure = unknown_at(form, pair[1])->measure =
        plus(turn, unknown_at(form, pair[0])->measure, unknown_at(form, pair[1])->measure);
    set_entry(form, pair[0], pair[0], minus(turn, first, sw));
    set_entry(form, pair[1], pair[1], plus(turn, second, sw));
    set_entry(form, pair[0], pair[1], minus(turn, times(turn, turn->c, w), both));
}

static void turn_two(const Turn *turn, const uint32_t *p, const uint32_t *q)
{
    GaussForm *form = turn->form;
    ProgramValue b11 = quadratic_entry(form, p[0], q[0]), b12 = quadratic_entry(form, p[0], q[1]),
                 b21 = quadratic_entry(form, p[1], q[0]), b22 = quadratic_entry(form, p[1], q[1]);
    ProgramValue w = plus(turn, times(turn, turn->s, minus(turn, b11, b22)),
                          times(turn, turn->c, plus(turn, b12, b21)));
    ProgramValue sw = times(turn, turn->s, w), cw = times(turn, turn->c, w);
    set_entry(form, p[0], q[0], minus(turn, b11, sw));
    set_entry(form, p[1], q[1], plus(turn, b22, sw));
    set_entry(form, p[0], q[1], minus(turn, cw, b21));
    set_entry(form, p[1], q[0], minus(turn, cw, b12));
}

static void turn_values(const Turn *turn, ProgramValue *first, ProgramValue *second)
{
    ProgramValue a = *first, b = *second;
    *first = minus(turn, times(turn, turn->c, a), times(turn, turn->s, b));
    *second = plus(turn, times(turn, turn->s, a), times(turn, turn->c, b));
}

static bool is_among(const uint32_t *list, size_t count, uint32_t x)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == x)
            return true;
    return false;
}

// What a pair is coupled to beside the pairs.
static void turn_others(const Turn *turn, const uint32_t *pair, const uint32_t *pairs, size_t count)
{
    GaussForm *form = turn->form;
    ARRAY(uint32_t) others = {0};
    for (int side = 0; side < 2; side++) {
        const GaussTerms *entries = &unknown_at(form, pair[side])->entries;
        for (size_t i = 0; i < entries->count; i++)
            if (!is_among(pairs, 2 * count, entries->at[i].unknown) &&
                !is_among(others.at, others.count, entries->at[i].unknown))
                array_push(&others, entries->at[i].unknown);
    }
    for (size_t i = 0; i < others.count; i++) {
        ProgramValue first = quadratic_entry(form, pair[0], others.at[i]),
                     second = quadratic_entry(form, pair[1], others.at[i]);
        bool cancelled =
            (is_cancelled(form, pair[0], others.at[i]) ||
             assembly_is_zero(form->assembly, first)) &&
            (is_cancelled(form, pair[1], others.at[i]) || assembly_is_zero(form->assembly, second));
        turn_values(turn, &first, &second);
        set_entry(form, pair[0], others.at[i], first);
        set_entry(form, pair[1], others.at[i], second);
        for (int side = 0; side < 2; side++) {
            GaussTerm *entry = find_in_row(form, pair[side], others.at[i]);
            if (entry)
                entry->cancelled = cancelled;
        }
    }
    turn_values(turn, &unknown_at(form, pair[0])->bias, &unknown_at(form, pair[1])->bias);
    array_clear(&others);
}

// u = (c y₁ + s y₂, c y₂ − s y₁), y above.
static void log_turn(const Turn *turn, const uint32_t *pair, const uint32_t *above)
{
    GaussForm *form = turn->form;
    begin_step(form, pair[0], form->zero);
    push_term(form, above[0], turn->c);
    push_term(form, above[1], turn->s);
    begin_step(form, pair[1], form->zero);
    push_term(form, above[1], turn->c);
    push_term(form, above[0], assembly_negated(turn->s));
}

void quadratic_turn(GaussForm *form, const uint32_t *pairs, const uint32_t *above, size_t count,
                    ProgramValue cosine, ProgramValue sine)
{
    ProgramValue one = assembly_int(form->assembly, 1);
    Turn turn = {form, cosine, sine,
                 assembly_mul(form->assembly, assembly_int(form->assembly, 2), cosine)};
    for (size_t i = 0; i < count; i++)
        turn_own(&turn, pairs + 2 * i);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            turn_two(&turn, pairs + 2 * i, pairs + 2 * j);
    for (size_t i = 0; i < count; i++) {
        turn_others(&turn, pairs + 2 * i, pairs, count);
        log_turn(&turn, pairs + 2 * i, above + 2 * i);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        shear(form, pairs[i], one, above[i]);
        drop(form, pairs[i]);
    }
}

// ---- Unknowns leave.

// What leaves takes from its like, and gives to the others.
static void lower_diagonal(GaussForm *form, uint32_t x, ProgramValue by, bool multiplier)
{
    if (unknown_at(form, x)->multiplier != multiplier)
        quadratic_add(form, x, x, assembly_negated(by));
    else
        change(form, x, x, assembly_negated(by));
}

// Whether a pivot is one, to the eye and to rounding; it will be watched then.
static bool take_pivot(GaussForm *form, const GaussUnknown *unknown)
{
    Assembly *assembly = form->assembly;
    if (assembly_is_zero(assembly, unknown->diagonal))
        return false;
    double pivot = assembly_sample(assembly, unknown->diagonal);
    double measure = assembly_sample(assembly, unknown->measure);
    bool grasped = !unknown->multiplier || unknown->grasped;
    if (!grasped || !(fabs(pivot) > TOL_RANK * fabs(measure))) {
        assembly_let_samples_decide(assembly);
        return false;
    }
    array_push(&form->pivots, ((GaussPivot){unknown->diagonal, unknown->measure,
                                            assembly_is_constant(assembly, unknown->diagonal)}));
    return true;
}

bool quadratic_least(GaussForm *form, uint32_t x)
{
    Assembly *assembly = form->assembly;
    GaussUnknown *unknown = unknown_at(form, x);
    assert(x != 0 && !unknown->left);
    ProgramValue pivot = unknown->diagonal;
    bool multiplier = unknown->multiplier;
    if (!take_pivot(form, unknown))
        return false;
    for (size_t i = 0; i < unknown->entries.count; i++)
        unknown->entries.at[i].cancelled = is_cancelled(form, x, unknown->entries.at[i].unknown);
    GaussTerms entries = unknown->entries;
    ProgramValue bias = assembly_div(assembly, unknown->bias, pivot);
    unknown->entries = (GaussTerms){0};
    begin_step(form, x, assembly_negated(bias));
    for (size_t i = 0; i < entries.count; i++) {
        GaussTerm at = entries.at[i];
        ProgramValue factor = assembly_div(assembly, at.value, pivot);
        remove_entry(form, at.unknown, x);
        push_term(form, at.unknown, assembly_negated(factor));
        for (size_t j = 0; j < i; j++)
            change_by(form, at.unknown, entries.at[j].unknown,
                      assembly_negated(assembly_mul(assembly, factor, entries.at[j].value)),
                      at.cancelled || entries.at[j].cancelled);
        unknown_at(form, at.unknown)->grasped |= !at.cancelled;
        lower_diagonal(form, at.unknown, assembly_mul(assembly, factor, at.value), multiplier);
        quadratic_add_bias(form, at.unknown,
                           assembly_negated(assembly_mul(assembly, at.value, bias)));
    }
    array_clear(&entries);
    unknown_at(form, x)->left = true;
    return true;
}

// x from a row λ: λ and x leave together.
static void solve_row(GaussForm *form, uint32_t x, uint32_t lambda)
{
    Assembly *assembly = form->assembly;
    assert(unknown_at(form, lambda)->multiplier && !unknown_at(form, x)->multiplier);
    ProgramValue inverse =
        assembly_div(assembly, assembly_int(assembly, 1), quadratic_entry(form, lambda, x));
    GaussTerms row = {0};
    for (size_t i = 0; i < unknown_at(form, lambda)->entries.count; i++) {
        GaussTerm entry = unknown_at(form, lambda)->entries.at[i];
        entry.value = assembly_negated(assembly_mul(assembly, entry.value, inverse));
        if (entry.unknown != x)
            array_push(&row, entry);
    }
    ProgramValue constant =
        assembly_negated(assembly_mul(assembly, unknown_at(form, lambda)->bias, inverse));
    drop(form, lambda);
    for (size_t i = 0; i < row.count; i++)
        shear(form, x, row.at[i].value, row.at[i].unknown);
    shift(form, x, constant);
    begin_step(form, x, constant);
    for (size_t i = 0; i < row.count; i++)
        push_term(form, row.at[i].unknown, row.at[i].value);
    inverse = assembly_negated(inverse);
    begin_step(form, lambda, assembly_mul(assembly, unknown_at(form, x)->bias, inverse));
    for (size_t i = 0; i < unknown_at(form, x)->entries.count; i++) {
        GaussTerm entry = unknown_at(form, x)->entries.at[i];
        push_term(form, entry.unknown, assembly_mul(assembly, entry.value, inverse));
    }
    drop(form, x);
    array_clear(&row);
}

bool quadratic_free(GaussForm *form, uint32_t x)
{
    const GaussTerms *entries = &unknown_at(form, x)->entries;
    for (size_t i = 0; i < entries->count; i++) {
        uint32_t other = entries->at[i].unknown;
        const GaussUnknown *row = unknown_at(form, other);
        if (row->multiplier && !row->driven &&
            assembly_is_constant(form->assembly, entries->at[i].value) &&
            assembly_is_zero(form->assembly, row->diagonal)) {
            solve_row(form, x, other);
            return true;
        }
    }
    return quadratic_least(form, x);
}

// How good a row is to solve for x: by constants of short rows first, then by how large its entry
// is among those of the row; 0 where it is none.
static double merit(const GaussForm *form, uint32_t row, ProgramValue own)
{
    const GaussTerms *entries = &unknown_at(form, row)->entries;
    double sample = assembly_sample(form->assembly, own), all = 0;
    if (!unknown_at(form, row)->multiplier)
        return 0;
    if (assembly_is_constant(form->assembly, own))
        return 2 + 1 / (double)(1 + entries->count);
    for (size_t i = 0; i < entries->count; i++) {
        double other = assembly_sample(form->assembly, entries->at[i].value);
        all += other * other;
    }
    double square = sample * sample / all;
    return square > TOL_RANK ? square : 0;
}

static void watch_row(GaussForm *form, uint32_t row, ProgramValue own)
{
    const GaussTerms *entries = &unknown_at(form, row)->entries;
    ProgramValue all = form->zero;
    for (size_t i = 0; i < entries->count; i++)
        all =
            assembly_add(form->assembly, all,
                         assembly_mul(form->assembly, entries->at[i].value, entries->at[i].value));
    ProgramValue square = assembly_mul(form->assembly, own, own);
    array_push(&form->pivots, ((GaussPivot){square, all, false}));
}

bool quadratic_row(GaussForm *form, uint32_t x)
{
    const GaussTerms *entries = &unknown_at(form, x)->entries;
    uint32_t best = 0;
    double most = 0;
    for (size_t i = 0; i < entries->count; i++) {
        double found = merit(form, entries->at[i].unknown, entries->at[i].value);
        if (!(found > most))
            continue;
        most = found;
        best = entries->at[i].unknown;
    }
    // Among rows whose entries move numbers have decided.
    if (most < 2)
        assembly_let_samples_decide(form->assembly);
    if (best == 0)
        return false;
    if (most < 2)
        watch_row(form, best, quadratic_entry(form, x, best));
    solve_row(form, x, best);
    return true;
}

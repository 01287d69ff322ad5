// test_elimination.c: accelerations and multipliers by elimination on the definitions are those of
// the dense equations 𝓜 q'' + h = Σ λ d, b·q'' + γ = 0, which are made from T and U and solved here
// in long double: for the models of the gallery, for random trees with loops, and exactly, in a
// prime field, for small ones. Each of the ways that elimination may go gives the same. What it
// costs is counted.
#include "chain_text.h"
#include "dynamics/elimination.h"
#include "expr/expr.h"
#include "files.h"
#include "motion/definitions.h"
#include "program/program.h"
#include "random_system.h"

#include <math.h>

enum { WAYS = 12 };

static EliminationOptions way(int index)
{
    bool vectors = index >= WAYS / 2;
    index %= WAYS / 2;
    return (EliminationOptions){
        .still = index % 2, .regrouped = index / 2 > 0, .moved = index / 2 > 1, .vectors = vectors};
}

// ---- A model with numbers for its parameters and a random state.

typedef struct {
    Loaded loaded;
    ExprSubst *fixed;
    Expr *inputs; // t | q | q'
    double *state;
    size_t count;
} Case;

static bool case_init(Case *at, Loaded loaded, uint64_t seed)
{
    const Model *model = loaded.model;
    const Motion *motion = loaded.motion;
    size_t n = motion->n, params = model->params.count;
    double *numbers = calloc(params + 1, sizeof *numbers);
    *at = (Case){.loaded = loaded, .count = 1 + 2 * n};
    at->fixed = expr_subst_new(motion->pool);
    at->inputs = calloc(at->count, sizeof *at->inputs);
    at->state = calloc(at->count, sizeof *at->state);
    bool good = model_param_values(model, loaded.diag, numbers) == STATUS_OK;
    for (size_t i = 0; i < params && good; i++) {
        Expr value = model->params.at[i].value;
        if (expr_is_none(value) || !expr_is_number(motion->pool, value))
            value = expr_double(motion->pool, numbers[i]);
        expr_subst_set(at->fixed, model->params.at[i].symbol, value);
    }
    free(numbers);
    Random random = random_seed(seed);
    at->inputs[0] = model->t;
    for (size_t i = 0; i < 2 * n; i++)
        at->inputs[1 + i] = i < n ? motion->q[i] : motion->v[i - n];
    for (size_t i = 0; i < at->count; i++)
        at->state[i] = 0.1 + (double)random_below(&random, 1000) / 1300;
    return good;
}

static void case_clear(Case *at)
{
    expr_subst_free(at->fixed);
    free(at->inputs);
    free(at->state);
    unload(&at->loaded);
}

// ---- The dense equations.

static Expr *dense_entries(const Case *at, size_t *count)
{
    Motion *motion = at->loaded.motion;
    size_t n = motion->n, m = motion->m;
    *count = n * n + n + m * (2 * n + 1);
    Expr *entries = calloc(*count + 1, sizeof *entries);
    motion_mass_matrix(motion, entries);
    motion_bias(motion, entries + n * n);
    for (size_t i = 0; i < m; i++) {
        Expr *row = entries + n * n + n + i * (2 * n + 1);
        memcpy(row, motion->rows[i].b, n * sizeof *row);
        memcpy(row + n, motion->rows[i].d, n * sizeof *row);
        row[2 * n] = motion->rows[i].gamma;
    }
    for (size_t i = 0; i < *count; i++)
        entries[i] = expr_subst(at->fixed, entries[i]);
    return entries;
}

// [𝓜 −dᵀ; b 0] and −(h, γ), from the entries' values.
static void put_together(const double *values, size_t n, size_t m, long double *matrix,
                         long double *right)
{
    size_t size = n + m;
    const double *rows = values + n * n + n;
    memset(matrix, 0, size * size * sizeof *matrix);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            matrix[i * size + j] = values[i * n + j];
        right[i] = -values[n * n + i];
    }
    for (size_t i = 0; i < m; i++) {
        const double *row = rows + i * (2 * n + 1);
        for (size_t j = 0; j < n; j++) {
            matrix[(n + i) * size + j] = row[j];
            matrix[j * size + n + i] = -row[n + j];
        }
        right[n + i] = -row[2 * n];
    }
}

// Solves and inverts by Gauss and Jordan; the condition number in the largest row sum.
static long double solve(long double *matrix, long double *right, size_t size)
{
    long double *inverse = calloc(size * size, sizeof *inverse), norm = 0, other = 0;
    for (size_t i = 0; i < size; i++) {
        long double sum = 0;
        for (size_t j = 0; j < size; j++)
            sum += fabsl(matrix[i * size + j]);
        norm = fmaxl(norm, sum);
        inverse[i * size + i] = 1;
    }
    for (size_t c = 0; c < size; c++) {
        size_t best = c;
        for (size_t i = c + 1; i < size; i++)
            if (fabsl(matrix[i * size + c]) > fabsl(matrix[best * size + c]))
                best = i;
        for (size_t j = 0; j < size; j++) {
            long double a = matrix[c * size + j], b = inverse[c * size + j];
            matrix[c * size + j] = matrix[best * size + j];
            inverse[c * size + j] = inverse[best * size + j];
            matrix[best * size + j] = a;
            inverse[best * size + j] = b;
        }
        long double swap = right[c];
        right[c] = right[best];
        right[best] = swap;
        for (size_t i = 0; i < size; i++) {
            long double factor = matrix[i * size + c] / matrix[c * size + c];
            if (i == c || factor == 0)
                continue;
            for (size_t j = 0; j < size; j++) {
                matrix[i * size + j] -= factor * matrix[c * size + j];
                inverse[i * size + j] -= factor * inverse[c * size + j];
            }
            right[i] -= factor * right[c];
        }
    }
    for (size_t i = 0; i < size; i++) {
        long double sum = 0;
        for (size_t j = 0; j < size; j++)
            sum += fabsl(inverse[i * size + j] / matrix[i * size + i]);
        other = fmaxl(other, sum);
        right[i] /= matrix[i * size + i];
    }
    free(inverse);
    return norm * other;
}

// (q'', λ), and the condition number.
static long double *dense_solution(const Case *at, long double *condition)
{
    const Motion *motion = at->loaded.motion;
    size_t n = motion->n, m = motion->m, count;
    Expr *entries = dense_entries(at, &count);
    Program *program = program_new(motion->pool, at->inputs, at->count, entries, count, NULL);
    double *values = calloc(count, sizeof *values);
    double *work = calloc(program_registers(program) + 1, sizeof *work);
    program_run_real(program, at->state, values, work);
    long double *matrix = calloc((n + m) * (n + m), sizeof *matrix);
    long double *right = calloc(n + m, sizeof *right);
    put_together(values, n, m, matrix, right);
    *condition = solve(matrix, right, n + m);
    program_free(program);
    free(entries);
    free(values);
    free(work);
    free(matrix);
    return right;
}

// ---- Elimination.

typedef struct {
    Assembly *assembly;
    Arena *arena;
    EliminationResult result;
    double *guesses; // n + m, or NULL
    bool done;
} Eliminated;

// What accelerations, and multipliers with the opposite sign, miss of guesses for them.
static Eliminated eliminate_guessed(const Case *at, const Definitions *definitions, int index,
                                    uint64_t seed)
{
    const Motion *motion = at->loaded.motion;
    size_t guesses = motion->n + motion->m;
    Eliminated made = {.arena = arena_new()};
    Random random = random_seed(seed);
    Expr *inputs = arena_array(made.arena, Expr, at->count + guesses);
    double *state = arena_array(made.arena, double, at->count + guesses);
    memcpy(inputs, at->inputs, at->count * sizeof *inputs);
    memcpy(state, at->state, at->count * sizeof *state);
    made.guesses = state + at->count;
    for (size_t i = 0; i < guesses; i++) {
        char name[32];
        snprintf(name, sizeof name, "guess %zu", i);
        inputs[at->count + i] = expr_symbol(motion->pool, name);
        made.guesses[i] = (double)random_below(&random, 1000) / 500 - 1;
    }
    made.assembly = assembly_new(motion->pool, inputs, at->count + guesses, false);
    assembly_sample_at(made.assembly, state);
    made.done = eliminate_residual(definitions, way(index), inputs + at->count, made.assembly,
                                   at->fixed, made.arena, &made.result);
    return made;
}

static Eliminated eliminate_case(const Case *at, const Definitions *definitions, int index)
{
    Eliminated made = {.arena = arena_new()};
    made.assembly = assembly_new(at->loaded.motion->pool, at->inputs, at->count, false);
    assembly_sample_at(made.assembly, at->state);
    made.done =
        eliminate(definitions, way(index), made.assembly, at->fixed, made.arena, &made.result);
    return made;
}

static void eliminated_clear(Eliminated *made)
{
    assembly_free(made->assembly);
    arena_free(made->arena);
}

static bool agrees(const Case *at, const Eliminated *made, const long double *right,
                   long double condition)
{
    size_t n = at->loaded.motion->n, m = at->loaded.motion->m;
    long double size[2] = {0, 0}, worst = 0;
    for (size_t i = 0; i < n + m; i++)
        size[i >= n] = fmaxl(size[i >= n], fabsl(right[i]));
    for (size_t i = 0; i < n + m && made->guesses; i++) // cancel, and leave their rounding
        size[0] = fmaxl(size[0], fabsl((long double)made->guesses[i]));
    for (size_t i = 0; i < n + m; i++) {
        ProgramValue value =
            i < n ? made->result.accelerations[i] : made->result.multipliers[i - n];
        long double found = assembly_sample(made->assembly, value);
        if (made->guesses)
            found = (i < n ? 1 : -1) * (found + made->guesses[i]);
        long double error = fabsl(found - right[i]);
        worst = fmaxl(worst, error / fmaxl(size[i >= n], size[0] + size[1]));
    }
    if (!(worst <= 1e-14L * condition))
        print_message("off by %Lg of condition %Lg\n", worst, condition);
    return worst <= 1e-14L * condition;
}

// Whether elimination serves the model; then all ways agree with the dense equations.
static bool check_case(Case *at, const char *name)
{
    const char *why;
    Definitions *definitions = definitions_new(at->loaded.motion, &why);
    if (!definitions)
        return false;
    long double condition, *right = dense_solution(at, &condition);
    bool served = true;
    for (int index = 0; index < WAYS; index++) {
        Eliminated made = eliminate_case(at, definitions, index);
        served = served && made.done;
        if (made.done && isfinite((double)condition) && !agrees(at, &made, right, condition))
            fail_msg("%s by way %d", name, index);
        Eliminated guessed = eliminate_guessed(at, definitions, index, (uint64_t)index);
        assert_int_equal(guessed.done, made.done);
        if (made.done && isfinite((double)condition) && !agrees(at, &guessed, right, condition))
            fail_msg("%s by way %d with guesses", name, index);
        eliminated_clear(&made);
        eliminated_clear(&guessed);
    }
    free(right);
    definitions_free(definitions);
    return served;
}

// ---- Velocities from conditions and speeds.

// The rows of conditions and speeds at some velocities: their sums, and what these are made of.
static double row_error(const Expr *y, Expr rest, double wanted, const Case *at, const double *v)
{
    Motion *motion = at->loaded.motion;
    size_t n = motion->n;
    Expr *outputs = calloc(n + 1, sizeof *outputs);
    double *values = calloc(n + 1, sizeof *values), sum, size = 1;
    for (size_t nu = 0; nu <= n; nu++)
        outputs[nu] = expr_subst(at->fixed, nu < n ? y[nu] : rest);
    assert_true(program_run_once(
        program_new(motion->pool, at->inputs, at->count, outputs, n + 1, NULL), at->state, values));
    sum = values[n] - wanted;
    for (size_t nu = 0; nu < n; nu++) {
        sum += values[nu] * v[nu];
        size += fabs(values[nu] * v[nu]);
    }
    free(outputs);
    free(values);
    return fabs(sum) / size;
}

// Whether some condition is on velocities of points; then q' by elimination meets all conditions,
// and speeds that are numbers of our own.
static bool check_velocities(Case *at, const char *name)
{
    const char *why;
    Motion *motion = at->loaded.motion;
    size_t n = motion->n, k = motion->k, on_points = 0;
    Definitions *definitions = motion->curved ? NULL : definitions_new(motion, &why);
    for (size_t i = 0; i < motion->m && definitions; i++)
        on_points += definitions->rows[i].force_count > 0;
    EliminationSpeed *speeds = calloc(k + 1, sizeof *speeds);
    Expr *inputs = calloc(1 + n + k, sizeof *inputs);
    double *state = calloc(1 + n + k, sizeof *state), *v = calloc(n, sizeof *v);
    memcpy(inputs, at->inputs, (1 + n) * sizeof *inputs);
    memcpy(state, at->state, (1 + n + k) * sizeof *state);
    for (size_t i = 0; i < k && on_points; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        speeds[i] = (EliminationSpeed){speed->u, speed->declared ? speed->y : NULL, speed->y0,
                                       speed->declared ? 0 : speed->index};
        inputs[1 + n + i] = speed->u;
    }
    for (int index = WAYS / 2; index < WAYS && on_points; index++) {
        Eliminated made = {.arena = arena_new()};
        made.assembly = assembly_new(motion->pool, inputs, 1 + n + k, false);
        assembly_sample_at(made.assembly, state);
        assert_true(eliminate_velocities(definitions, way(index), speeds, made.assembly, at->fixed,
                                         made.arena, &made.result));
        for (size_t nu = 0; nu < n; nu++)
            v[nu] = assembly_sample(made.assembly, made.result.accelerations[nu]);
        for (size_t i = 0; i < motion->m + k; i++) {
            const MotionRow *row = i < motion->m ? &motion->rows[i] : NULL;
            const MotionSpeed *speed = row ? NULL : &motion->state.speeds[i - motion->m];
            double wanted = row ? 0 : state[1 + n + i - motion->m];
            double error =
                row_error(row ? row->b : speed->y, row ? row->c : speed->y0, wanted, at, v);
            if (!(error < 1e-11))
                fail_msg("%s by way %d: row %zu is off by %g", name, index, i, error);
        }
        eliminated_clear(&made);
    }
    definitions_free(definitions);
    free(speeds);
    free(inputs);
    free(state);
    free(v);
    return on_points > 0;
}

// ---- The gallery.

static void test_gallery(void **state)
{
    (void)state;
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models");
    size_t served = 0, on_points = 0;
    for (size_t i = 0; i < models->count; i++) {
        Case at;
        if (case_init(&at, load_model(models->at[i]), strlen(models->at[i]))) {
            served += check_case(&at, models->at[i]);
            on_points += check_velocities(&at, models->at[i]);
        }
        case_clear(&at);
    }
    assert_true(on_points >= 4);
    // The others have friction, conditions on accelerations or not linear in the velocities.
    assert_true(served >= 45);
}

// ---- Servos: conditions on coordinates and on points, kept by forces elsewhere, or along what
// they keep.

static void add_servo(Writer *writer, int index, int links, int coordinates)
{
    int a = 1 + draw(writer, links), b = 1 + draw(writer, links);
    int p = 1 + draw(writer, coordinates), q = 1 + draw(writer, coordinates);
    text_addf(&writer->text, "servo s%d: ", index);
    switch (draw(writer, 4)) {
    case 0: text_addf(&writer->text, "q[%d] + q[%d]/4 = sin(t)/2", p, q); break;
    case 1: text_addf(&writer->text, "dot(velocity(C%d), F%d.y) = t/5", a, b); break;
    case 2: text_addf(&writer->text, "dot(omega(F%d), world.x + F%d.y) = 1/3", a, b); break;
    default: text_addf(&writer->text, "q[%d] = t^2/3", p); break;
    }
    switch (draw(writer, 4)) {
    case 0: text_addf(&writer->text, " by force F%d.x + world.y at C%d on B%d\n", a, b, b); break;
    case 1: text_addf(&writer->text, " by torque F%d.x - 2*world.z on B%d\n", a, b); break;
    case 2: text_addf(&writer->text, " by q[%d]\n", q); break;
    default: text_addf(&writer->text, " by q[%d]\n", p); break;
    }
}

// ---- Random trees: turning and sliding coordinates, one coordinate in two frames, angles and
// places that are functions of coordinates, particles, loads, and loops.

static void add_vector(Writer *writer, const char *frame)
{
    static const char axes[] = "xyz";
    for (int i = 0; i < 3; i++)
        if (i == 0 || draw(writer, 2))
            text_addf(&writer->text, "%s%d/7*%s.%c", i ? " + " : "", small(writer), frame,
                      axes[(i + draw(writer, 3)) % 3]);
}

static void add_link(Writer *writer, int i, int coordinates)
{
    static const char axes[] = "xyz";
    int above = draw(writer, i), q = 1 + draw(writer, coordinates);
    bool own = i <= coordinates;
    char frame[16], base[16];
    snprintf(frame, sizeof frame, above ? "F%d" : "world", above);
    snprintf(base, sizeof base, above ? "P%d" : "origin", above);
    text_addf(&writer->text, "frame F%d = %s rotate ", i, frame);
    switch (own ? draw(writer, 5) : 4) {
    case 0: text_addf(&writer->text, "q[%d] + q[%d]/3", i, q); break;
    case 1: text_addf(&writer->text, "q[%d] + q[%d]^2/9", i, q); break;
    case 4: text_addf(&writer->text, "q[%d]", own ? i : q); break;
    default: text_addf(&writer->text, "q[%d]", i); break;
    }
    text_addf(&writer->text, " about %c\n", axes[draw(writer, 3)]);
    text_addf(&writer->text, "point P%d = %s + ", i, base);
    add_vector(writer, draw(writer, 2) ? frame : "world");
    if (draw(writer, 4) == 0)
        text_addf(&writer->text, " + q[%d]*%s.x", q, frame);
    text_addf(&writer->text, "\npoint C%d = P%d + ", i, i);
    add_vector(writer, frame[0] == 'w' ? "world" : frame);
    text_add(&writer->text, " + F");
    text_addf(&writer->text, "%d.y/5\n", i);
    if (draw(writer, 5) == 0)
        text_addf(&writer->text, "mass %d at C%d\n", 1 + draw(writer, 3), i);
    text_addf(&writer->text, "body B%d frame F%d mass %d at P%d + F%d.x/3 - F%d.z/4 ", i, i,
              1 + draw(writer, 3), i, i, i);
    text_addf(&writer->text, "inertia [%d/3, %d/3, %d/3, 1/20, 1/30, %d/40]\n", 3 + draw(writer, 2),
              3 + draw(writer, 2), 3 + draw(writer, 2), draw(writer, 2));
    if (draw(writer, 3) == 0)
        text_addf(&writer->text, "force [1, 2, q[%d]'] at C%d on B%d\n", q, i, i);
    if (draw(writer, 3) == 0)
        text_addf(&writer->text, "torque F%d.x + 2*world.y on B%d\n", i, i);
}

static Text write_tree(uint64_t seed)
{
    Writer writer = {.random = random_seed(seed)};
    int links = 2 + draw(&writer, 5), coordinates = links > 2 ? links - draw(&writer, 2) : 2;
    int loops = coordinates > 3 ? draw(&writer, 3) : 0;
    text_addf(&writer.text, "coord q[%d]\n", coordinates);
    for (int i = 1; i <= links; i++)
        add_link(&writer, i, coordinates);
    text_add(&writer.text, "gravity [1, 2, -9]\npotential q[1]^2*q[2]\nforce -q[1]' along q[2]\n");
    for (int i = 0; i < loops; i++) {
        int a = 1 + draw(&writer, links), b = 1 + draw(&writer, links);
        int kind = draw(&writer, 5);
        if (kind == 0)
            text_addf(&writer.text, "constraint l%d: dot(P%d - C%d, F%d.x) = 1/3\n", i, a, b, b);
        else if (kind == 1)
            text_addf(&writer.text,
                      "constraint l%d: dot(velocity(C%d) - 2*velocity(P%d), "
                      "(1 + t/3)*F%d.y + world.x) = q[2]'/2 + sin(t)\n",
                      i, a, b, b);
        else if (kind == 2)
            text_addf(&writer.text,
                      "constraint l%d: dot(velocity(P%d on B%d), F%d.z) = velocity(C%d).x\n", i, a,
                      b, a, b);
        else if (kind == 3)
            text_addf(&writer.text,
                      "constraint l%d: dot(omega(F%d), cross(F%d.x, world.z)) = q[1]'/3\n", i, a,
                      b);
        else
            text_addf(&writer.text, "constraint l%d: dot(velocity(C%d), F%d.y) = q[1]'/2\n", i, a,
                      b);
    }
    for (int i = coordinates > 2 ? draw(&writer, 4) / 2 : 0; i-- > 0;)
        add_servo(&writer, i, links, coordinates);
    return writer.text;
}

static void test_random_trees(void **state)
{
    (void)state;
    size_t made = 0, served = 0, loops = 0, on_points = 0, driven = 0;
    for (uint64_t seed = 1; seed <= 250 * test_size(); seed++) {
        Text text = write_tree(seed);
        Loaded loaded = load_text("tree.zw", text.at);
        if (loaded.status != STATUS_OK) {
            // A condition that contradicts another, a servo that cannot keep what it should.
            unload(&loaded);
            text_clear(&text);
            continue;
        }
        Case at;
        char name[64];
        snprintf(name, sizeof name, "tree of seed %llu", (unsigned long long)seed);
        assert_true(case_init(&at, loaded, seed));
        bool all = check_case(&at, name);
        made++;
        served += all;
        on_points += check_velocities(&at, name);
        loops += loaded.motion->m;
        driven += all && loaded.motion->servos > 0;
        case_clear(&at);
        text_clear(&text);
    }
    assert_true(served >= made - made / 25);
    assert_true(loops >= 50 * test_size());
    assert_true(driven >= 50 * test_size());
    assert_true(on_points >= 40 * test_size());
}

// ---- Exactly, in a prime field: sines and cosines are inputs, points of the circle there.

static const uint64_t prime = 2305843009213693951u; // 2^61 − 1

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % prime);
}

static uint64_t power(uint64_t a, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, a = times(a, a))
        if (exponent & 1)
            result = times(result, a);
    return result;
}

static uint64_t inverse_of(uint64_t a)
{
    return power(a, prime - 2);
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + prime - b;
}

static void solve_exactly(uint64_t *matrix, uint64_t *right, size_t size)
{
    for (size_t c = 0; c < size; c++) {
        size_t best = c;
        while (matrix[best * size + c] == 0)
            assert_true(++best < size);
        for (size_t j = 0; j <= size; j++) {
            uint64_t *a = j < size ? &matrix[c * size + j] : &right[c];
            uint64_t *b = j < size ? &matrix[best * size + j] : &right[best], swap = *a;
            *a = *b;
            *b = swap;
        }
        uint64_t inverse = inverse_of(matrix[c * size + c]);
        for (size_t i = 0; i < size; i++) {
            uint64_t factor = times(matrix[i * size + c], inverse);
            if (i == c || factor == 0)
                continue;
            for (size_t j = c; j < size; j++)
                matrix[i * size + j] =
                    minus(matrix[i * size + j], times(factor, matrix[c * size + j]));
            right[i] = minus(right[i], times(factor, right[c]));
        }
    }
    for (size_t i = 0; i < size; i++)
        right[i] = times(right[i], inverse_of(matrix[i * size + i]));
}

// t | q | q' | cos q | sin q, and an assembly that takes them for sines and cosines.
static Assembly *circle_assembly(const Case *at, Expr *symbols)
{
    const Motion *motion = at->loaded.motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    memcpy(symbols, at->inputs, at->count * sizeof *symbols);
    for (size_t i = 0; i < 2 * n; i++)
        symbols[at->count + i] = expr_symbol_new(pool, "circle");
    Assembly *assembly = assembly_new(pool, symbols, at->count + 2 * n, true);
    for (size_t i = 0; i < 2 * n; i++) {
        Expr call = expr_call(pool, i < n ? EXPR_COS : EXPR_SIN, motion->q[i % n], (Expr){0});
        ProgramValue value;
        assert_true(assembly_lower(assembly, symbols[at->count + i], &value));
        assembly_define(assembly, call, value);
    }
    return assembly;
}

// The same numbers in the field and, for samples, as reals that are no more than an example.
static void draw_points(const Case *at, Random *random, uint64_t *numbers, double *reals)
{
    size_t n = at->loaded.motion->n;
    memcpy(reals, at->state, at->count * sizeof *reals);
    for (size_t i = 0; i < at->count; i++)
        numbers[i] = 1 + random_below(random, prime - 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t t = 1 + random_below(random, prime - 1), square = times(t, t);
        uint64_t inverse = inverse_of((1 + square) % prime);
        numbers[at->count + i] = times(minus(1, square), inverse);
        numbers[at->count + n + i] = times(times(2, t), inverse);
        reals[at->count + i] = cos(at->state[1 + i]);
        reals[at->count + n + i] = sin(at->state[1 + i]);
    }
}

static void run_exactly(Assembly *assembly, const ProgramValue *values, size_t count,
                        const uint64_t *numbers, uint64_t *out)
{
    Program *program = assembly_program(assembly, values, count);
    uint64_t *work = calloc(program_registers(program) + 1, sizeof *work);
    Random signs = random_seed(1);
    assert_true(program_run_field(program, prime, &signs, numbers, out, work));
    program_free(program);
    free(work);
}

static void dense_exactly(const Case *at, const uint64_t *numbers, uint64_t *right)
{
    size_t n = at->loaded.motion->n, m = at->loaded.motion->m, size = n + m, count;
    Expr *entries = dense_entries(at, &count), symbols[64];
    Assembly *assembly = circle_assembly(at, symbols);
    ProgramValue *values = calloc(count, sizeof *values);
    uint64_t *out = calloc(count, sizeof *out), *matrix = calloc(size * size, sizeof *matrix);
    for (size_t i = 0; i < count; i++)
        assert_true(assembly_lower(assembly, entries[i], &values[i]));
    run_exactly(assembly, values, count, numbers, out);
    const uint64_t *rows = out + n * n + n;
    for (size_t i = 0; i < n; i++) {
        memcpy(matrix + i * size, out + i * n, n * sizeof *out);
        right[i] = minus(0, out[n * n + i]);
        for (size_t k = 0; k < m; k++) {
            matrix[i * size + n + k] = minus(0, rows[k * (2 * n + 1) + n + i]);
            matrix[(n + k) * size + i] = rows[k * (2 * n + 1) + i];
        }
    }
    for (size_t k = 0; k < m; k++)
        right[n + k] = minus(0, rows[k * (2 * n + 1) + 2 * n]);
    solve_exactly(matrix, right, size);
    assembly_free(assembly);
    free(entries);
    free(values);
    free(out);
    free(matrix);
}

static void check_exactly(const char *text)
{
    Case at;
    const char *why;
    uint64_t numbers[64], right[16], found[16];
    double reals[64];
    Expr symbols[64];
    Random random = random_seed(7);
    assert_true(case_init(&at, load_good("exact.zw", text), 3));
    size_t n = at.loaded.motion->n, m = at.loaded.motion->m;
    assert_true(at.count + 2 * n <= 64 && n + m <= 16);
    Definitions *definitions = definitions_new(at.loaded.motion, &why);
    assert_non_null(definitions);
    draw_points(&at, &random, numbers, reals);
    dense_exactly(&at, numbers, right);
    for (int index = 0; index < WAYS; index += 2) {
        Eliminated made = {.assembly = circle_assembly(&at, symbols), .arena = arena_new()};
        assembly_sample_at(made.assembly, reals);
        assert_true(
            eliminate(definitions, way(index), made.assembly, at.fixed, made.arena, &made.result));
        // Accelerations, then multipliers.
        run_exactly(made.assembly, made.result.accelerations, n + m, numbers, found);
        for (size_t i = 0; i < n + m; i++)
            assert_int_equal(found[i], right[i]);
        eliminated_clear(&made);
    }
    definitions_free(definitions);
    case_clear(&at);
}

#define LINK(i, above, axis)                                                                       \
    "frame F" #i " = " above " rotate q[" #i "] about " axis "\n"                                  \
    "body B" #i " frame F" #i " mass " #i " at P" #i " + F" #i ".x/3 - F" #i ".z/4"                \
    " inertia [4/3, 5/3, 6/3, 1/20, 1/30, 1/40]\n"

static void test_exactly(void **state)
{
    (void)state;
    check_exactly(
        "coord q[3]\npoint P1 = origin\n" LINK(1, "world", "z") "point P2 = P1 + F1.x/2\n" LINK(
            2, "F1", "y") "point P3 = P2 + F2.z/2 + F2.x/7\n" LINK(3, "F2",
                                                                   "x") "gravity [1, 2, -9]\n");
    check_exactly("coord q[4], x\npoint P1 = [x, 0, 0]\n" LINK(
        1, "world",
        "z") "point P2 = P1 + F1.x/2\n" LINK(2, "F1",
                                             "z") "point P3 = P1 + F1.y/2\n" LINK(3, "F1",
                                                                                  "y") "point P4 = "
                                                                                       "P3 + "
                                                                                       "F3.z/"
                                                                                       "3\n" LINK(
                                                                                           4, "F3",
                                                                                           "x") "gr"
                                                                                                "av"
                                                                                                "it"
                                                                                                "y "
                                                                                                "[0"
                                                                                                ", "
                                                                                                "0,"
                                                                                                " -"
                                                                                                "9]"
                                                                                                "\n"
                                                                                                "co"
                                                                                                "ns"
                                                                                                "tr"
                                                                                                "ai"
                                                                                                "nt"
                                                                                                " a"
                                                                                                ": "
                                                                                                "do"
                                                                                                "t("
                                                                                                "ve"
                                                                                                "lo"
                                                                                                "ci"
                                                                                                "ty"
                                                                                                "(P"
                                                                                                "4)"
                                                                                                ", "
                                                                                                "F1"
                                                                                                ".y"
                                                                                                ") "
                                                                                                "= "
                                                                                                "x'"
                                                                                                "\n"
                                                                                                "co"
                                                                                                "ns"
                                                                                                "tr"
                                                                                                "ai"
                                                                                                "nt"
                                                                                                " b"
                                                                                                ": "
                                                                                                "do"
                                                                                                "t("
                                                                                                "P4"
                                                                                                " -"
                                                                                                " P"
                                                                                                "2,"
                                                                                                " F"
                                                                                                "2."
                                                                                                "x)"
                                                                                                " ="
                                                                                                " 1"
                                                                                                "/3"
                                                                                                "\n");
    check_exactly(
        "coord q[3]\npoint P1 = origin\n" LINK(1, "world", "z") "point P2 = P1 + F1.x/2\n" LINK(
            2, "F1",
            "y") "point P3 = P2 + F2.z/2 + F2.x/7\n" LINK(3, "F2",
                                                          "x") "gravity [1, 2, -9]\n"
                                                               "servo a: q[1] + q[2]/4 = t^2 by "
                                                               "force F3.x + world.y at P3 on B2\n"
                                                               "servo b: dot(velocity(P3), F1.x) = "
                                                               "t by torque F1.x + 2*world.z on "
                                                               "B3\n");
}

// ---- What it costs.

typedef struct {
    size_t operations, size; // of the cheapest way, and instructions made on it
    size_t guessed;          // instructions of the shortest way for series
} Cost;

// The cheapest way for a model that bench/chains prints.
static Cost cost_of(const char *words)
{
    Case at;
    const char *why;
    assert_true(case_init(&at, load_chain(words), 5));
    Definitions *definitions = definitions_new(at.loaded.motion, &why);
    assert_non_null(definitions);
    Cost cost = {.operations = SIZE_MAX, .guessed = SIZE_MAX};
    for (int index = 0; index < WAYS; index++) {
        Eliminated made = eliminate_case(&at, definitions, index);
        assert_true(made.done);
        size_t operations =
            assembly_operations(made.assembly, made.result.accelerations, at.loaded.motion->n);
        if (operations < cost.operations) {
            cost.operations = operations;
            cost.size = assembly_size(made.assembly);
        }
        eliminated_clear(&made);
        made = eliminate_guessed(&at, definitions, index, 1);
        assert_true(made.done);
        size_t guessed = assembly_size(made.assembly);
        cost.guessed = guessed < cost.guessed ? guessed : cost.guessed;
        eliminated_clear(&made);
    }
    definitions_free(definitions);
    case_clear(&at);
    return cost;
}

static void assert_cost(const char *words, size_t most)
{
    Cost cost = cost_of(words);
    if (cost.operations > most)
        fail_msg("%s: %zu operations, not %zu", words, cost.operations, most);
}

// As the articulated-body algorithm, but with half its operations.
static void test_operations(void **state)
{
    (void)state;
    assert_cost("arm7", 942);
    assert_cost("planar 10", 473);
    assert_cost("planar 20", 1033);
    assert_cost("planar 40", 2153);
    assert_cost("spatial 20", 3948);
}

static double exponent(double few, double many, int first, int last)
{
    return log(many / few) / log((double)last / (double)first);
}

// Of operations, and of what is made on the way, which takes memory and time.
static void assert_growth(const char *name, int first, int last)
{
    char words[2][64];
    snprintf(words[0], sizeof words[0], "%s %d", name, first);
    snprintf(words[1], sizeof words[1], "%s %d", name, last);
    Cost few = cost_of(words[0]), many = cost_of(words[1]);
    double operations = exponent((double)few.operations, (double)many.operations, first, last);
    double size = exponent((double)few.size, (double)many.size, first, last);
    double guessed = exponent((double)few.guessed, (double)many.guessed, first, last);
    if (operations > 1.1 || size > 1.1 || guessed > 1.1)
        fail_msg("%s: from %zu to %zu operations, exponent %g; of the size %g; for series %g", name,
                 few.operations, many.operations, operations, size, guessed);
}

static void test_growth(void **state)
{
    (void)state;
    assert_growth("planar", 100, 1000);
    assert_growth("absolute", 100, 1000);
    assert_growth("driven", 20, 80);
    assert_growth("spatial", 30, 60);
    assert_growth("points", 10, 40);
    assert_growth("ladder", 4, 16);
    assert_growth("trailers", 5, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery), cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_exactly), cmocka_unit_test(test_operations),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

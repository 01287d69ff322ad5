// Chains of N bodies, each turned against the last: what it saves to keep vectors in the frames
// where they are cheap.
//
//     chain [N…]              a table as Markdown: operations of the program for the mass matrix
//     and
//                             the bias, time and memory of the derivation, with vectors kept in
//                             their frames and with all of them expanded in world's axes first
//     chain --model KIND N    prints the model; KIND is skew, cross or planar
//
// skew: joints about axes that are neither parallel nor at right angles; cross: about x, y, z in
// turn; planar: all about z, with relative angles. The bodies have a mass and three moments.
#include "expr/expr.h"
#include "measure.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { SKEW, CROSS, PLANAR, KINDS } Kind;

static const struct {
    const char *name, *title;
    const char *axes[3]; // of the joints, in turn
} kinds[KINDS] = {
    [SKEW] = {"skew", "in space, skew joints", {"[1, 2, 2]", "[2, -1, 2]", "[2, 2, 1]"}},
    [CROSS] = {"cross", "in space, joints about x, y, z in turn", {"x", "y", "z"}},
    [PLANAR] = {"planar", "in the plane, relative angles", {"z", "z", "z"}},
};

static void write_model(Text *text, Kind kind, int n)
{
    text_addf(text, "system chain \"A chain of %d bodies %s\"\n", n, kinds[kind].title);
    text_addf(text, "const N = %d\nparam g = 9.81\n", n);
    text_add(text, "param m[N] = 1, l[N] = 0.3, h[N] = 0.1\n"
                   "param A[N] = 0.01, B[N] = 0.02, C[N] = 0.015\n"
                   "coord q[N]\n");
    for (int i = 1; i <= n; i++) {
        if (i == 1)
            text_add(text, "frame F[1] = world");
        else
            text_addf(text, "frame F[%d] = F[%d]", i, i - 1);
        text_addf(text, " rotate q[%d] about %s\n", i, kinds[kind].axes[(i - 1) % 3]);
    }
    text_add(text, "point J[0] = origin\n"
                   "for i in 1..N {\n"
                   "    point J[i] = J[i-1] + l[i]*F[i].x\n"
                   "    body L[i] frame F[i] mass m[i] at J[i-1] + [l[i]/2, h[i], 0] in F[i] "
                   "inertia [A[i], B[i], C[i]]\n"
                   "}\n"
                   "gravity [0, -g, 0]\n");
}

static void stop(Diag *diag)
{
    Text said = {0};
    diag_render(diag, DIAG_WARNING, &said);
    fprintf(stderr, "%s", said.at ? said.at : "the model was refused\n");
    exit(1);
}

// ---- The other way: every velocity along world's axes before anything is multiplied.

static Expr square(ExprPool *pool, Vec v)
{
    return vec_dot(pool, v, v);
}

// ½ Σ I_i (ω·e_i)², with the axes e_i of the frame that the inertia is given in.
static Expr spin_in_world(const Model *model, const ModelBody *body)
{
    ExprPool *pool = model->pool;
    const Frame world = {0};
    Expr zero = expr_int(pool, 0), one = expr_int(pool, 1), terms[3];
    const Vec axes[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    Vec omega = vector_in(model->vectors, frame_omega(model->vectors, body->frame), world);
    for (int i = 0; i < 3; i++) {
        Vector axis = vector_of(model->vectors, body->inertia_frame, axes[i]);
        Expr part = vec_dot(pool, omega, vector_in(model->vectors, axis, world));
        terms[i] = expr_mul(pool, body->inertia[i], expr_pow_int(pool, part, 2));
    }
    return expr_sum(pool, terms, 3);
}

// Replaces the bodies by their energies, worked out in world's axes.
static void expand_in_world(Model *model)
{
    ExprPool *pool = model->pool;
    const Frame world = {0};
    Expr half = expr_ratio(pool, 1, 2);
    Vec g = vector_in(model->vectors, model->gravity, world);
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        Vec x = vector_in(model->vectors, body->position, world);
        Vec v = vector_in(model->vectors, vector_rate(model->vectors, body->position), world);
        Expr twice =
            expr_add(pool, expr_mul(pool, body->mass, square(pool, v)), spin_in_world(model, body));
        Expr height = expr_mul(pool, body->mass, vec_dot(pool, g, x));
        model->kinetic = expr_add(pool, model->kinetic, expr_mul(pool, half, twice));
        model->potential = expr_sub(pool, model->potential, height);
    }
    model->bodies.count = 0;
    model->gravity = vector_zero(model->vectors);
}

// ---- Deriving.

typedef struct {
    double seconds;
    double mebibytes; // of the pool
    size_t operations;
    double check; // the sum of what the program gives at some state: the same for both ways
} Result;

static void run_program(const Motion *motion, const Expr *outputs, size_t count, Result *result)
{
    ExprList symbols = expr_symbols(motion->pool, outputs, count);
    Expr *inputs = base_alloc((symbols.count + 1) * sizeof *inputs);
    for (size_t i = 0; i < symbols.count; i++)
        inputs[i] = (Expr){symbols.at[i]};
    Program *program = program_new(motion->pool, inputs, symbols.count, outputs, count, NULL);
    result->operations = program_operations(program);
    double *values = base_alloc((symbols.count + 1) * sizeof *values);
    double *numbers = base_alloc(count * sizeof *numbers);
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    for (size_t i = 0; i < symbols.count; i++)
        values[i] = 0.5 + 0.01 * (double)(i % 50);
    program_run_real(program, values, numbers, work);
    for (size_t i = 0; i < count; i++)
        result->check += numbers[i];
    base_free(values);
    base_free(numbers);
    base_free(work);
    program_free(program);
    base_free(inputs);
    expr_list_free(&symbols);
}

static Result derive(const Source *source, bool in_world, bool count)
{
    double start = measure_now();
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    if (model_read(source, NULL, 0, diag, &model) != STATUS_OK)
        stop(diag);
    if (in_world)
        expand_in_world(model);
    if (motion_new(model, diag, &motion) != STATUS_OK)
        stop(diag);
    size_t n = motion->n;
    Expr *outputs = base_alloc((n * n + n) * sizeof *outputs);
    motion_mass_matrix(motion, outputs);
    motion_bias(motion, outputs + n * n);
    Result result = {.seconds = measure_now() - start};
    result.mebibytes = (double)expr_pool_bytes(model->pool) / (1 << 20);
    if (count)
        run_program(motion, outputs, n * n + n, &result);
    base_free(outputs);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    return result;
}

static Result least_of(Kind kind, int n, bool in_world, int repeats)
{
    Text text = {0};
    write_model(&text, kind, n);
    Source *source = source_new("chain.zw", text.at, text.length);
    Result best = derive(source, in_world, true);
    double total = best.seconds;
    for (int i = 1; i < repeats && total < 10; i++) {
        Result next = derive(source, in_world, false);
        total += next.seconds;
        if (next.seconds < best.seconds)
            best.seconds = next.seconds;
    }
    source_free(source);
    text_clear(&text);
    return best;
}

// ---- Tables.

static void print_table(Kind kind, char **sizes, int count)
{
    printf("\nA chain of bodies %s: the program for the mass matrix and the bias.\n\n",
           kinds[kind].title);
    printf("| bodies | operations | in world's axes | times ours | s | in world's axes | times "
           "ours | MiB | in world's axes |\n");
    printf("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int i = 0; i < count; i++) {
        int n = atoi(sizes[i]);
        Result ours = least_of(kind, n, false, 5), world = least_of(kind, n, true, 5);
        if (fabs(ours.check - world.check) > 1e-9 * fabs(ours.check)) {
            fprintf(stderr, "chain: the two ways disagree\n");
            exit(1);
        }
        printf("| %d | %zu | %zu | %.2f | %.2g | %.2g | %.2f | %.1f | %.1f |\n", n, ours.operations,
               world.operations, (double)world.operations / (double)ours.operations, ours.seconds,
               world.seconds, world.seconds / ours.seconds, ours.mebibytes, world.mebibytes);
        fflush(stdout);
    }
}

static Kind kind_of(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return (Kind)i;
    fprintf(stderr, "chain: the kinds are skew, cross and planar\n");
    exit(2);
}

int main(int count, char **words)
{
    static char *usual[] = {"5", "10", "20", "40"};
    if (count == 4 && strcmp(words[1], "--model") == 0) {
        Text text = {0};
        write_model(&text, kind_of(words[2]), atoi(words[3]));
        fputs(text.at, stdout);
        text_clear(&text);
        return 0;
    }
    bool given = count > 1;
    for (int kind = 0; kind < KINDS; kind++)
        print_table((Kind)kind, given ? words + 1 : usual, given ? count - 1 : 4);
    return 0;
}

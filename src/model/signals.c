// signals.c: inputs and functions whose values are tables or noise.
#include "base/decimal.h"
#include "expr/open_functions.h"
#include "expr/tables.h"
#include "model/model_impl.h"
#include "program/program.h"

#include <math.h>

// Makes the table of the open function `name`.
static void bind_table(Elaborator *e, const char *name, const ExprTable *given, const Part *part)
{
    ModelTable table = {expr_table_new(e->pool, given), syntax_part_place(e->syntax, part)};
    expr_table_bind(e->pool, name, table.table);
    array_push(&e->model->tables, table);
}

// The function `name` of the time, by a table.
static Expr tabled(Elaborator *e, const char *name, const ExprTable *table, const Part *part)
{
    expr_open_declare(e->pool, name, (const char *const[]){"t"}, 1);
    bind_table(e, name, table, part);
    return expr_open(e->pool, name, NULL, 0, &e->model->t, 1);
}

// distribution(a, b), step, seed: a + b·z, or a + (b − a)·z, where z changes at multiples of the
// step.
static bool read_noise(Elaborator *e, const Part *part, Str name, Value *value)
{
    enum { FIRST, SECOND, STEP, SEED, COUNT };
    static const char *const what[] = {"a number of a distribution", "a number of a distribution",
                                       "the time between two values", "a seed"};
    ExprPool *pool = e->pool;
    const Part *word = part + 1;
    bool normal = str_is(syntax_text(e->syntax, word->start, word->length), "normal");
    ExprTable table = {.numbers.kind = normal ? TABLE_NORMAL : TABLE_UNIFORM, .argument = "t"};
    Expr numbers[COUNT];
    Dim dims[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        if (i == STEP) {
            if (!elaborate_datum(e, word + 1 + i, what[i], dim_of(0, 0, 1), &numbers[i]))
                return false;
        } else if (!elaborate_measure(e, word + 1 + i, LEVEL_PARAM, what[i],
                                      i == SEED     ? dim_pure()
                                      : i == SECOND ? dims[FIRST]
                                                    : dim_any(),
                                      &numbers[i], &dims[i])) {
            return false;
        }
    Expr z = tabled(e, name.at, &table, part);
    Expr spread = normal ? numbers[SECOND] : expr_sub(pool, numbers[SECOND], numbers[FIRST]);
    *value = value_scalar(expr_add(pool, numbers[FIRST], expr_mul(pool, spread, z)));
    value->timed = true;
    value->dim = dim_either(dims[FIRST], dims[SECOND]);
    // Its seed and its step are known when all parameters are.
    ModelNoise noise = {(ExprTable *)expr_table_of(pool, z), numbers[SEED], numbers[STEP],
                        syntax_part_place(e->syntax, word + 1 + SEED),
                        syntax_part_place(e->syntax, word + 1 + STEP)};
    noise.table->numbers.step = 1;
    array_push(&e->model->noises, noise);
    return true;
}

bool elaborate_signal(Elaborator *e, const Part *part, Str name, Value *value)
{
    ExprTable table;
    if (part->role == PART_RANDOM)
        return read_noise(e, part, name, value);
    TableDims dims;
    Dim time = dim_of(0, 0, 1);
    if (!table_read(e, part, &table, &dims))
        return false;
    // A first column without a unit is the time in seconds.
    if (dims.given[0] && !dim_check(e, dims.dim[0], time, dims.places[0], "the column of the time"))
        return false;
    *value = value_scalar(tabled(e, name.at, &table, part));
    value->timed = true;
    value->dim = dims.dim[1];
    return true;
}

bool elaborate_function_table(Elaborator *e, const Part *part, ModelFunction *function,
                              FunctionBody *body)
{
    ExprTable table;
    TableDims dims;
    Place place = syntax_part_place(e->syntax, part);
    if (part->role == PART_RANDOM)
        return elaborate_fail(e, place, "noise is a signal in time; write 'input %s = random(…)'",
                              function->name);
    if (function->arity != 1)
        return elaborate_fail(e, place, "a table has one argument, and %s has %zu", function->head,
                              function->arity);
    if (!table_read(e, part, &table, &dims))
        return false;
    body->argument = dims.dim[0];
    body->asked = true;
    body->value = dims.dim[1];
    bind_table(e, function->name, &table, part);
    return function->tabled = true;
}

// ---- Seeds.

static void settle(Elaborator *e, const ModelNoise *noise, const Expr *symbols,
                   const double *values, size_t index)
{
    size_t count = e->model->params.count;
    double numbers[2];
    Program *program =
        program_new(e->pool, symbols, count, (Expr[]){noise->seed, noise->step}, 2, NULL);
    if (!program_run_once(program, values, numbers))
        return;
    double seed = numbers[0];
    if (e->seed >= 0)
        seed = (double)e->seed + (double)index;
    if (!(seed >= 0 && seed == floor(seed) && seed < 0x1p53))
        elaborate_fail(e, noise->seed_place, "a seed is a whole number, 0 or more, and this is %g",
                       seed);
    else if (!(numbers[1] > 0))
        elaborate_fail(e, noise->step_place,
                       "the time between two values is positive, and this is %g", numbers[1]);
    noise->table->numbers.seed = seed >= 0 ? (uint64_t)seed : 0;
    noise->table->numbers.step = numbers[1] > 0 ? numbers[1] : 1;
    noise->table->numbers.denominator = decimal_denominator(noise->table->numbers.step);
}

void noises_settle(Elaborator *e)
{
    const Model *model = e->model;
    size_t count = model->params.count;
    if (model->noises.count == 0)
        return;
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    double *values = base_alloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        symbols[i] = model->params.at[i].symbol;
    // Where parameters have no values nothing runs.
    Diag *silent = diag_new();
    if (model_param_numbers(model, silent, values) == STATUS_OK)
        for (size_t i = 0; i < model->noises.count; i++)
            settle(e, &model->noises.at[i], symbols, values, i);
    diag_free(silent);
    base_free(values);
    base_free(symbols);
}

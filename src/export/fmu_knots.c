// fmu_knots.c: tables and noise over the time: where a step has to end.
#include "export/fmu_impl.h"
#include "expr/tables.h"

// A table whose argument is linear in t, and holds nothing else that moves.
typedef struct {
    size_t table;
    Expr argument, slope;
} Knots;
typedef ARRAY(Knots) KnotRow;

static ExprList nodes_of(const Exported *exported)
{
    const Motion *motion = exported->motion;
    ExprRow roots = {0};
    array_push(&roots, motion->U);
    array_push(&roots, motion->T);
    array_push(&roots, motion->model->dissipation);
    exported_push(&roots, motion->K, motion->n);
    for (size_t i = 0; i < motion->m; i++) {
        array_push(&roots, motion->rows[i].velocity);
        array_push(&roots, motion->rows[i].gamma);
    }
    for (size_t i = 0; i < motion->side_count; i++)
        array_push(&roots, motion->sides[i].position);
    for (size_t i = 0; i < exported->params; i++)
        if (exported_is_input(exported, i))
            array_push(&roots, exported->model->params.at[i].signal);
    ExprList nodes = expr_nodes(motion->pool, roots.at, roots.count);
    array_clear(&roots);
    return nodes;
}

static bool is_moved(const Motion *motion, Expr e)
{
    return expr_holds_any(motion->pool, e, motion->q, motion->n) ||
           expr_holds_any(motion->pool, e, motion->v, motion->n);
}

// The value of a table may jump at knots.
static bool jumps(const ExprTable *table)
{
    const TableNumbers *numbers = &table->numbers;
    return numbers->kind == TABLE_PREVIOUS || table_is_noise(numbers) ||
           (numbers->beyond == TABLE_REPEATS &&
            table->values[0] != table->values[numbers->count - 1]);
}

static KnotRow find(const Exported *exported, const ExprTable **wrong)
{
    const Motion *motion = exported->motion;
    ExprPool *pool = motion->pool;
    ExprList nodes = nodes_of(exported);
    KnotRow row = {0};
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        const ExprTable *table = expr_table_of(pool, node);
        if (!table)
            continue;
        Expr argument = expr_arg(pool, node, 0),
             slope = expr_diff(pool, argument, exported->model->t);
        bool known = false;
        for (size_t k = 0; k < row.count && !known; k++)
            known = row.at[k].table == table->number && expr_same(row.at[k].argument, argument);
        bool linear = !is_moved(motion, argument) && !expr_holds(pool, slope, exported->model->t);
        if (!linear && jumps(table))
            *wrong = table;
        if (linear && !known && !expr_is_zero(pool, slope))
            array_push(&row, ((Knots){table->number, argument, slope}));
    }
    expr_list_free(&nodes);
    return row;
}

Status fmu_check_tables(const Exported *exported, Diag *diag)
{
    const ExprTable *wrong = NULL;
    KnotRow row = find(exported, &wrong);
    array_clear(&row);
    if (!wrong)
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the table of %s jumps at its knots, and its argument is not linear in t "
                      "alone: an FMU cannot follow that in this version; 'run' does",
                      wrong->argument ? wrong->argument : "noise");
}

size_t fmu_knots(const Exported *exported)
{
    const ExprTable *wrong = NULL;
    KnotRow row = find(exported, &wrong);
    size_t count = row.count;
    array_clear(&row);
    return count;
}

bool fmu_add_knots(const Exported *exported, Text *out)
{
    const ExprTable *wrong = NULL;
    KnotRow row = find(exported, &wrong);
    FmuFunction function = {
        .name = "knots", .arguments = "", .outputs = {{"value", 0, 2 * row.count}}};
    ExprRow inputs = {0}, moving = {0}, values = {0};
    exported_push_params(exported, &inputs);
    array_push(&inputs, exported->model->t);
    text_add(out, "static const int model_knot_tables[] = {");
    for (size_t i = 0; i < row.count; i++) {
        text_addf(out, "%zu, ", row.at[i].table);
        array_push(&values, row.at[i].argument);
        array_push(&values, row.at[i].slope);
    }
    text_add(out, "-1};\n");
    array_clear(&row);
    return fmu_add_function(exported, &function, &inputs, &moving, &values, out);
}

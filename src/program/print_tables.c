// print_tables.c: the tables of programs as C text, beside the rules of their pieces.
#include "base/strings.h"
#include "program/flow_impl.h"
#include "program/native.h"
#include "program/program_impl.h"

static const char rules[] =
#include "program/table_rules.txt"
    ;
static const char counter_rules[] =
#include "program/counter_rules.txt"
    ;

bool program_has_tables(const Program *program)
{
    bool any = false;
    for (size_t i = 0; i < program->code_count && !any; i++)
        any = program->code[i].op == PROGRAM_PIECE;
    return any;
}

bool program_has_noise(const Program *program)
{
    const ExprTables *tables = program->tables;
    bool any = false;
    for (size_t i = 0; program_has_tables(program) && i < expr_table_count(tables) && !any; i++)
        any = table_is_noise(&expr_table_at(tables, i)->numbers);
    return any;
}

static void print_row(size_t number, const char *name, const double *row, size_t count, Text *out)
{
    enum { IN_A_LINE = 4 };
    text_addf(out, "static const double table_%zu_%s[] = {", number, name);
    for (size_t i = 0; i < count; i++) {
        text_add(out, i % IN_A_LINE == 0 ? "\n    " : " ");
        program_print_c_number(row[i], out);
        text_add(out, i + 1 < count ? "," : "};\n");
    }
}

static const char *const rows[] = {"c0", "c1", "c2", "c3"};

static void print_rows(const ExprTable *table, Text *out)
{
    const TableNumbers *numbers = &table->numbers;
    if (table->file)
        text_addf(out, "// %s\n", table->file);
    if (numbers->knots)
        print_row(table->number, "knots", numbers->knots, numbers->count, out);
    for (int j = 0; j <= TABLE_MOST_DEGREE; j++)
        if (numbers->coefficients[j])
            print_row(table->number, rows[j], numbers->coefficients[j], numbers->count - (j > 0),
                      out);
}

static void print_table(const ExprTable *table, Text *out)
{
    const TableNumbers *numbers = &table->numbers;
    text_addf(out, "    {%d, %d, %zu, ", numbers->kind, numbers->beyond, numbers->count);
    if (numbers->knots)
        text_addf(out, "table_%zu_knots, {", table->number);
    else
        text_add(out, "0, {");
    for (int j = 0; j <= TABLE_MOST_DEGREE; j++)
        if (numbers->coefficients[j])
            text_addf(out, "%stable_%zu_%s", j ? ", " : "", table->number, rows[j]);
        else
            text_add(out, j ? ", 0" : "0");
    text_addf(out, "}, UINT64_C(%llu), ", (unsigned long long)numbers->seed);
    program_print_c_number(numbers->step, out);
    text_add(out, ", ");
    program_print_c_number(numbers->denominator, out);
    text_add(out, "},\n");
}

static const char noise_value[] =
    "    const TableNumbers *table = all_tables + (size_t)number / TABLE_COLUMNS;\n"
    "    if (table_is_noise(table) && (size_t)number % TABLE_COLUMNS == 0 && !isnan(piece))\n"
    "        return table->kind == TABLE_NORMAL\n"
    "                   ? counter_normal_of(table->seed, 0, (uint64_t)(int64_t)piece)\n"
    "                   : counter_uniform_of(table->seed, 0, (uint64_t)(int64_t)piece);\n";

void program_print_c_tables(const ExprTables *tables, Text *out)
{
    bool noise = false;
    for (size_t i = 0; i < expr_table_count(tables); i++)
        noise = noise || table_is_noise(&expr_table_at(tables, i)->numbers);
    if (noise)
        text_add(out, counter_rules);
    text_add(out, rules);
    text_add(out, "\n");
    for (size_t i = 0; i < expr_table_count(tables); i++)
        print_rows(expr_table_at(tables, i), out);
    text_add(out, "static const TableNumbers all_tables[] = {\n");
    for (size_t i = 0; i < expr_table_count(tables); i++)
        print_table(expr_table_at(tables, i), out);
    text_add(out, "};\n\nstatic double table_piece(double u, double number)\n{\n"
                  "    return table_piece_of(all_tables + (size_t)number, u);\n}\n\n"
                  "static double table_column(double piece, double number)\n{\n");
    text_add(out, noise ? noise_value : "");
    text_add(out, "    size_t all = (size_t)number;\n"
                  "    return table_column_of(all_tables + all / TABLE_COLUMNS, piece,\n"
                  "                           (int)(all % TABLE_COLUMNS));\n}\n\n");
}

// tables.h: functions given by numbers: tables, and noise.
//
// Such a function is piecewise a polynomial. Its pieces are numbered; those of a table that repeats
// itself, and those of noise, are numbered without end. A program looks for the piece of an
// argument, and then for the numbers of that piece.
#ifndef ZWANG_EXPR_TABLES_H
#define ZWANG_EXPR_TABLES_H

#include "base/memory.h"
#include "expr/expr_types.h"

// The kinds, what a table is beyond its knots, and the columns of numbers that its pieces have:
// coefficients of (u − start)^j, and where they start (TABLE_START).
#include "expr/table_rules.h"

enum { TABLE_MOST_DEGREE = 3 };

typedef struct ExprTable {
    TableNumbers numbers;
    const char *file;     // as it is written; NULL of noise
    const char *argument; // the name of its first column
    const double *values; // at the knots
    size_t number;        // among those of its pool
    size_t pieces;        // the number of the first table of the pool whose pieces are the same
} ExprTable;

// The tables of a pool, in the order in which they were made.
typedef struct ExprTables ExprTables;
const ExprTables *expr_tables(const ExprPool *pool);
size_t expr_table_count(const ExprTables *tables);
const ExprTable *expr_table_at(const ExprTables *tables, size_t number);

// Makes a table of knots and values, which are copied; the coefficients are worked out here.
const ExprTable *expr_table_new(ExprPool *pool, const ExprTable *given);
// From now on the open function of this name, of one argument, and its derivatives have the values
// of the table.
void expr_table_bind(ExprPool *pool, const char *name, const ExprTable *table);
// That of an open function; NULL where it has none.
const ExprTable *expr_table_of(const ExprPool *pool, Expr e);
int expr_table_degree(const ExprTable *table);

// The number of the piece with u in it, which has its beginning and not its end; that of a table
// that ends has its last knot too. No number beyond the ends of a table that has some.
double expr_table_piece(const ExprTable *table, double u);
// Where a piece begins and ends; infinite for none.
double expr_table_start(const ExprTable *table, double piece);
double expr_table_end(const ExprTable *table, double piece);
// How many derivatives are continuous at that end of a piece which is nearer to u: 2 inside a cubic
// table, none at an end of one that is held, or of any line; −1: the value jumps.
int expr_table_continuity(const ExprTable *table, double piece, double u);
// The number of a piece in a column.
double expr_table_column(const ExprTable *table, double piece, int column);

// The two of them as instructions have them: by the number of the table, and by that times
// TABLE_COLUMNS and the column.
double expr_tables_piece(const ExprTables *tables, double u, double number);
double expr_tables_column(const ExprTables *tables, double piece, double number);

#endif

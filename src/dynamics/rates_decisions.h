// rates_decisions.h: what numbers have decided while rates were derived, kept so that it can be
// asked again with other numbers: where all of it stands, the same rates would be derived.
#ifndef ZWANG_DYNAMICS_RATES_DECISIONS_H
#define ZWANG_DYNAMICS_RATES_DECISIONS_H

#include "base/memory.h"

typedef struct Program Program; // program.h
typedef struct RatesDecisions RatesDecisions;

RatesDecisions *decisions_new(void);
void decisions_free(RatesDecisions *decisions); // may be NULL
// Something was decided by numbers that cannot be asked again.
void decisions_refuse(RatesDecisions *decisions);

// ---- The pivots of a matrix, count × n.
typedef struct {
    size_t count, n;
    bool *row_done, *column_done;
    // Of every entry: what it costs to take it; infinite where it is 0 to the eye.
    double *costs;
    double *values; // the numbers
} PivotSearch;
// Of entries of an eighth of the largest in their row at least, the one that costs least: of equals
// in one row the largest, else the first row, so that numbers decide as little as they can. False
// where there is none.
bool pivots_choose(const PivotSearch *search, size_t *row, size_t *column);
// Takes that pivot's row from the numbers of the others.
void pivots_eliminate(const PivotSearch *search, size_t row, size_t column);

// A search that begins. The program, which is taken over, gives the matrix from t | q | u; its
// columns are measured in units of velocities' typical sizes where `scaled`.
void decisions_begin_pivots(RatesDecisions *decisions, Program *matrix, size_t count, size_t n,
                            bool scaled);
// The next step of the search that was begun last, with what entries cost before it.
void decisions_add_pivot(RatesDecisions *decisions, const PivotSearch *search, size_t row,
                         size_t column);

// ---- Sizes. The program, which is taken over, gives pairs: the size of the first is more than
// `part` of that of the second; or the first, divided by the second, is.
void decisions_add_sizes(RatesDecisions *decisions, Program *pairs, double part);
void decisions_add_quotients(RatesDecisions *decisions, Program *pairs, double part);

// ---- A mean. The program, which is taken over, gives what elimination_mean has made `mean` of.
void decisions_add_mean(RatesDecisions *decisions, Program *moments, double mean);

// ---- Asking again, with these parameters (with typical sizes of n velocities behind them) and
// these inputs t | q | u.
bool decisions_stand(const RatesDecisions *decisions, const double *parameters, const double *scale,
                     const double *inputs);

#endif

// problem.h: an initial value problem y' = f(t, y), as its integrators see it.
#ifndef ZWANG_ODE_PROBLEM_H
#define ZWANG_ODE_PROBLEM_H

#include "base/memory.h"

// The linear equations (1 − γ·J)·x = r of an implicit step, J = ∂f/∂y, as a larger matrix with few
// entries: x is the first of its unknowns, r the beginning of its right side, 0 the rest of that.
typedef struct OdeSparseJacobian {
    size_t id;               // another one for another pattern; never 0
    size_t size;             // of the matrix
    const uint32_t *begins;  // size + 1: where the entries of each row begin
    const uint32_t *columns; // of the entries, row after row
    void *context;
    // Takes J from this state; false where there is none.
    bool (*linearize)(void *context, double t, const double *y);
    // The entries in their order for this γ, with J as it was taken last.
    void (*fill)(void *context, double gamma, double *entries);
} OdeSparseJacobian;

// y' = f(t, y) and what is known about it. Methods other than Taylor's need `rate`, Taylor's needs
// `series`, `order` and `switch_distance`, BDF needs `jacobian`, all need `error_scale`.
typedef struct OdeProblem {
    size_t count; // of the parts of y
    double tolerance;
    double span;           // of the time that the whole motion takes; 0: unknown
    double max_step;       // for methods that see no more of a step than its ends
    bool smooth, undamped; // nothing in f acts only for a while or somewhere; nothing decays alone
    void *context;         // of all but those that are asked of a program for f: of these
    void *program; // for expand, sum, switch_distance, jacobian, sparse_jacobian and is_nystrom
    // f; false where there is no rate at this state.
    bool (*rate)(void *context, double t, const double *y, double *rate);
    // Whether y = (q, q') and the rates of q' depend on t and q alone, asked at each start; NULL:
    // no.
    bool (*is_nystrom)(void *program);
    // Coefficient k of the rates along the solution from coefficient k of (t, y), for k = 0, 1, …
    // in turn, below `order`; false where there is none. Series are in powers of (t − from)/unit.
    bool (*series)(void *context, size_t k, const double *ty, double *rate);
    // Rows 1 … order of the table of (t, y) from its row 0, all at once, in powers of
    // (t − from)/unit; returns how many of them are finite. NULL, or at any time none: then by
    // `series`. Rows as program_flow_rows says.
    size_t (*expand)(void *program, size_t order, double unit, double *ty);
    // For every part of t | y, from the table up to `order`: Σ y_k·s^k for k > 0, and the slope
    // there. NULL, or at any time false: then the integrator sums up by itself.
    bool (*sum)(void *program, size_t order, const double *ty, double s, double *sums,
                double *slopes);
    size_t order;
    size_t expand_order; // where `expand` does it; 0: the same
    // Distance to the next switch of a branch of f, in units, at most `most`, by the coefficients
    // up to `order`: infinite, or just beyond the switch, or as far as they can tell. The branches
    // are those of the coefficients of order 0.
    double (*switch_distance)(void *program, size_t order, double most);
    // Whether bounds prove that nothing in f acts only somewhere within a step that the series
    // about `from` make, to the state `end`; NULL: nobody knows.
    bool (*is_clear)(void *context, double from, double length, const double *end);
    // ∂f/∂y, column after column; false where there is none.
    bool (*jacobian)(void *program, double t, const double *y, double *columns);
    // The same as equations with few entries; NULL, or at any start NULL: it is dense.
    const OdeSparseJacobian *(*sparse_jacobian)(void *program);
    // Projects an accepted state onto its invariants; NULL where it has none. False where it is too
    // far from them.
    bool (*project)(void *context, double t, double *y);
    // What error counts as 1 in each part.
    void (*error_scale)(void *context, const double *y, double *scale);
} OdeProblem;

#endif

// small_impl.h: what the files about small motions share. Never leaves the room.
//
// The unknowns y are the coordinates that the equations of the speeds need, then the speeds. The
// residuals G(y), which vanish on a steady motion, are in this order: the finite conditions between
// these coordinates; the rates of the coordinates; the forces on the speeds, matrix·u' = force;
// what is held.
#ifndef ZWANG_INQUIRY_SMALL_IMPL_H
#define ZWANG_INQUIRY_SMALL_IMPL_H

#include "inquiry/inquiry.h"

// A start of the model as a function of y.
typedef struct {
    const ModelStart *start;
    Expr value; // in y
    Expr given; // in parameters; the symbol that is varied where it is what --vary varies
    bool held;
} SmallStart;

// A program with the room that it needs.
typedef struct {
    Program *program; // exact
    Program *folded;  // for doubles
    double *out, *work;
} SmallProgram;

struct InquirySmall {
    Arena *arena;
    Motion *motion;
    InquirySmallOptions options;
    // The equations matrix·u' = force in q, u, t.
    Expr *matrix, *force;
    size_t e, f, k;  // needed coordinates, finite conditions between them, speeds
    size_t *needed;  // e coordinates
    bool *is_needed; // n
    Expr *finite;    // f
    Expr *rates;     // e: q' of the needed coordinates
    size_t unknowns; // e + k
    Expr *y;
    SmallStart *starts;
    size_t start_count, held_count;
    Expr varied; // the symbol; none where nothing is
    double base; // its value in the model
    const char *varied_name;
    const size_t *boxed; // parameters that are inputs of the program, behind what is varied
    size_t boxed_count;
    size_t *inputs; // parameters
    size_t input_count;
    size_t rows;          // of G: f + e + k + held_count
    SmallProgram program; // (y, varied) → G, ∂G/∂y, matrix, ∂(rates, force)/∂inputs
    SmallProgram guess;   // (y, varied) → values, given ones, ∂values/∂y of the starts
    size_t *dependent;    // f of the needed coordinates that the finite conditions determine
    size_t *independent;  // e − f of them
    size_t size;          // e − f + k
    double *state;        // y of the motion found at the model's values
    size_t *block_rows, *block_columns; // a regular block of ∂G/∂y there
    size_t block;
    size_t family;
    void *entries; // formula.c: the matrices as expressions, made on first use
    bool entries_known;
};

// Where the outputs of the program lie.
static inline size_t small_jacobian_at(const InquirySmall *small)
{
    return small->rows;
}
static inline size_t small_matrix_at(const InquirySmall *small)
{
    return small->rows * (1 + small->unknowns);
}
static inline size_t small_inputs_at(const InquirySmall *small)
{
    return small_matrix_at(small) + small->k * small->k;
}
static inline size_t small_output_count(const InquirySmall *small)
{
    return small_inputs_at(small) + (small->e + small->k) * small->input_count;
}

// ---- speed_equations.c
BASE_MUST_USE Status small_find_equations(InquirySmall *small, Diag *diag);
// The needed coordinates, the finite conditions between them, their rates, and the unknowns.
BASE_MUST_USE Status small_find_needed(InquirySmall *small, Diag *diag);

// ---- linearize.c
void small_run(SmallProgram *program, const double *y, double varied, size_t unknowns);
// A program for expressions in y, parameters and what is varied; false where they hold more.
bool small_make_values(const InquirySmall *small, const Expr *exprs, size_t count,
                       SmallProgram *program);
void small_clear_program(SmallProgram *program);
// d/dp by a parameter; those that are made of it follow. The caller frees it.
ExprRates *small_input_rates(const InquirySmall *small, size_t param);

// The same equations with these parameters as inputs of the program, for balls alone; false where
// they cannot be. small_clear_program(&box->program) frees it.
bool small_box_new(const InquirySmall *small, const size_t *params, size_t count,
                   InquirySmall *box);

// ---- steady.c
// From y, by least changes, to a steady motion at this value of what is varied; false where none is
// found, and y is then the nearest that one came. `hold` says whether what is held is.
bool small_newton(InquirySmall *small, bool hold, double varied, double *y);
// What an equation is divided by, where the program was run last. Forces are divided by the inertia
// of their speed, and all by the same rate then: one that is small beside the others stays so.
double small_scale(const InquirySmall *small, size_t row);
// Moves y as little as lets the needed coordinates rest and what is held be held, whatever the
// forces.
void small_rest(InquirySmall *small, double *y);
// Where the search begins.
BASE_MUST_USE Status small_guess(InquirySmall *small, Diag *diag, double *y);
// Moves y as the starts move between two values of what is varied.
void small_shift(InquirySmall *small, double from, double to, double *y);
// Solves a least-squares problem by least norm: `columns` unknowns, `rows` equations, row by row;
// the solution replaces the beginning of right, which has room for both. Returns the rank. The
// matrix is overwritten.
size_t small_least(double *matrix, double *right, size_t rows, size_t columns);

// ---- choice.c
// Which coordinates the finite conditions determine, and a regular block of ∂G/∂y, at the state
// where the program was run last. False where the finite conditions depend on each other there.
bool small_choose(InquirySmall *small);

// ---- modes.c
// The linearized equations in numbers from what the program has left: A, size × size. False where
// the matrix of the speeds or the finite conditions are singular there.
bool small_reduce(const InquirySmall *small, const double *out, double *A, double *K,
                  double *B_state);
// Eigenvalues of A: the family's zeros, then the others by falling real part.
void small_eigen(const double *A, size_t size, size_t family, double *re, double *im);
// The modes of these eigenvalues, as columns; the family's span the kernel of A.
void small_modes(const double *A, size_t size, size_t family, const double *re, const double *im,
                 double *mode_re, double *mode_im);
// How many independent modes the eigenvalue i·frequency has.
size_t small_mode_count(const double *A, size_t size, double frequency);

// ---- family.c
size_t small_family(InquirySmall *small, bool *proved);
// The dimension of the kernel of ∂G/∂y, without what is held, where the program was run last.
size_t small_kernel(const InquirySmall *small);

// ---- precise.c: the same to many digits.
// The linearized equations at the steady motion next to y; NULL where it is not found to so many
// digits. With `certain` every ball encloses, the motion's own included.
AlgebraMatrix *small_precise(InquirySmall *small, const double *y, double varied, bool certain);
// The same for all values of the box's parameters between these: NULL where one and only one steady
// motion near y is not proved for each, or the equations are not regular at all of them.
AlgebraMatrix *small_enclose_box(const InquirySmall *box, const double *y, const double *low,
                                 const double *high);
// The polynomial of the eigenvalues that do not belong to the family, without its zeros.
AlgebraMatrix *small_essential(const InquirySmall *small, const AlgebraMatrix *A);

// ---- hurwitz.c
// What vanishes where eigenvalues pass the imaginary axis.
typedef enum { HURWITZ_CONSTANT, HURWITZ_DETERMINANT, HURWITZ_DISCRIMINANT } HurwitzKind;
// Whether only even powers stand in it, so that eigenvalues come as ±λ.
bool hurwitz_is_even(const AlgebraMatrix *polynomial, size_t degree);
// How many roots have a positive real part, the others having a negative one; -1 where that is not
// certain for all polynomials in the balls.
int hurwitz_growing(const AlgebraMatrix *polynomial, size_t degree);
// Its sign and size by a double; 0 where it is not told from 0.
double hurwitz_value(HurwitzKind kind, const AlgebraMatrix *polynomial, size_t degree);

// ---- formula.c
// The coefficients of det(λ − A)·det M as formulas, from the constant one up: size + 1 of them.
// False where there are too many eigenvalues outside the family, or entries too large.
bool small_polynomial(InquirySmall *small, Expr *coefficients);

// ---- verdict.c
typedef struct {
    size_t growing, neutral, zeros; // of the eigenvalues outside the family
} SmallCount;
SmallCount small_count(const double *re, const double *im, size_t size, size_t family);
// Eigenvalues rounded from many digits: the family's zeros first, then by falling real part. False
// where that cannot be had.
bool small_precise_eigen(InquirySmall *small, const double *y, double varied, double *re,
                         double *im);
void small_sort(double *re, double *im, size_t count);

// ---- formula.c
// The formulas of the critical values, matched by their numbers.
void small_formulas(InquirySmall *small, InquiryCritical *critical, size_t count);

#endif

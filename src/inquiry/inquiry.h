// inquiry.h: questions about a system. Do two forms give the same motion? Is a steady motion
// stable?
#ifndef ZWANG_INQUIRY_H
#define ZWANG_INQUIRY_H

#include "forms/forms.h"

// Whether both forms determine the same u' for every state. The proof is exact: both are
// brought to linear equations for u' (and the multipliers), and the solutions are compared as
// functions. Where conditions or speeds are not linear in the velocities, and hold functions that
// the proofs do not know, agreement to 1e-12 at random states counts, and is called numeric. The
// caller clears the verdict.
Verdict inquiry_forms_agree(Motion *motion, const Form *a, const Form *b);

// The verdict of every form against the first that applies, the yardstick; verdicts is zeroed and
// stays so for the yardstick and for forms that do not apply. Agreement is of functions, u' in
// q, u, t, so that forms which agree with the yardstick agree with each other: it is pairwise.
// Says whether all that were decided agree.
bool inquiry_all_agree(Motion *motion, Form *const *forms, size_t count, Verdict *verdicts);

// The equations of a form as matrix·x = right in q, u, t; x holds u', then the multipliers where
// the form has them. False where they are not affine.
typedef struct {
    size_t size;
    Expr *matrix, *right;
} InquiryNormal;
bool inquiry_normal(Motion *motion, const Form *form, InquiryNormal *normal);
void inquiry_normal_clear(InquiryNormal *normal);

// The multipliers as functions of q, u, t, in the order of the motion's rows; m of them. False
// where the system is too large to be solved for the eye.
bool inquiry_multipliers(Motion *motion, const Form *form, Expr *lambdas);

// ---- Small motions about equilibria and steady motions (Hamel 244, Appell 24).
//
// A motion is steady where the speeds, and every coordinate that the equations of the speeds need,
// are constant. Near it, with q for those of these coordinates that the finite conditions leave
// free and u for the speeds, all counted from their steady values:
//
//     M·u' + C·u + K·q = 0,    q' = N·q + B·u,    or together    x' = A·x,  x = (q, u).

typedef struct {
    const Source *held;     // starts whose place is in this text are held; NULL: none
    const double *position; // n: where the search begins; the finite conditions hold there
    const char *vary;       // a parameter, or a speed or velocity that is held; NULL: nothing
    const char *inputs;     // parameters, "F,tau", by which the equations are differentiated; NULL
} InquirySmallOptions;

typedef struct InquirySmall InquirySmall;
// What is wrong with the options, and equations that hold the time, are errors. The motion must
// outlive the result.
BASE_MUST_USE Status inquiry_small_new(Motion *motion, const InquirySmallOptions *options,
                                       Diag *diag, InquirySmall **small);
void inquiry_small_free(InquirySmall *small);

typedef enum {
#define VERDICT(NAME, word, words) INQUIRY_##NAME,
#include "inquiry/verdicts.def"
#undef VERDICT
    INQUIRY_VERDICT_COUNT
} InquiryVerdict;
const char *inquiry_verdict_name(InquiryVerdict verdict);  // "unstable", as in JSON
const char *inquiry_verdict_words(InquiryVerdict verdict); // as a sentence says it

// The linearized system in numbers. All arrays live as long as the object they come from.
typedef struct {
    size_t coordinates, speeds, size; // of q, of u, of both
    const char *const *variables;     // the names of q, then of u
    const double *state;              // their steady values
    const double *q, *v;              // n: the whole state
    const double *u;                  // the speeds
    const char *const *moving;        // coordinates that nothing needs and that move
    size_t moving_count;
    const double *A;       // size × size, row by row
    const double *M, *C;   // speeds × speeds
    const double *K;       // speeds × coordinates
    const double *B;       // speeds × inputs: M·u' + C·u + K·q = B·δp
    const double *B_state; // size × inputs: x' = A·x + B_state·δp
    size_t inputs;
    const char *const *input_names;
    // Eigenvalues: the family's zeros first, then by falling real part; pairs stand together, the
    // one with the positive imaginary part first.
    const double *re, *im;
    const double *mode_re, *mode_im; // size × size: mode j is column j, its largest part 1
    size_t family;                   // zero eigenvalues that belong to the family of steady motions
    bool family_proved;              // exactly; else seen in numbers
    InquiryVerdict verdict;
    const char *reason; // of the verdict: a sentence
} InquiryLinear;

// Finds the steady motion at the model's own values, and what happens near it. An error where there
// is none, or where the linearized equations are singular.
BASE_MUST_USE Status inquiry_small_find(InquirySmall *small, Diag *diag, InquiryLinear *linear);

// The same matrices as expressions in parameters and the steady values that are not 0; what is not
// exactly known stays in them as the symbol of its variable. None where they are too large. Only
// after inquiry_small_find.
typedef struct {
    bool known;
    const Expr *M, *C, *K, *B; // as in InquiryLinear
} InquiryLinearForm;
InquiryLinearForm inquiry_small_form(InquirySmall *small);

// The eigenvalues enclosed by balls: so many digits of each part are certain. False where they
// cannot be told apart to so many digits. Only after inquiry_small_find; text is the caller's.
typedef struct {
    Text re, im;
} InquiryEnclosed;
bool inquiry_small_enclose(InquirySmall *small, size_t digits, InquiryEnclosed *eigenvalues);

// ---- Over a range of what is varied.
typedef enum {
    INQUIRY_ZERO_CROSSES, // a real eigenvalue passes 0
    INQUIRY_PAIR_CROSSES, // a pair passes the imaginary axis
    INQUIRY_PAIRS_MEET    // imaginary pairs meet and leave the axis
} InquiryCriticalKind;

typedef struct {
    InquiryCriticalKind kind;
    double value;     // of what is varied
    double frequency; // of the pair there
    Expr formula;     // of the value in the other parameters; none where it is not known
    bool gains;       // the number of growing modes becomes less
} InquiryCritical;

typedef struct {
    size_t count, size;    // points, eigenvalues of each
    const double *values;  // of what is varied
    const double *re, *im; // count × size; a column is a branch
    const bool *found;     // where there is a steady motion; else the eigenvalues are NAN
    const InquiryCritical *critical;
    size_t critical_count;
} InquiryCurve;
// Follows the motion found over `count` values from a to b. Only after inquiry_small_find.
BASE_MUST_USE Status inquiry_small_follow(InquirySmall *small, double a, double b, size_t count,
                                          Diag *diag, InquiryCurve *curve);

// ---- Very slow motions (Appell 24): what is of second degree in the speeds is dropped, and the
// plain Lagrange equations become right: Σ matrix·u' = right. False where the conditions hold the
// time. The arrays are k × k and k, the caller's.
bool inquiry_slow(Motion *motion, Expr *matrix, Expr *right);

#endif

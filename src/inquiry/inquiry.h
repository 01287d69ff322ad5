// inquiry.h: questions about a system: do its forms give the same motion, of what kind is it,
// what stays as it is along its motions, does Jacobi's theorem extend to it, and is a steady
// motion stable?
#ifndef ZWANG_INQUIRY_H
#define ZWANG_INQUIRY_H

#include "forms/forms.h"
#include "inquiry/normal.h"
#include "model/model_equation.h"

// Whether both forms determine the same u' for every state. The proof is exact: both are
// brought to linear equations for u' (and the multipliers), and the solutions are compared as
// functions. Where conditions or speeds are not linear in the velocities, and hold functions that
// the proofs do not know, agreement to 1e-12 at random states counts, and is called numeric. The
// caller clears the verdict.
Verdict inquiry_forms_agree(Motion *motion, const Form *a, const Form *b);

// The verdict of every form against the first that applies, the yardstick; verdicts is zeroed and
// stays so for the yardstick and for forms that do not apply. Agreement is of functions, u' in
// q, u, t, so that forms which agree with the yardstick agree with each other: it is pairwise.
// Says whether all that were decided agree. `begins` is told each form that is compared; may be
// NULL.
bool inquiry_all_agree(Motion *motion, Form *const *forms, size_t count,
                       void (*begins)(void *context, const Form *form), void *context,
                       Verdict *verdicts);

// Whether the forms give the same jumps at all impulses; how many were compared.
typedef struct {
    size_t forms;
    Answer answer;
} InquiryPercussions;
InquiryPercussions inquiry_percussions(Motion *motion);

// Whether each reading of least action that stands beside this form is the motion: against
// Lagrange's equations with multipliers.
void inquiry_judge_readings(Motion *motion, Form *form);

// The multipliers as functions of q, u, t, one for each condition in force, in their order.
// False where the system is too large to be solved for the eye.
bool inquiry_multipliers(Motion *motion, const Form *form, Expr *lambdas);

// ---- Does a published equation follow from the motion?

// What the names in it may stand for besides those of the model: functions of the forms, as they
// are printed with ASCII letters (T, T+, T1, S, P_v, p_theta, R_theta, beta[1,2,3], H), those of
// one form by its name, lagrange.T+. A ModelQuantities of model_equation.h.
typedef struct InquiryQuantities InquiryQuantities;
InquiryQuantities *inquiry_quantities_new(Motion *motion);
void inquiry_quantities_free(InquiryQuantities *quantities);
ModelQuantities inquiry_quantities_names(InquiryQuantities *quantities);
// An expression that holds them, in coordinates, velocities, speeds and their rates.
Expr inquiry_quantities_put(InquiryQuantities *quantities, Expr e);

// A number of the state at which an equation fails.
typedef struct {
    const char *name;
    double value;
} InquiryStateValue;

typedef struct {
    Arena *arena;
    Verdict verdict;
    bool special; // it follows for the values that the parameters have, and not for others
    // Where it is one of a form's equations up to a factor: that factor, which holds a variable of
    // the motion. None where it is a constant, or no single equation was recognized.
    Expr factor;
    // Where it does not follow: left − right on the motion, what that is at one state, and the
    // state: what of it the difference holds.
    Expr difference;
    double value;
    InquiryStateValue *state;
    size_t state_count;
} InquiryEquation;
// Whether `residual` = 0, in q, q', q'', u, u', t and the multipliers, holds along every motion.
void inquiry_equation(Motion *motion, Expr residual, InquiryEquation *equation);
void inquiry_equation_clear(InquiryEquation *equation);
// Whether the residual is a form's equation times a factor that holds no accelerations, and that
// factor: 1 where they are the same.
Verdict inquiry_equation_is(Motion *motion, Expr residual, const Form *form, size_t index,
                            Expr *factor);

// ---- Of what kind are the conditions, all together, in coordinates and time (Quanjel 5 IV–V,
// Hamel 228 and 234, Appell 1–2)?

// A function of q and t that is constant along every motion, though no condition says so by
// itself: what an integrable combination of the conditions comes from.
typedef struct {
    Expr value;
    Expr *gradient; // by q, then by t: n + 1
} InquiryRelation;

typedef struct {
    Arena *arena;
    const char *reason;   // why nothing can be said; NULL where it can
    size_t finite;        // finite relations that stand in the model
    size_t hidden;        // finite relations besides, hidden in conditions on velocities
    bool holonomic;       // every condition comes from a finite relation
    bool apparent;        // and yet forces Δ act beside T: the parameters are no true coordinates
    ARRAY(size_t) growth; // dimensions of allowed directions, with brackets of 1, 2, … rounds
    bool special;         // the values of the parameters make it another kind than others would
    Answer *integrable;   // of every constraint of the model: it lies in the integrable part
    ARRAY(InquiryRelation) relations; // those hidden ones that were found: proved
    // All directions that can be reached, fields × (n + 1), time last; the first is that of time.
    Expr *directions;
    size_t direction_count;
} InquiryKind;
InquiryKind *inquiry_kind(Motion *motion);
void inquiry_kind_free(InquiryKind *kind);
// How many of the directions that can be reached in general are independent at this state, and how
// many of the conditions; q holds n numbers. False where that cannot be evaluated there.
typedef struct {
    size_t directions, conditions;
} InquiryRanks;
bool inquiry_kind_at(Motion *motion, const InquiryKind *kind, const double *params, const double *q,
                     InquiryRanks *ranks);

// How many freedoms there are. Conditions that depend on each other wherever they hold, but not
// elsewhere, leave more than their count says.
typedef struct {
    size_t least;    // coordinates less independent conditions
    bool exact;      // that many: the conditions are independent at a position that they allow
    size_t at_start; // directions that the conditions leave open at the start
    bool moves;      // it was followed from there, in numbers,
    size_t seen;     // and had so many freedoms
} InquiryFreedom;
// q holds n numbers near which the finite conditions hold. False where no such position is found.
bool inquiry_freedom(Motion *motion, const double *params, const double *q,
                     InquiryFreedom *freedom);

// ---- The order of non-holonomy (Appell 1, 8, 15–16): how many of the parameters need Appell's
// correction R_α. For those where R_α ≡ 0 the plain Lagrange equation is right (Ferrers found one,
// Appell 2).

// One choice of coordinates as parameters.
typedef struct {
    size_t *parameters; // coordinates, k
    size_t order;
} InquiryChoice;

typedef struct {
    Arena *arena;
    const char *reason; // why nothing can be said; NULL where it can
    Expr *R;            // of the state's speeds, in q, u, t: k; 0 where it vanishes, none
                        // where it was not worked out
    size_t order;       // for the state's speeds, with the values that the parameters have
    bool *holds;        // whether the plain equation is right, k
    size_t general;     // the order for parameters without special values
    ARRAY(InquiryChoice) choices; // every regular choice of coordinates
    bool too_many;                // there are too many choices to be looked at
    bool open;                    // the orders of the choices are not known: no R could be shown
    size_t least;                 // among the state's speeds and the choices
} InquiryOrder;
// How many choices of coordinates are looked at.
enum { INQUIRY_MOST_CHOICES = 1000 };
InquiryOrder *inquiry_order(Motion *motion);
void inquiry_order_free(InquiryOrder *order);

// ---- Realization of conditions (Delassus; Appell 3 and 21): dimensions of what a mass can do.
enum { INQUIRY_REALIZATIONS = 8 };
typedef struct {
    const char *of;       // a point of the model; NULL where it has no name
    size_t displacements; // virtual ones, at an instant
    size_t velocities;    // with the rest of the system in any position
    size_t accelerations; // likewise, for given velocities
    size_t reached;       // directions that it can be brought along
} InquiryRealization;
// Of masses, in systems whose conditions are linear in the velocities; how many are answered.
size_t inquiry_realizations(Motion *motion, const InquiryKind *kind, InquiryRealization *found);

// ---- Quadratures (Hamel 229): two speeds with u' = α w², w' = −β u w, α and β constant.
typedef struct {
    size_t along; // which of the two speeds is u
    Expr alpha, beta;
    size_t angle; // the coordinate with ϑ' = w; n where there is none
    size_t x, y;  // those with x' = u cos ϑ and y' = u sin ϑ, likewise
} InquiryTurning;
bool inquiry_turning(Motion *motion, InquiryTurning *found);

// ---- Exact differentials (Appell 8, (19)–(20); Quanjel 5 III): δx = δU + terms without q_α, for
// every point. Sufficient for the plain Lagrange equation of q_α.
typedef struct {
    size_t parameter; // which of the coordinates below
    const char *of;   // the body whose centre it is; NULL: a mass
    Expr U[3];        // along the axes of the world
} InquiryDifferential;
typedef struct {
    ARRAY(size_t) coordinates; // the parameters: independent ones
    ARRAY(Answer) answers;     // of each
    ARRAY(InquiryDifferential) differentials;
} InquiryExact;
// NULL where it is no question: without conditions, or where T was given, or for large systems.
InquiryExact *inquiry_exact(Motion *motion);
void inquiry_exact_free(InquiryExact *exact);

// ---- First integrals: functions of q, q', t that are constant along every motion.

typedef struct {
    const char *name;  // "energy", "momentum of theta", "linear 1"
    const char *label; // "energy", "momentum.theta", "linear.1": as in names of columns
    const char *kind;  // "energy", "momentum", "linear": as in JSON
    Expr value;        // in q, q', t
    Expr reduced;      // the same in q, u, t, in its short form
    Expr *field;       // the virtual displacement that it belongs to, n; NULL for energies
    ProofKind proof;
    bool special; // only for the values that the parameters have
    Expr jumps;   // the first function that switches in it where it is not seen to be continuous:
                  // it is constant from one switch to the next; none
} InquiryIntegral;

typedef struct InquiryIntegrals {
    Arena *arena;
    ARRAY(InquiryIntegral) at; // each proved; none a function of those before it
    const char *not_sought;    // why none was sought; NULL where they were
    const char *no_energy; // why the energy is none of them; NULL where it is, or none was sought
    bool energy_open;      // whether it is constant is not known: no reason was seen, or no proof
    // Linear ones were sought with coefficients up to this degree, by coordinates and by speeds.
    size_t degree, degree_by_speeds;
    size_t unproved; // how many more there seem to be
} InquiryIntegrals;
// Along every motion between events, or only those linear ones that no event changes: neither
// one-sided conditions, by whatever shocks and reactions, nor the given impulses.
typedef enum { INQUIRY_BETWEEN_EVENTS, INQUIRY_THROUGH_EVENTS } InquirySpan;
InquiryIntegrals *inquiry_integrals(Motion *motion, InquirySpan span);
void inquiry_integrals_free(InquiryIntegrals *integrals);
// Whether this function of q, q', t is constant along every motion, where the finite conditions
// hold, for all values of the parameters or for those that are given. By another road than the
// search: through the accelerations.
Verdict inquiry_is_integral(Motion *motion, Expr value, bool values);

// A density N(q) whose measure N·dq·du every motion keeps: none where none was found, and then
// *reason says why it was not sought, or is NULL.
Expr inquiry_measure(Motion *motion, const char **reason);

// ---- Does Jacobi's theorem extend (Quanjel 14–17)? With true coordinates and H = 𝒦 + U it does
// where a φ(q, t) has ∂φ/∂q_α = −R_α: then ∂V/∂t + H(∂V/∂q, q, t) + φ = 0.

// ∂V/∂a = b (Quanjel (28)) for one constant of a complete integral.
typedef struct {
    Expr constant, b; // symbols
    Expr *integrands; // Σ_α ∫ integrands[α] dq_α = b, and b + t for E: k, 0 where one is absent
} InquiryQuadrature;

// A complete integral V = −E·t + Σ ∫ p_α dq_α by separation: p_α holds its own coordinate and the
// constants alone. Checked by putting it in.
typedef struct {
    Expr energy;     // the symbol E
    Expr *constants; // k − 1 symbols besides
    Expr *momenta;   // p_α, k
    size_t constant_count;
    Expr *integrals; // what E and the constants are, in q, p and earlier ones of them
    Expr *parts;     // what p_α makes 0, in q_α, the symbol of p_α and the constants, k
    InquiryQuadrature *quadratures; // of E, then of the constants, k; NULL where there are too many
    // The motion where the quadratures close, proved by putting it into the equations: q_α in
    // path_by, which is t or one of the coordinates, and the constants. path_by is none else.
    Expr path_by, *path;
    // With it, where the conditions can be integrated along it, the dependent coordinates in the
    // order of declaration, each with a constant of its own; none where not.
    Expr *dependent, *dependent_constants;
    size_t dependent_count;
} InquirySeparation;

typedef struct {
    Arena *arena;
    Answer extends;
    const char *reason;  // why not, or why that is not known; NULL where it does
    Expr phi;            // 0 where all R vanish; none where it was not found
    bool ordinary;       // all R vanish: nothing has to be completed
    size_t *coordinates; // the k independent ones
    Expr *R;             // the corrections, k; known where it extends
    Expr *slopes;        // symbols for ∂V/∂q_α, k
    Expr H;              // in q, the slopes and t; none where it was not worked out
    // Accelerations, right and as the ordinary equation would have them; NULL where these are the
    // same or too long.
    Expr *right, *wrong;
    InquirySeparation *separation; // NULL where none was found
    // dp_α/dt = −∂(H + φ)/∂q_α (Quanjel (30)) in q and the slopes, k; NULL where H or φ is not
    // known. With a separation it is proved that p_α = ∂V/∂q_α changes so (29).
    Expr *momentum_rates;
    bool rates_proved;
} InquiryJacobi;
InquiryJacobi *inquiry_jacobi(Motion *motion);
void inquiry_jacobi_free(InquiryJacobi *jacobi);

// ---- Which parameters can motions not tell apart?

typedef ARRAY(Expr) InquiryAlone;
// A direction in which the parameters can change, and no motion does.
typedef struct {
    bool *moves;        // which of the parameters it changes
    size_t pivot;       // the last of them; no other direction changes it
    InquiryAlone alone; // functions of these that motions tell; none where they have no short name
} InquiryDirection;
typedef struct {
    InquiryDirection *at;
    size_t count;
} InquiryUnseen;
// Every such direction, for motions of which the coordinates, velocities and what is `seen` (in q,
// q', t) are observed: proved, for all values of the parameters. False where that is no question of
// the equations alone (impacts, friction, events), or they are too large.
bool inquiry_unseen(Motion *motion, const Expr *parameters, size_t count, const Expr *seen,
                    size_t seen_count, InquiryUnseen *unseen);
void inquiry_unseen_clear(InquiryUnseen *unseen);

// ---- Fewer coordinates: finite relations, the hidden ones too, solved for coordinates.
typedef struct {
    size_t coordinate;
    Expr value; // in parameters, time and coordinates that stay
} InquiryReplaced;
typedef struct {
    ARRAY(InquiryReplaced) at; // in the order of declaration
    size_t left;               // relations that could not be solved so
} InquiryReduction;
// A hidden relation keeps the value that it has for the start as the model gives it. A coordinate
// that the model names in a force, in `independent` or with a velocity is not replaced. What needs
// a servo stays a condition.
void inquiry_reduce(Motion *motion, const InquiryKind *kind, InquiryReduction *reduction);
void inquiry_reduction_clear(InquiryReduction *reduction);

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
    // Of the conditions in force, where forces hold reactions not linearly: those at the steady
    // motion, about which they are linearized; NULL elsewhere.
    const double *multipliers;
    bool hold_tables; // functions given by tables have t = 0 in them
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
    bool free_spin;     // zeros outside the family are spins of bodies, which nothing hinders
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

// Frequencies as formulas: ±iα with α² = square, which vanishes where the square of a steady speed
// is `critical`; none where no speed does it. Returns how many there are, those that were found and
// are of few variables. Only after inquiry_small_find.
enum { INQUIRY_FREQUENCIES = 4 };
typedef struct {
    Expr square, speed, critical;
} InquiryFrequency;
size_t inquiry_small_frequencies(InquirySmall *small, const InquiryLinear *linear,
                                 InquiryFrequency *frequencies);

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
    const size_t *growing; // how many modes grow there
    const InquiryCritical *critical;
    size_t critical_count;
} InquiryCurve;
// What holds for all values of the parameters that are given by intervals.
typedef struct {
    enum {
        INQUIRY_ALL_UNDECIDED, // where eigenvalues come near the imaginary axis, or cannot be had
        INQUIRY_ALL_STABLE,    // asymptotically, for every value
        INQUIRY_ALL_UNSTABLE,
        INQUIRY_ALL_DIFFER // asymptotically stable for some, unstable for others
    } verdict;
    size_t count;
    const size_t *params;
    const double *low, *high;
    size_t boxes; // that they were divided into
} InquiryIntervals;
// A proof in balls. False where there are no such parameters, or the motion is not one alone: it
// belongs to a family, or something is held or varied. Only after inquiry_small_find.
bool inquiry_small_intervals(InquirySmall *small, InquiryIntervals *intervals);

// Follows the motion found over `count` values from a to b. Only after inquiry_small_find.
BASE_MUST_USE Status inquiry_small_follow(InquirySmall *small, double a, double b, size_t count,
                                          Diag *diag, InquiryCurve *curve);

// ---- Very slow motions (Appell 24): what is of second degree in the speeds is dropped, and the
// plain Lagrange equations become right: Σ matrix·u' = right. False where the conditions hold the
// time. The arrays are k × k and k, the caller's.
bool inquiry_slow(Motion *motion, Expr *matrix, Expr *right);

#endif

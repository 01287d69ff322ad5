// zero.c: is an expression zero for all values of its symbols?
//
// First a look at a few real points, in balls: most expressions that are not zero show it
// there, and are done with. Then the canonical form, where it is small. Then evaluation in
// prime fields: the first value that is not zero sends the search for a real point that shows
// it; zeros only, as often as bounds.c asks, are a YES with a stated error.
//
// Roots have no sign in a field. Where k roots depend on those before them, one choice of signs may
// vanish where another does not, as in √(x²) − x, so there are further trials until every choice
// of k signs has been drawn with the same certainty: (1 − 2^-k)^t < 2^-102 for t = 71·2^k.
#include "algebra/algebra_impl.h"

#include <math.h>

static const char degree_too_large[] = "its degree is too large for the prime fields";
static const char too_many_roots[] = "it holds too many square roots that depend on each other";
static const char no_value[] = "no point was found where it has a value";
static const char not_seen[] =
    "it is not zero in a prime field, but no real point was found that shows it";
static const char too_much[] = "it is too large to bound its degree";

// A NO where a point shows it; else UNKNOWN for the reason given.
static Verdict show_or(const Algebra *algebra, Expr e, const char *reason)
{
    char *witness;
    if (witness_find(algebra, &e, 1, WITNESS_THOROUGH, witness_excludes_zero, NULL, &witness))
        return verdict_no(PROOF_MODULAR, witness);
    return verdict_unknown(reason);
}

static Verdict try_fields(const Algebra *algebra, Expr e, Sample *sample, const Bounds *bounds)
{
    size_t for_signs;
    if (!square_roots_sign_trials(sample, &for_signs))
        return show_or(algebra, e, too_many_roots);
    double log2_error = bounds_log2_error(bounds, sample, bounds_root(bounds, 0));
    size_t trials = bounds_trials(log2_error);
    bool enough = trials > 0;
    if (!enough)
        trials = 1; // a NO may still be found
    double total = (double)trials * log2_error;
    if (for_signs > 0) {
        trials += for_signs;
        total = fmax(total, -102) + 1;
    }
    for (size_t i = 0; i < trials; i++) {
        if (!sample_draw(sample))
            return show_or(algebra, e, no_value);
        if (sample->outputs[0] != 0)
            return show_or(algebra, e, not_seen);
    }
    return enough ? verdict_yes(PROOF_MODULAR, total) : show_or(algebra, e, degree_too_large);
}

Verdict algebra_is_zero_modular(Algebra *algebra, Expr e)
{
    Expr image;
    atoms_rewrite(algebra, ATOMS_SPLIT, &e, 1, &image);
    Bounds *bounds = bounds_new(algebra, &image, 1);
    if (!bounds)
        return show_or(algebra, e, too_much);
    Sample sample;
    sample_init(&sample, algebra, &image, 1);
    Verdict verdict = try_fields(algebra, e, &sample, bounds);
    sample_clear(&sample);
    bounds_free(bounds);
    return verdict;
}

Verdict algebra_is_zero(Algebra *algebra, Expr e)
{
    if (expr_is_zero(algebra->pool, e))
        return verdict_yes(PROOF_EXACT, 0);
    char *witness;
    if (witness_find(algebra, &e, 1, WITNESS_QUICK, witness_excludes_zero, NULL, &witness))
        return verdict_no(PROOF_EXACT, witness);
    Verdict verdict = algebra_is_zero_canonical(algebra, e);
    if (verdict.answer != ANSWER_UNKNOWN)
        return verdict;
    // Where the form was too large the fields decide; where it was not zero they cannot help,
    // but may know more of roots that depend on each other.
    Verdict modular = algebra_is_zero_modular(algebra, e);
    if (modular.answer == ANSWER_UNKNOWN && modular.reason == no_value)
        return verdict; // which knows why there is none
    return modular;
}

bool algebra_vanishes(Algebra *algebra, Expr e)
{
    Verdict zero = algebra_is_zero(algebra, e);
    bool proved = zero.answer == ANSWER_YES;
    verdict_clear(&zero);
    return proved;
}

// body_steps.c: the energy of acceleration of a body's spin in Appell's letters (Appell 10–12).
//
// Along the axes that the inertia is given in p, q, r is the rotation of the body, 𝒫, 𝒬, ℛ that of
// the axes themselves, and 𝒫₁ = qℛ − r𝒬, … (23), which vanish where the axes are fixed in the body
// or in space (26), (27). With u for p, q, r and e for the entries of the tensor (A, B, C, and −F,
// −D, −E beside them) the energy is
//
//     2S = Σ e_ij (u'_i − 𝒫_i)(u'_j − 𝒫_j) + 2 Σ (u × e·u)_i (u'_i − 𝒫_i) + …            (25)
//
// and for a body of revolution about the last of the axes i, j, k, which go along but do not spin,
//
//     2S = A(u'_i² + u'_j²) + C u'_k² + 2(A ℛ − C u_k)(u_i u'_j − u_j u'_i) + …           (30)
#include "algebra/algebra.h"
#include "forms/steps_impl.h"
#include "model/model.h"
#include "model/vectors.h"

#include <string.h>

typedef struct {
    Motion *motion;
    Form *form;
    const ModelBody *body;
    const char *of;                        // "", or the body's name where letters need one
    Expr u[3], rate[3], axes[3], first[3]; // symbols: p, p', 𝒫, 𝒫₁
    Expr spin[3], turning[3];              // what p and 𝒫 are
    bool goes_along[3];                    // 𝒫 is p
    bool still;                            // 𝒫₁ = 𝒬₁ = ℛ₁ = 0
} Letters;

// ---- Names.

// Whether the model uses a name for another thing than this component of the rotation.
static bool is_taken(const Letters *letters, const char *name, Expr spin)
{
    const Model *model = letters->motion->model;
    for (size_t i = 0; i < model->coords.count; i++)
        if (strcmp(model->coords.at[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < model->speeds.count; i++)
        if (strcmp(model->speeds.at[i].name, name) == 0)
            return !algebra_vanishes(letters->motion->algebra,
                                     expr_sub(model->pool, model->speeds.at[i].value, spin));
    for (size_t i = 0; i < model->params.count; i++)
        if (strcmp(model->params.at[i].name, name) == 0)
            return true;
    return false;
}

// Plain letters for one body, where the model has no other use for them.
static bool needs_name(const Letters *letters)
{
    const Model *model = letters->motion->model;
    size_t spins = 0;
    for (size_t i = 0; i < model->bodies.count; i++)
        spins += model->bodies.at[i].has_inertia;
    const Expr *spin = letters->spin;
    return spins > 1 || is_taken(letters, "p", spin[0]) || is_taken(letters, "q", spin[1]) ||
           is_taken(letters, "r", spin[2]);
}

static Expr letter(const Letters *letters, const char *plain, const char *named, const char *after)
{
    Text name = {0};
    if (letters->of[0])
        text_addf(&name, "%s_{%s}%s", named, letters->of, after);
    else
        text_addf(&name, "%s%s", plain, after);
    Expr symbol = expr_symbol(letters->motion->pool, name.at);
    text_clear(&name);
    return symbol;
}

static void components(Motion *motion, Vector v, Frame frame, Expr *parts)
{
    Vec in = vector_in(motion->model->vectors, v, frame);
    parts[0] = in.x;
    parts[1] = in.y;
    parts[2] = in.z;
}

static void letters_init(Letters *letters)
{
    static const char *const u[] = {"p", "q", "r"}, *const axes[] = {"𝒫", "𝒬", "ℛ"},
                             *const named[] = {"P", "Q", "R"}, *const first[] = {"𝒫₁", "𝒬₁", "ℛ₁"},
                             *const named_first[] = {"P1", "Q1", "R1"};
    Motion *motion = letters->motion;
    Vectors *vectors = motion->model->vectors;
    Frame frame = letters->body->inertia_frame;
    components(motion, frame_omega(vectors, letters->body->frame), frame, letters->spin);
    components(motion, frame_omega(vectors, frame), frame, letters->turning);
    letters->of = needs_name(letters) ? letters->body->name : "";
    for (int i = 0; i < 3; i++) {
        letters->u[i] = letter(letters, u[i], u[i], "");
        letters->rate[i] = letter(letters, u[i], u[i], "'");
        letters->axes[i] = letter(letters, axes[i], named[i], "");
        letters->first[i] = letter(letters, first[i], named_first[i], "");
        letters->goes_along[i] = algebra_vanishes(
            motion->algebra, expr_sub(motion->pool, letters->spin[i], letters->turning[i]));
    }
    letters->still = true;
    for (int i = 0; i < 3 && letters->still; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr one = expr_mul(motion->pool, letters->spin[j], letters->turning[k]);
        Expr other = expr_mul(motion->pool, letters->spin[k], letters->turning[j]);
        letters->still = algebra_vanishes(motion->algebra, expr_sub(motion->pool, one, other));
    }
}

// ---- The energy.

// The axis of revolution, whose axes go along but do not spin; −1 where there is none.
static int revolution_of(const Letters *letters)
{
    const Expr *e = letters->body->inertia;
    ExprPool *pool = letters->motion->pool;
    for (int i = 3; i < 6; i++)
        if (!expr_is_zero(pool, e[i]))
            return -1;
    for (int k = 2; k >= 0; k--) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (!letters->still && letters->goes_along[i] && letters->goes_along[j] &&
            algebra_vanishes(letters->motion->algebra, expr_sub(pool, e[i], e[j])))
            return k;
    }
    return -1;
}

// (30), for the axis k.
static Expr energy_of_revolution(const Letters *letters, int k)
{
    ExprPool *pool = letters->motion->pool;
    int i = (k + 1) % 3, j = (k + 2) % 3;
    Expr A = letters->body->inertia[i], C = letters->body->inertia[k], two = expr_int(pool, 2);
    const Expr *u = letters->u, *rate = letters->rate;
    Expr across = expr_add(pool, expr_pow(pool, rate[i], two), expr_pow(pool, rate[j], two));
    Expr turn = expr_sub(pool, expr_mul(pool, u[i], rate[j]), expr_mul(pool, u[j], rate[i]));
    Expr factor = expr_sub(pool, expr_mul(pool, A, letters->axes[k]), expr_mul(pool, C, u[k]));
    Expr terms[] = {expr_mul(pool, A, across), expr_mul(pool, C, expr_pow(pool, rate[k], two)),
                    expr_product(pool, (Expr[]){two, factor, turn}, 3)};
    return expr_sum(pool, terms, 3);
}

// (C − B)qr − D(q² − r²) − Epq + Fpr, and what follows from it by permutation.
static Expr couple_of(const Letters *letters, int i)
{
    ExprPool *pool = letters->motion->pool;
    const Expr *e = letters->body->inertia, *u = letters->u;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    Expr two = expr_int(pool, 2);
    Expr squares = expr_sub(pool, expr_pow(pool, u[j], two), expr_pow(pool, u[k], two));
    Expr terms[] = {expr_product(pool, (Expr[]){expr_sub(pool, e[k], e[j]), u[j], u[k]}, 3),
                    expr_mul(pool, e[3 + j], squares),
                    expr_product(pool, (Expr[]){e[3 + k], u[i], u[j]}, 3),
                    expr_neg(pool, expr_product(pool, (Expr[]){e[3 + i], u[i], u[k]}, 3))};
    return expr_sum(pool, terms, 4);
}

// (25).
static Expr energy_in_any_axes(const Letters *letters)
{
    ExprPool *pool = letters->motion->pool;
    const Expr *e = letters->body->inertia;
    Expr alpha[3], terms[9], two = expr_int(pool, 2);
    for (int i = 0; i < 3; i++)
        alpha[i] =
            letters->still ? letters->rate[i] : expr_sub(pool, letters->rate[i], letters->first[i]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        terms[i] = expr_mul(pool, e[i], expr_pow(pool, alpha[i], two));
        terms[3 + i] = expr_product(pool, (Expr[]){two, e[3 + i], alpha[i], alpha[j]}, 4);
        terms[6 + i] = expr_product(pool, (Expr[]){two, couple_of(letters, i), alpha[i]}, 3);
    }
    return expr_sum(pool, terms, 9);
}

// ---- Lines.

static void line_of(const Letters *letters, Expr symbol, Expr value)
{
    const char *name = expr_name(letters->motion->pool, symbol);
    form_add_line(letters->form, (FormLine){.of = name, .value = value});
}

static void record_rotation(const Letters *letters, int revolution)
{
    for (int i = 0; i < 3; i++)
        line_of(letters, letters->u[i], letters->spin[i]);
    for (int i = 0; i < 3 && !letters->still; i++)
        if (revolution < 0 || i == revolution)
            line_of(letters, letters->axes[i], letters->turning[i]);
}

// 𝒫₁ = qℛ − r𝒬, …
static void record_first(const Letters *letters)
{
    ExprPool *pool = letters->motion->pool;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        line_of(letters, letters->first[i],
                expr_sub(pool, expr_mul(pool, letters->u[j], letters->axes[k]),
                         expr_mul(pool, letters->u[k], letters->axes[j])));
    }
}

static void record_body(Letters *letters)
{
    Form *form = letters->form;
    letters_init(letters);
    int revolution = revolution_of(letters);
    if (form_begin_step(form, letters->still ? STEP_BODY_ROTATION : STEP_AXES_ROTATION))
        record_rotation(letters, revolution);
    bool any = revolution < 0 && !letters->still;
    if (any && form_begin_step(form, STEP_BODY_FIRST))
        record_first(letters);
    FormStepKind kind = revolution >= 0  ? STEP_REVOLUTION_ENERGY
                        : letters->still ? STEP_BODY_ENERGY
                                         : STEP_AXES_ENERGY;
    if (!form_begin_step(form, kind))
        return;
    Expr energy =
        revolution >= 0 ? energy_of_revolution(letters, revolution) : energy_in_any_axes(letters);
    Text name = {0};
    text_addf(&name, letters->of[0] ? "2S_{%s}" : "2S", letters->of);
    form_add_line(form, (FormLine){.of = name.at, .value = energy, .as_it_is = true});
    text_clear(&name);
}

void step_bodies(Form *form, Motion *motion)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->bodies.count && form->detail == FORM_IN_STEPS; i++) {
        const ModelBody *body = &model->bodies.at[i];
        Letters letters = {.motion = motion, .form = form, .body = body};
        if (body->has_inertia)
            record_body(&letters);
    }
}

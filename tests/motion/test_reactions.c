// Reactions at their places. Two identities in q, q', q'' and the multipliers are proved exactly,
// coordinate by coordinate, each by a second road:
//   what the placed reactions do on ∂v/∂q'_ν, with what has no place, is Σ λ·b_ν;
//   what Newton's and Euler's laws ask for on every mass and body is W_ν − K_ν.
#include "algebra/algebra.h"
#include "motion/motion.h"
#include "motion/reactions.h"
#include "support.h"

static Vec in_world(Motion *motion, Vector v)
{
    return vector_in(motion->model->vectors, v, (Frame){0});
}

static const ModelBody *body_named(const Model *model, const char *name)
{
    for (size_t i = 0; name && i < model->bodies.count; i++)
        if (strcmp(model->bodies.at[i].name, name) == 0)
            return &model->bodies.at[i];
    return NULL;
}

// The velocity of what a reaction acts on.
static Vector velocity_of(Motion *motion, Vector position, const char *on)
{
    Vectors *vectors = motion->model->vectors;
    const ModelBody *body = body_named(motion->model, on);
    if (!body)
        return vector_rate(vectors, position);
    Vector arm = vector_sub(vectors, position, body->position);
    return vector_add(vectors, vector_rate(vectors, body->position),
                      vector_cross(vectors, frame_omega(vectors, body->frame), arm));
}

static void assert_vanishes(Motion *motion, Expr e, const char *model, const char *what)
{
    Verdict verdict = algebra_is_zero(motion->algebra, e);
    if (verdict.answer != ANSWER_YES)
        print_error("%s: %s; %s\n", model, what, verdict.witness ? verdict.witness : "undecided");
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

// By coordinate: ∂(power)/∂q'_ν, powers being linear in q' once the rest is held fixed. The
// velocities of a power are renamed, so that those in the forces stay.
typedef struct {
    Motion *motion;
    ExprSubst *renamed;
    Expr *velocities;
} Trial;

static Trial trial_new(Motion *motion)
{
    Trial trial = {motion, expr_subst_new(motion->pool), NULL};
    trial.velocities = base_alloc((motion->n + 1) * sizeof(Expr));
    for (size_t nu = 0; nu < motion->n; nu++) {
        trial.velocities[nu] = expr_symbol_new(motion->pool, "w");
        expr_subst_set(trial.renamed, motion->v[nu], trial.velocities[nu]);
    }
    return trial;
}

static void trial_free(Trial *trial)
{
    expr_subst_free(trial->renamed);
    base_free(trial->velocities);
}

// along·velocity with the velocity in trial velocities, and without what no trial velocity moves.
static Expr trial_power(Trial *trial, Vec along, Vector velocity)
{
    ExprPool *pool = trial->motion->pool;
    Vec v = in_world(trial->motion, velocity);
    Expr parts[] = {v.x, v.y, v.z}, forces[] = {along.x, along.y, along.z}, sum = expr_int(pool, 0);
    Expr *partials = base_alloc((trial->motion->n + 1) * sizeof *partials);
    for (int i = 0; i < 3; i++) {
        expr_gradient(pool, parts[i], trial->motion->v, trial->motion->n, partials);
        for (size_t nu = 0; nu < trial->motion->n; nu++)
            sum = expr_add(
                pool, sum,
                expr_product(pool, (Expr[]){forces[i], partials[nu], trial->velocities[nu]}, 3));
    }
    base_free(partials);
    return sum;
}

static void prove_places(Motion *motion, const MotionReactions *reactions, const char *name)
{
    ExprPool *pool = motion->pool;
    Trial trial = trial_new(motion);
    Expr work = expr_int(pool, 0);
    for (size_t i = 0; i < reactions->at.count; i++) {
        const MotionReaction *reaction = &reactions->at.at[i];
        if (reaction->has_force)
            work = expr_add(pool, work,
                            trial_power(&trial, reaction->force,
                                        velocity_of(motion, reaction->position, reaction->on)));
        const ModelBody *body = body_named(motion->model, reaction->on);
        if (reaction->has_couple) {
            assert_non_null(body);
            work = expr_add(pool, work,
                            trial_power(&trial, reaction->couple,
                                        frame_omega(motion->model->vectors, body->frame)));
        }
    }
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t i = 0; i < reactions->generalized.count; i++)
            work = expr_add(
                pool, work,
                expr_mul(pool, reactions->generalized.at[i].parts[nu], trial.velocities[nu]));
        for (size_t i = 0; i < motion->m; i++)
            if (!motion->rows[i].constraint->silent)
                work = expr_sub(pool, work,
                                expr_product(pool,
                                             (Expr[]){motion->rows[i].constraint->lambda,
                                                      motion->rows[i].b[nu], trial.velocities[nu]},
                                             3));
    }
    assert_vanishes(motion, work, name, "the placed reactions do other work than λ·b");
    trial_free(&trial);
}

static void prove_totals(Motion *motion, const MotionReactions *reactions, const char *name)
{
    ExprPool *pool = motion->pool;
    Trial trial = trial_new(motion);
    Expr work = expr_int(pool, 0);
    for (size_t i = 0; i < reactions->totals.count; i++) {
        const MotionTotal *total = &reactions->totals.at[i];
        work = expr_add(pool, work,
                        trial_power(&trial, total->force,
                                    vector_rate(motion->model->vectors, total->position)));
        if (total->turns)
            work = expr_add(pool, work,
                            trial_power(&trial, total->couple,
                                        frame_omega(motion->model->vectors,
                                                    body_named(motion->model, total->on)->frame)));
    }
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr lacking = expr_sub(pool, motion_inertia_force(motion, nu), motion->K[nu]);
        work = expr_sub(pool, work, expr_mul(pool, lacking, trial.velocities[nu]));
    }
    assert_vanishes(motion, work, name, "Newton and Euler ask for other forces than Lagrange");
    trial_free(&trial);
}

static void prove(Loaded *loaded, const char *name)
{
    MotionReactions *reactions = motion_reactions(loaded->motion, NULL);
    prove_places(loaded->motion, reactions, name);
    if (!reactions->unplaced)
        prove_totals(loaded->motion, reactions, name);
    motion_reactions_free(reactions);
}

static void test_gallery(void **state)
{
    (void)state;
    static const char *const names[] = {"bead",       "bicycle",     "blade",         "cart",
                                        "chaplygin",  "cylinder",    "hoop",          "pendulum",
                                        "rattleback", "sliding_top", "snakeboard",    "table",
                                        "trailers",   "wheels",      "pendulum_space"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Loaded loaded = load_model(names[i]);
        prove(&loaded, names[i]);
        unload(&loaded);
    }
}

// ---- Every way to write a condition: "condition|at|on|force or couple", as the model would
// write them.

static void add_vec(const Motion *motion, Vec v, Text *out)
{
    const Expr parts[] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++) {
        text_add(out, i ? ", " : "(");
        expr_print(motion->pool, algebra_simplify(motion->algebra, parts[i]), out);
    }
    text_add(out, ")");
}

static void assert_reactions(const char *text, const char *expected)
{
    Loaded loaded = load_good("m.zw", text);
    MotionReactions *reactions = motion_reactions(loaded.motion, NULL);
    Text said = {0};
    text_add(&said, "");
    for (size_t i = 0; i < reactions->at.count; i++) {
        const MotionReaction *reaction = &reactions->at.at[i];
        text_addf(&said, "%s|%s|%s|", reaction->condition, reaction->at ? reaction->at : "-",
                  reaction->on ? reaction->on : "-");
        add_vec(loaded.motion, reaction->has_force ? reaction->force : reaction->couple, &said);
        text_add(&said, reaction->has_couple ? " couple\n"
                        : reaction->balanced ? " balanced\n"
                                             : "\n");
    }
    for (size_t i = 0; i < reactions->generalized.count; i++)
        text_addf(&said, "%s|no place\n", reactions->generalized.at[i].condition);
    for (size_t i = 0; i < reactions->untold.count; i++)
        text_addf(&said, "%s|untold\n", reactions->untold.at[i].constraint->name);
    assert_string_equal(said.at, expected);
    text_clear(&said);
    prove_places(loaded.motion, reactions, text);
    prove_totals(loaded.motion, reactions, text);
    motion_reactions_free(reactions);
    unload(&loaded);
}

#define PARTICLE                                                                                   \
    "param m = 1, g = 9.81, l = 1\ncoord x, y, z\npoint P = [x, y, z]\nmass m at P\n"              \
    "gravity [0, 0, -g]\n"

static void test_particles(void **state)
{
    (void)state;
    assert_reactions(PARTICLE "constraint floor: P.z = 0\n",
                     "floor|P|the mass at P|(0, 0, lambda.floor)\n");
    // Written in coordinates, it is still the particle that is held.
    assert_reactions(PARTICLE "constraint string: x^2 + y^2 + z^2 = l^2\n",
                     "string|P|the mass at P|(2*x*lambda.string, 2*y*lambda.string, "
                     "2*z*lambda.string)\n");
    assert_reactions(PARTICLE "constraint string: norm(P - origin) = l\n",
                     "string|P|the mass at P|(x*lambda.string/(x^2 + y^2 + z^2)^(1/2), "
                     "y*lambda.string/(x^2 + y^2 + z^2)^(1/2), "
                     "z*lambda.string/(x^2 + y^2 + z^2)^(1/2))\n");
    assert_reactions(PARTICLE "constraint still: velocity(P) = [sin(t), 0, 0]\n",
                     "still|P|the mass at P|(lambda.still.x, lambda.still.y, lambda.still.z)\n");
    // Polar coordinates: a force across the radius is 1/r of the couple.
    assert_reactions("coord r, theta\npoint P = [r*cos(theta), r*sin(theta), 0]\nmass 1 at P\n"
                     "constraint turn: theta' = 2\n",
                     "turn|P|the mass at P|(-sin(theta)*lambda.turn/r, cos(theta)*lambda.turn/r, "
                     "0)\n");
    // Action and reaction.
    assert_reactions("coord a, b, c, d\npoint P = [a, b, 0]\npoint Q = [c, d, 0]\n"
                     "mass 1 at P\nmass 2 at Q\nconstraint rod: (Q - P).x = 1\n",
                     "rod|Q|the mass at Q|(lambda.rod, 0, 0)\n"
                     "rod|P|the mass at P|(-lambda.rod, 0, 0)\n");
}

#define SLEDGE                                                                                     \
    "param m = 1, J = 0.2, s = 0.3\ncoord x, y, theta\nframe F = world rotate theta about z\n"     \
    "point P = [x, y, 0]\npoint G = P + s*F.x\nbody sledge frame F mass m at G inertia [0, 0, "    \
    "J]\n"

static void test_bodies(void **state)
{
    (void)state;
    // A blade: a force across its edge.
    assert_reactions(SLEDGE "constraint edge: dot(velocity(P), F.y) = 0\n",
                     "edge|P|sledge|(-sin(theta)*lambda.edge, cos(theta)*lambda.edge, 0)\n");
    assert_reactions(SLEDGE "constraint edge: dot(velocity(P on sledge), F.y) = 0\n",
                     "edge|P|sledge|(-sin(theta)*lambda.edge, cos(theta)*lambda.edge, 0)\n");
    assert_reactions(SLEDGE "constraint turn: omega(sledge).z = 1\n",
                     "turn|-|sledge|(0, 0, lambda.turn) couple\n");
    assert_reactions(SLEDGE "constraint turn: theta' = 1\n", "turn|no place\n");
    assert_reactions(SLEDGE "constraint aim: dot(F.x, world.y) = 0\n",
                     "aim|-|sledge|(0, 0, cos(theta)*lambda.aim) couple\n");
    // A bracket in F is carried by F: a force at P and its moment.
    assert_reactions(SLEDGE "constraint tip: (P + [2, 0, 0] in F).y = 0\n",
                     "tip|P|sledge|(0, lambda.tip, 0)\n"
                     "tip|-|sledge|(0, 0, 2*cos(theta)*lambda.tip) couple\n");
}

static void test_contacts(void **state)
{
    (void)state;
    // Two wheels on fixed axles that roll on each other: action and reaction at the contact. The
    // axles hold them in ways that no condition tells.
    assert_reactions("param J = 1\ncoord a, b\nframe A = world rotate a about y\n"
                     "frame B = world rotate b about y\npoint K = [1, 0, 0]\n"
                     "body one frame A mass 1 at origin inertia [J, J, J]\n"
                     "body two frame B mass 1 at [3, 0, 0] inertia [J, J, J]\n"
                     "constraint mesh: velocity(K on one) = velocity(K on two)\n",
                     "mesh|K|one|(0, 0, lambda.mesh.z)\nmesh|K|two|(0, 0, -lambda.mesh.z)\n"
                     "mesh.x|untold\nmesh.y|untold\n");
}

// The normal force of a disc that rolls along a line: its weight, whatever it does.
static void test_balance(void **state)
{
    (void)state;
    assert_reactions("param m = 2, r = 0.5, g = 9.81, J = 1\ncoord x, phi\n"
                     "frame F = world rotate phi about y\npoint G = [x, 0, r]\n"
                     "point K = [x, 0, 0]\nbody disc frame F mass m at G inertia [J, J, J]\n"
                     "gravity [0, 0, -g]\nconstraint roll: velocity(K on disc) = 0\n",
                     "roll|K|disc|(lambda.roll.x, 0, m*g) balanced\n");
    // A car on a line, pulled at a height d above its centre: the front is pressed, the rear eased;
    // with m x'' = F by (m g l ± F d)/(2 l).
    assert_reactions("param m = 2, l = 0.5, h = 1, d = 0.2, F = 3, g = 9.81\ncoord x\n"
                     "frame C = world\npoint G = [x, 0, h]\npoint P = G + [l, 0, -h]\n"
                     "point Q = G + [-l, 0, -h]\nbody car frame C mass m at G\n"
                     "gravity [0, 0, -g]\nforce [F, 0, 0] at G + [0, 0, d]\n"
                     "constraint front: P.z = 0\nconstraint rear: Q.z = 0\n",
                     "front|P|car|(0, 0, (d*F + m*l*g - m*h*x'' + h*F)/l/2) balanced\n"
                     "rear|Q|car|(0, 0, (-d*F + m*l*g + m*h*x'' - h*F)/l/2) balanced\n");
    // On an axle the weight is carried by the axle, and nothing tells how much by the contact.
    assert_reactions("param m = 2, r = 0.5, g = 9.81, J = 1\ncoord phi\n"
                     "frame F = world rotate phi about y\npoint G = [0, 0, r]\n"
                     "body disc frame F mass m at G inertia [J, J, J]\ngravity [0, 0, -g]\n"
                     "constraint roll: velocity(origin on disc) = [-r*phi', 0, 0]\n",
                     "roll.x|untold\nroll.y|untold\nroll.z|untold\n");
    assert_reactions("param m = 2, g = 9.81\ncoord x, y\npoint P = [x, y, 0]\nmass m at P\n"
                     "gravity [0, 0, -g]\nconstraint floor: P.z = 0\n",
                     "floor|P|the mass at P|(0, 0, m*g) balanced\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery), cmocka_unit_test(test_particles),
        cmocka_unit_test(test_bodies),  cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

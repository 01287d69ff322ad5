// Frames, bodies and what is said of them become the data that their lines mean. What comes out
// is compared with what was derived by hand, and equality is proved by the algebra room.
#include "model/vectors.h"
#include "reading.h"

#include "algebra/algebra.h"

#include <flint/flint.h>

static bool is_equal(Reading *r, Expr value, Expr expected)
{
    Algebra *algebra = algebra_new(r->model->pool);
    Verdict verdict = algebra_is_zero(algebra, expr_sub(r->model->pool, value, expected));
    bool equal = verdict.answer == ANSWER_YES;
    verdict_clear(&verdict);
    algebra_free(algebra);
    return equal;
}

static Expr expression(Reading *r, const char *text)
{
    Source *source = source_new("expected", text, strlen(text));
    Diag *diag = diag_new();
    Expr value;
    assert_int_equal(model_read_expression(r->model->pool, source, diag, &value), STATUS_OK);
    diag_free(diag);
    source_free(source);
    return value;
}

static void assert_equals(Reading *r, Expr value, const char *text)
{
    if (is_equal(r, value, expression(r, text)))
        return;
    Text printed = {0};
    expr_print(r->model->pool, value, &printed);
    print_message("%s\n  is not\n%s\n", printed.at, text);
    text_clear(&printed);
    fail();
}

static void assert_vector(Reading *r, Vector v, const char *x, const char *y, const char *z)
{
    Vec parts = vector_in(r->model->vectors, v, (Frame){0});
    assert_equals(r, parts.x, x);
    assert_equals(r, parts.y, y);
    assert_equals(r, parts.z, z);
}

static void assert_output(Reading *r, const char *name, const char *x, const char *y, const char *z)
{
    static const char *const members[] = {".x", ".y", ".z"};
    const char *const expected[] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        char full[32];
        snprintf(full, sizeof full, "%s%s", name, members[i]);
        assert_equals(r, output_of(r, full), expected[i]);
    }
}

static const ModelConstraint *constraint_of(const Reading *r, const char *name)
{
    for (size_t i = 0; i < r->model->constraints.count; i++)
        if (strcmp(r->model->constraints.at[i].name, name) == 0)
            return &r->model->constraints.at[i];
    print_message("no constraint %s\n", name);
    fail();
    return NULL;
}

#define COORDS                                                                                     \
    "param a = 1, b = 2, m = 1\n"                                                                  \
    "coord x, y, z, p, q, r\n"                                                                     \
    "kinetic x'^2 + y'^2 + z'^2 + p'^2 + q'^2 + r'^2\n"

// ---- Frames.

static void turns_about_the_axes(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame X = world rotate p about x\n"
                                 "frame Y = world rotate p about y\n"
                                 "frame Z = world rotate p about z\n"
                                 "output xy = X.y\noutput xz = X.z\n"
                                 "output yz = Y.z\noutput yx = Y.x\n"
                                 "output zx = Z.x\noutput zy = Z.y\noutput zz = Z.z\n");
    assert_output(&r, "xy", "0", "cos(p)", "sin(p)");
    assert_output(&r, "xz", "0", "-sin(p)", "cos(p)");
    assert_output(&r, "yz", "sin(p)", "0", "cos(p)");
    assert_output(&r, "yx", "cos(p)", "0", "-sin(p)");
    assert_output(&r, "zx", "cos(p)", "sin(p)", "0");
    assert_output(&r, "zy", "-sin(p)", "cos(p)", "0");
    assert_output(&r, "zz", "0", "0", "1");
    finish(&r);
}

// A coordinate may be called x: about x is the axis all the same.
static void a_coordinate_called_like_an_axis(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame F = world rotate x about x rotate y about y\n"
                                 "output o = F.x\n");
    assert_output(&r, "o", "cos(y)", "sin(x)*sin(y)", "-cos(x)*sin(y)");
    finish(&r);
}

// A chain on one line is the same as frame after frame, each about the axes just made.
static void chained_turns(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame A = world rotate p about z\n"
                                 "frame B = A rotate q about x\n"
                                 "frame C = B rotate r about z\n"
                                 "frame D = world rotate p about z rotate q about x "
                                 "rotate r about z\n"
                                 "frame E = C\n"
                                 "output c = C.x + 2*C.y + 3*C.z\n"
                                 "output d = D.x + 2*D.y + 3*D.z\n"
                                 "output e = E.x + 2*E.y + 3*E.z\n"
                                 "output cx = C.x\n"
                                 "output w = [dot(omega(D), D.x), dot(omega(D), D.y), "
                                 "dot(omega(D), D.z)]\n");
    static const char *const members[] = {"c.x", "c.y", "c.z"};
    for (int i = 0; i < 3; i++) {
        char d[] = "d.x", e[] = "e.x";
        d[2] = e[2] = members[i][2];
        assert_true(is_equal(&r, output_of(&r, members[i]), output_of(&r, d)));
        assert_true(is_equal(&r, output_of(&r, members[i]), output_of(&r, e)));
    }
    // Euler's angles, as in every book.
    assert_output(&r, "cx", "cos(p)*cos(r) - sin(p)*cos(q)*sin(r)",
                  "sin(p)*cos(r) + cos(p)*cos(q)*sin(r)", "sin(q)*sin(r)");
    assert_output(&r, "w", "p'*sin(q)*sin(r) + q'*cos(r)", "p'*sin(q)*cos(r) - q'*sin(r)",
                  "p'*cos(q) + r'");
    finish(&r);
}

// Bare brackets after `about` mean the axes of the frame that is turned, with a sign or a factor
// too; they are normalized.
static void turns_about_vectors(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame A = world rotate p about x\n"
                                 "frame B = A rotate q about [0, 0, 2]\n"
                                 "frame C = A rotate q about z\n"
                                 "frame D = A rotate -q about -[0, 0, 1]\n"
                                 "frame E = A rotate q about a*[0, 0, 1]/7\n"
                                 "frame F = A rotate q about [0, 0, 1] in A\n"
                                 "frame G = A rotate q about A.z\n"
                                 "frame H = A rotate q about world.x\n"
                                 "frame I = world rotate p about [a, b, 0]\n"
                                 "output b = B.x\noutput c = C.x\noutput d = D.x\n"
                                 "output e = E.x\noutput f = F.x\noutput g = G.x\n"
                                 "output h = H.y\noutput i = I.z\noutput w = omega(I)\n");
    static const char *const same[] = {"b", "c", "d", "f", "g"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_output(&r, same[i], "cos(q)", "cos(p)*sin(q)", "sin(p)*sin(q)");
    // a/|a|, as a might be negative.
    assert_output(&r, "e", "cos(q)", "cos(p)*sin(q)*a/sqrt(a^2)", "sin(p)*sin(q)*a/sqrt(a^2)");
    assert_output(&r, "h", "0", "cos(p + q)", "sin(p + q)");
    assert_output(&r, "i", "b*sin(p)/sqrt(a^2 + b^2)", "-a*sin(p)/sqrt(a^2 + b^2)", "cos(p)");
    assert_output(&r, "w", "a*p'/sqrt(a^2 + b^2)", "b*p'/sqrt(a^2 + b^2)", "0");
    finish(&r);
}

static void vectors_in_frames(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame F = world rotate p about z\n"
                                 "point G = [x, y, 0] + [a, b, 0] in F\n"
                                 "output v = [1, 2, 3] in F\n"
                                 "output w = [1, 2, 3] in world\n"
                                 "output vx = ([1, 2, 3] in F).x\n"
                                 "output rate = ([a, 0, b] in F)'\n"
                                 "output vel = velocity(G)\n"
                                 "output acc = acceleration(origin + a*F.x)\n"
                                 "output d = dot([a, b, 0] in F, F.y)\n"
                                 "output c = cross(F.x, F.y)\n");
    assert_output(&r, "v", "cos(p) - 2*sin(p)", "sin(p) + 2*cos(p)", "3");
    assert_output(&r, "w", "1", "2", "3");
    assert_equals(&r, output_of(&r, "vx"), "cos(p) - 2*sin(p)");
    assert_output(&r, "rate", "-a*sin(p)*p'", "a*cos(p)*p'", "0");
    assert_output(&r, "vel", "x' - a*sin(p)*p' - b*cos(p)*p'", "y' + a*cos(p)*p' - b*sin(p)*p'",
                  "0");
    assert_output(&r, "acc", "-a*sin(p)*p'' - a*cos(p)*p'^2", "a*cos(p)*p'' - a*sin(p)*p'^2", "0");
    assert_equals(&r, output_of(&r, "d"), "b");
    assert_output(&r, "c", "0", "0", "1");
    finish(&r);
}

// ---- Quaternions.

static const ModelStart *start_of(const Reading *r, const char *coordinate)
{
    for (size_t i = 0; i < r->model->starts.count; i++) {
        const ModelStart *start = &r->model->starts.at[i];
        if (start->of == START_COORD &&
            strcmp(r->model->coords.at[start->target].name, coordinate) == 0)
            return start;
    }
    return NULL;
}

#define QUATERNION "coord e0, e1, e2, e3\nkinetic e0'^2 + e1'^2 + e2'^2 + e3'^2\n"

static void quaternion_frames(void **state)
{
    (void)state;
    Reading r = read_good(QUATERNION "frame B = world quaternion (e0, e1, e2, e3)\n"
                                     "output u = (e0^2 + e1^2 + e2^2 + e3^2)*B.x\n"
                                     "output w = (e0^2 + e1^2 + e2^2 + e3^2)*omega(B)\n");
    // The turn is that of the normalized quaternion.
    assert_output(&r, "u", "e0^2 + e1^2 - e2^2 - e3^2", "2*(e1*e2 + e0*e3)", "2*(e1*e3 - e0*e2)");
    assert_output(&r, "w", "2*(e0*e1' - e1*e0' + e2*e3' - e3*e2')",
                  "2*(e0*e2' - e2*e0' + e3*e1' - e1*e3')", "2*(e0*e3' - e3*e0' + e1*e2' - e2*e1')");
    const ModelConstraint *unit = constraint_of(&r, "B.unit");
    assert_true(unit->silent);
    assert_int_equal(unit->kind, CONSTRAINT_FINITE);
    assert_equals(&r, unit->residual, "e0^2 + e1^2 + e2^2 + e3^2 - 1");
    static const char *const names[] = {"e0", "e1", "e2", "e3"};
    for (int i = 0; i < 4; i++) {
        assert_means(&r, start_of(&r, names[i])->value, i == 0 ? "1" : "0");
        assert_true(start_of(&r, names[i])->approx);
    }
    finish(&r);
}

// Given starts replace (1, 0, 0, 0), whether they stand above or below the frame.
static void quaternion_starts(void **state)
{
    (void)state;
    Reading r = read_good(QUATERNION "initial e1 = 0.6\n"
                                     "let same = e3\n"
                                     "frame B = world quaternion (e0, e1, e2, same)\n"
                                     "initial e0 = 0.8\n");
    assert_means(&r, start_of(&r, "e0")->value, "4/5");
    assert_false(start_of(&r, "e0")->approx);
    assert_means(&r, start_of(&r, "e1")->value, "3/5");
    assert_means(&r, start_of(&r, "e3")->value, "0");
    assert_int_equal(r.model->starts.count, 4);
    finish(&r);
    r = read_good("coord e[0..3]\nkinetic sum(i in 0..3, e[i]'^2)\n"
                  "frame B = world quaternion (e[0], e[1], e[2], e[3])\n"
                  "initial e = [0, 0, 1, 0]\n");
    assert_means(&r, start_of(&r, "e[2]")->value, "1");
    assert_means(&r, start_of(&r, "e[0]")->value, "0");
    finish(&r);
}

// ---- Bodies.

static void bodies_and_their_clauses(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame L = world rotate p about z\n"
                                 "frame F = L rotate q about x\n"
                                 "point G = [x, y, z]\n"
                                 "body A frame F mass m at G inertia [a, b, 3]\n"
                                 "body B inertia [1, 2, 3, 4, 5, a] in L at G + a*F.x mass 2*m "
                                 "frame F\n"
                                 "body C frame F\n"
                                 "body D at G frame L\n"
                                 "body E inertia [a, a, a] frame F\n");
    const Model *model = r.model;
    assert_int_equal(model->bodies.count, 5);
    const ModelBody *body = &model->bodies.at[0];
    assert_string_equal(body->name, "A");
    assert_means(&r, body->mass, "m");
    assert_true(body->has_position && body->has_inertia);
    assert_int_equal(body->inertia_frame.at, body->frame.at);
    static const char *const three[] = {"a", "b", "3", "0", "0", "0"};
    static const char *const six[] = {"1", "2", "3", "4", "5", "a"};
    for (int i = 0; i < 6; i++) {
        assert_means(&r, body->inertia[i], three[i]);
        assert_means(&r, body[1].inertia[i], six[i]);
    }
    assert_int_equal(body[1].inertia_frame.at, frame_parent(model->vectors, body->frame).at);
    assert_int_equal(body[1].frame.at, body->frame.at);
    assert_vector(&r, body[1].position, "x + a*cos(p)", "y + a*sin(p)", "z");
    assert_means(&r, body[2].mass, "0");
    assert_false(body[2].has_position || body[2].has_inertia);
    assert_true(body[3].has_position && !body[3].has_inertia);
    assert_true(body[4].has_inertia && !body[4].has_position);
    finish(&r);
}

// The particle that is at P now: the centre's velocity plus omega × the arm, whatever P does.
static void velocities_on_bodies(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame F = world rotate p about z\n"
                                 "point G = [x, y, 0]\n"
                                 "body B frame F mass m at G\n"
                                 "body table frame F\n"
                                 "output k = velocity(G + [0, -a, 0] on B)\n"
                                 "output g = velocity(G on B)\n"
                                 "output s = velocity(G on table)\n"
                                 "output f = velocity(G + a*F.x on B) - velocity(G + a*F.x)\n"
                                 "output w = omega(B)\noutput v = omega(F)\n"
                                 "output u = omega(world)\n");
    assert_output(&r, "k", "x' + a*p'", "y'", "0");
    assert_output(&r, "g", "x'", "y'", "0");
    assert_output(&r, "s", "-y*p'", "x*p'", "0");
    assert_output(&r, "f", "0", "0", "0");
    assert_output(&r, "w", "0", "0", "p'");
    assert_output(&r, "v", "0", "0", "p'");
    assert_output(&r, "u", "0", "0", "0");
    finish(&r);
}

// ---- Conditions between vectors.

static void conditions_along_axes(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame F = world rotate p about z\n"
                                 "point G = [x, y, z]\n"
                                 "body B frame F at G\n"
                                 "constraint w: velocity(G on B) = [a, 0, 0]\n"
                                 "constraint f: velocity(G on B) = [a, 0, 0] in F\n"
                                 "constraint o: velocity(G) = [0, 0, 0] in F\n"
                                 "constraint here: G = a*F.x\n"
                                 "constraint there: [t, 0, 0] = G\n"
                                 "constraint zero: velocity(G) = 0\n");
    assert_equals(&r, constraint_of(&r, "w.x")->residual, "x' - a");
    assert_equals(&r, constraint_of(&r, "w.y")->residual, "y'");
    assert_equals(&r, constraint_of(&r, "f.x")->residual, "x'*cos(p) + y'*sin(p) - a");
    assert_equals(&r, constraint_of(&r, "f.y")->residual, "y'*cos(p) - x'*sin(p)");
    assert_equals(&r, constraint_of(&r, "f.z")->residual, "z'");
    assert_equals(&r, constraint_of(&r, "o.x")->residual, "x'*cos(p) + y'*sin(p)");
    assert_equals(&r, constraint_of(&r, "here.y")->residual, "y - a*sin(p)");
    assert_equals(&r, constraint_of(&r, "there.x")->residual, "t - x");
    assert_equals(&r, constraint_of(&r, "zero.z")->residual, "z'");
    assert_int_equal(constraint_of(&r, "here.x")->kind, CONSTRAINT_FINITE);
    assert_int_equal(constraint_of(&r, "f.x")->kind, CONSTRAINT_LINEAR);
    finish(&r);
}

static void kinds_of_conditions(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "constraint n: x'^2 + y'^2 = a\n"
                                 "constraint s: x'' + y' = sin(z)\n"
                                 "constraint low: z >= a*t restitution m/2\n"
                                 "constraint high: z <= 3\n"
                                 "servo v: y = sin(t) by x\n"
                                 "servo f: p = t by force [0, 1, 0] at [x, y, 0]\n");
    assert_int_equal(constraint_of(&r, "n")->kind, CONSTRAINT_NONLINEAR);
    assert_int_equal(constraint_of(&r, "s")->kind, CONSTRAINT_SECOND_CLASS);
    const ModelConstraint *low = constraint_of(&r, "low"), *high = constraint_of(&r, "high");
    assert_int_equal(low->kind, CONSTRAINT_ONE_SIDED);
    assert_true(low->at_least && !high->at_least);
    assert_means(&r, low->restitution, "m/2");
    assert_means(&r, high->restitution, "0");
    assert_means(&r, low->residual, "z - a*t");
    assert_int_equal(r.model->servos.count, 2);
    assert_int_equal(r.model->servos.at[0].by, SERVO_ALONG);
    assert_int_equal(r.model->servos.at[0].target, 0);
    assert_string_equal(r.model->constraints.at[r.model->servos.at[0].constraint].name, "v");
    assert_int_equal(r.model->servos.at[1].by, SERVO_FORCE);
    assert_vector(&r, r.model->servos.at[1].direction, "0", "1", "0");
    assert_vector(&r, r.model->servos.at[1].point.position, "x", "y", "0");
    finish(&r);
}

// ---- What acts, and what is drawn.

static void loads_are_kept(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "speed u = x' + y'\n"
                                 "frame F = world rotate p about z\n"
                                 "body A frame world\nbody B frame F\n"
                                 "torque -a*omega(B) + 2*F.x on B\n"
                                 "servo s: q = t by torque F.z on B\n"
                                 "force F.y at origin + 2*F.x\n"
                                 "force a along u\n"
                                 "impulse [0, b, 0] in F at [x, 0, 0] when t = a/2\n"
                                 "impulse 3 along q when t = 0\n"
                                 "impulse 4 along u when t = 1\n"
                                 "lagrangian x'^2/2; lagrangian -x^2\n"
                                 "acceleration_energy x''^2\n"
                                 "dissipation a*y'^2\n");
    const Model *model = r.model;
    assert_int_equal(model->torques.count, 1);
    assert_int_equal(model->torques.at[0].body, 1);
    assert_vector(&r, model->torques.at[0].torque, "2*cos(p)", "2*sin(p)", "-a*p'");
    assert_int_equal(model->servos.at[0].by, SERVO_TORQUE);
    assert_int_equal(model->servos.at[0].target, 1);
    assert_vector(&r, model->forces_at.at[0].force, "-sin(p)", "cos(p)", "0");
    assert_vector(&r, model->forces_at.at[0].point.position, "2*cos(p)", "2*sin(p)", "0");
    assert_true(model->forces_along.at[0].on_speed);
    assert_int_equal(model->impulses.count, 3);
    assert_false(model->impulses.at[0].along);
    assert_vector(&r, model->impulses.at[0].impulse, "-b*sin(p)", "b*cos(p)", "0");
    assert_vector(&r, model->impulses.at[0].point.position, "x", "0", "0");
    assert_means(&r, model->impulses.at[0].when, "a/2");
    assert_true(model->impulses.at[1].along && !model->impulses.at[1].on_speed);
    assert_int_equal(model->impulses.at[1].target, 4);
    assert_true(model->impulses.at[2].on_speed);
    assert_means(&r, model->lagrangian, "x'^2/2 - x^2");
    assert_means(&r, model->acceleration_energy, "x''^2");
    assert_means(&r, model->dissipation, "a*y'^2");
    finish(&r);
}

static void drawings_are_kept(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame F = world rotate p about z\n"
                                 "point G = [x, y, 0]\n"
                                 "draw trace G\n"
                                 "draw line origin G + F.x\n"
                                 "draw disc at G axis F.y radius a\n"
                                 "draw sphere radius 2*a at G\n"
                                 "draw box at G frame F size [1, 2, a]\n"
                                 "draw plane z = a\n");
    const ModelDraw *draw = r.model->draws.at;
    assert_int_equal(r.model->draws.count, 6);
    assert_int_equal(draw[0].shape, DRAW_TRACE);
    assert_vector(&r, draw[0].first, "x", "y", "0");
    assert_vector(&r, draw[1].first, "0", "0", "0");
    assert_vector(&r, draw[1].second, "x + cos(p)", "y + sin(p)", "0");
    assert_vector(&r, draw[2].axis, "-sin(p)", "cos(p)", "0");
    assert_means(&r, draw[3].radius, "2*a");
    assert_int_equal(draw[4].frame.at, 1);
    assert_vector(&r, draw[4].size, "1", "2", "a");
    assert_int_equal(draw[5].plane_axis, 2);
    assert_means(&r, draw[5].plane, "a");
    finish(&r);
}

static void drawings_have_clauses(void **state)
{
    (void)state;
    Reading r = read_good(COORDS "frame F = world rotate p about z\n"
                                 "point G = [x, y, 0]\n"
                                 "draw surface floor\n"
                                 "constraint floor: y >= 0\n"
                                 "draw none\n"
                                 "draw curve a*[cos(s), sin(s), x] for s in 0..pi colour \"#0f8\"\n"
                                 "draw surface x^2 + y^2 = a*z color SteelBlue opacity 1/2\n"
                                 "draw polygon G, origin, G + F.y while x >= 1 and t = 2 width 3\n"
                                 "draw arrow at G along velocity(G)\n"
                                 "draw mesh \"m.OBJ\" at G frame F scale a\n"
                                 "draw label \"here\" at G\n");
    const Model *model = r.model;
    const ModelDraw *draw = model->draws.at;
    assert_int_equal(model->draws.count, 7);
    assert_true(model->draws_alone);
    assert_string_equal(draw[0].text, "floor");
    assert_int_equal(draw[1].colour, 0x00ff88);
    assert_true(expr_is_none(draw[1].residual) && !draw[1].has_frame);
    Vec point = vector_in(model->vectors, draw[1].first, (Frame){0});
    Expr two = expr_int(model->pool, 2);
    assert_means(&r, expr_replace(model->pool, point.y, &draw[1].variable, &two, 1), "a*sin(2)");
    assert_means(&r, draw[1].high, "pi");
    assert_int_equal(draw[2].colour, 0x4682b4);
    const Expr xyz[] = {expr_symbol(model->pool, "X"), expr_symbol(model->pool, "Y"),
                        expr_symbol(model->pool, "Z")};
    assert_means(&r, expr_replace(model->pool, draw[2].residual, draw[2].xyz, xyz, 3),
                 "X^2 + Y^2 - a*Z");
    assert_int_equal(draw[3].point_count, 3);
    assert_vector(&r, draw[3].points[2], "x - sin(p)", "y + cos(p)", "0");
    assert_means(&r, draw[3].visible, "(1 - max(sign(1 - x), 0))*(1 - abs(sign(t - 2)))");
    assert_vector(&r, draw[4].axis, "x'", "y'", "0");
    assert_string_equal(draw[5].text, "m.OBJ");
    assert_string_equal(draw[6].text, "here");
    finish(&r);
}

static void arrays_of_bodies(void **state)
{
    (void)state;
    Reading r = read_good("const N = 3\n"
                          "param l = 1\n"
                          "coord q[N]\n"
                          "frame F[0] = world\n"
                          "point P[0] = origin\n"
                          "for i in 1..N {\n"
                          "  frame F[i] = F[i-1] rotate q[i] about z\n"
                          "  point P[i] = P[i-1] + l*F[i].x\n"
                          "  body B[i] frame F[i] mass i at P[i] inertia [1, 1, i]\n"
                          "  torque -q[i]*world.z on B[i]\n"
                          "  constraint c[i]: velocity(P[i] on B[i]).z = 0\n"
                          "  draw line P[i-1] P[i]\n"
                          "}\n"
                          "output tip = P[N]\n"
                          "output v = velocity(P[2] on B[N])\n");
    assert_int_equal(r.model->bodies.count, 3);
    assert_string_equal(r.model->bodies.at[2].name, "B[3]");
    assert_means(&r, r.model->bodies.at[2].mass, "3");
    assert_int_equal(r.model->torques.at[1].body, 1);
    assert_output(&r, "tip", "l*(cos(q[1]) + cos(q[1] + q[2]) + cos(q[1] + q[2] + q[3]))",
                  "l*(sin(q[1]) + sin(q[1] + q[2]) + sin(q[1] + q[2] + q[3]))", "0");
    assert_output(&r, "v", "-l*(sin(q[1])*q[1]' + sin(q[1] + q[2])*(q[1]' + q[2]'))",
                  "l*(cos(q[1])*q[1]' + cos(q[1] + q[2])*(q[1]' + q[2]'))", "0");
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_about_the_axes), cmocka_unit_test(a_coordinate_called_like_an_axis),
        cmocka_unit_test(chained_turns),        cmocka_unit_test(turns_about_vectors),
        cmocka_unit_test(vectors_in_frames),    cmocka_unit_test(quaternion_frames),
        cmocka_unit_test(quaternion_starts),    cmocka_unit_test(bodies_and_their_clauses),
        cmocka_unit_test(velocities_on_bodies), cmocka_unit_test(conditions_along_axes),
        cmocka_unit_test(kinds_of_conditions),  cmocka_unit_test(loads_are_kept),
        cmocka_unit_test(drawings_are_kept),    cmocka_unit_test(drawings_have_clauses),
        cmocka_unit_test(arrays_of_bodies),
    };
    int failed = cmocka_run_group_tests_name("model/bodies", tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

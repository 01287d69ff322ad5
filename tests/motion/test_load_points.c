// A force at P on B is the force at B's centre together with the couple cross(P − G, v): compared
// exactly over places, bodies and forces that are drawn at random. Where a body moves along with a
// point that is not fixed in it, the statement has to say what it acts on.
#include "random_system.h"

#include "algebra/algebra.h"

// ---- Random mechanisms of two bodies, the second carried by the first or not.

static void write_scalar(Writer *writer)
{
    static const char *const names[] = {"x", "y", "z", "a", "b", "s"};
    const char *name = names[draw(writer, 6)];
    switch (draw(writer, 4)) {
    case 0: text_addf(&writer->text, "%d", small(writer)); break;
    case 1: text_addf(&writer->text, "%d*%s", small(writer), name); break;
    case 2: text_addf(&writer->text, "sin(%s)", name); break;
    default: text_addf(&writer->text, "(%s + %d*t)", name, small(writer)); break;
    }
}

static const char *frame_drawn(Writer *writer)
{
    static const char *const frames[] = {"world", "E", "F", "H"};
    return frames[draw(writer, 4)];
}

static void write_vector(Writer *writer)
{
    text_add(&writer->text, "[");
    for (int i = 0; i < 3; i++) {
        text_add(&writer->text, i ? ", " : "");
        write_scalar(writer);
    }
    text_addf(&writer->text, "] in %s", frame_drawn(writer));
}

static void write_mechanism(Writer *writer)
{
    static const char axes[] = "xyz";
    text_add(&writer->text, "param m = 2, A = 1, B = 2, C = 2.5\ncoord x, y, z, a, b, s\n");
    text_addf(&writer->text, "frame E = world rotate a about %c\n", axes[draw(writer, 3)]);
    text_addf(&writer->text, "frame F = E rotate b about %c\n", axes[draw(writer, 3)]);
    text_addf(&writer->text, "frame H = %s rotate s + x about [1, %d, 2]\n",
              draw(writer, 2) ? "E" : "world", small(writer));
    text_addf(&writer->text, "point G = [x, %d*y, z]\npoint L = %s + ", small(writer),
              draw(writer, 2) ? "G" : "origin");
    write_vector(writer);
    text_add(&writer->text, "\nbody one frame F mass m at G inertia [A, B, C]\n"
                            "body two frame H mass 3 at L inertia [A, A, B, 0.1, 0, 0]\n");
    text_addf(&writer->text, "point P = %s + ", draw(writer, 2) ? "G" : "L");
    write_vector(writer);
    text_add(&writer->text, "\nlet v = ");
    write_vector(writer);
    if (draw(writer, 2))
        text_addf(&writer->text, " - %d*velocity(P on %s)", 1 + draw(writer, 3),
                  draw(writer, 2) ? "one" : "two");
    text_add(&writer->text, "\n");
}

static void assert_zero(Loaded *loaded, Expr e, const char *what, uint64_t seed, const char *text)
{
    Verdict verdict = algebra_is_zero(loaded->motion->algebra, e);
    if (verdict.answer != ANSWER_YES)
        print_message("seed %llu: %s\n%s", (unsigned long long)seed, what, text);
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

// The force and its opposite, written as force and couple at the centre, do no work together.
static void forces_are_those_at_the_centre(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40 * test_size(); seed++) {
        Writer writer = {.random = random_seed(seed)};
        write_mechanism(&writer);
        const char *body = draw(&writer, 2) ? "one" : "two", *centre = *body == 'o' ? "G" : "L";
        text_addf(&writer.text,
                  "force v at P on %s\nforce -v at %s\ntorque -cross(P - %s, v) on %s\n", body,
                  centre, centre, body);
        Loaded loaded = load_good("m.zw", writer.text.at);
        for (size_t nu = 0; nu < loaded.motion->n; nu++)
            assert_zero(&loaded, loaded.motion->K[nu], "a force on a body", seed, writer.text.at);
        unload(&loaded);
        text_clear(&writer.text);
    }
}

// An impulse and a servo's force do the work that the force does, on the body and on the point.
static void impulses_and_servos_are_like_forces(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30 * test_size(); seed++) {
        Writer writer = {.random = random_seed(1000 + seed)};
        static const char *const targets[] = {"one", "two", "P"};
        write_mechanism(&writer);
        const char *on = targets[draw(&writer, 3)];
        text_addf(&writer.text,
                  "force v at P on %s\nimpulse v at P on %s when t = 1\n"
                  "servo keep: x = sin(t) by force v at P on %s\n",
                  on, on, on);
        Loaded loaded = load_text("m.zw", writer.text.at);
        // A force that cannot keep x is refused, as it is without `on`.
        if (loaded.status == STATUS_OK) {
            Motion *motion = loaded.motion;
            Expr parts[8];
            assert_true(motion->n <= 8);
            motion_percussion(motion, &loaded.model->impulses.at[0], parts);
            for (size_t nu = 0; nu < motion->n; nu++) {
                Expr K = motion->K[nu];
                assert_zero(&loaded, expr_sub(motion->pool, parts[nu], K), "an impulse", seed,
                            writer.text.at);
                assert_zero(&loaded, expr_sub(motion->pool, motion->rows[0].d[nu], K), "a servo",
                            seed, writer.text.at);
            }
        }
        unload(&loaded);
        text_clear(&writer.text);
    }
}

// A point that is fixed in a body needs no `on`: both readings give the same forces. Whatever the
// program accepts without `on` is the force on the point.
static void fixed_points_need_no_body(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30 * test_size(); seed++) {
        Writer writer = {.random = random_seed(2000 + seed)};
        write_mechanism(&writer);
        bool first = draw(&writer, 2);
        text_addf(&writer.text, "point R = %s + [%d, %d, t] in %s\n", first ? "G" : "L",
                  small(&writer), small(&writer), first ? "F" : "H");
        text_addf(&writer.text, "force v at R\nforce -v at R on %s\n", first ? "one" : "two");
        Loaded loaded = load_good("m.zw", writer.text.at);
        for (size_t nu = 0; nu < loaded.motion->n; nu++)
            assert_zero(&loaded, loaded.motion->K[nu], "a fixed point", seed, writer.text.at);
        unload(&loaded);
        text_clear(&writer.text);
    }
}

// ---- What is refused, and what is told.

#define BALL                                                                                       \
    "coord x, phi, s\nframe F = world rotate phi about y\n"                                        \
    "point G = [x, 0, 1]; point K = G - world.z\n"                                                 \
    "body ball frame F mass 1 at G inertia [1, 1, 1]\nbody floor frame world\n"                    \
    "body roof frame world at [0, 0, 5]\nkinetic s'^2\n"

static void assert_said(const char *line, Status status, const char *expected)
{
    char text[1024];
    snprintf(text, sizeof text, BALL "%s\n", line);
    Loaded loaded = load_text("m.zw", text);
    Text said = {0};
    text_add(&said, "");
    diag_render(loaded.diag, DIAG_WARNING, &said);
    assert_string_equal(said.at, expected);
    assert_int_equal(loaded.status, status);
    text_clear(&said);
    unload(&loaded);
}

static void moving_contacts_are_refused(void **state)
{
    (void)state;
    assert_said("force [1, 0, 0] at K", STATUS_WRONG,
                "m.zw:8:20: error: the point K is not fixed in a body, but 'ball' moves along with "
                "it; write 'at K on ball' for the particle of the ball that is there, or 'at K on "
                "K' for the point itself\n"
                "    force [1, 0, 0] at K\n"
                "                       ^\n");
    assert_said("impulse [1, 0, 0] at G - world.z when t = 1", STATUS_WRONG,
                "m.zw:8:22: error: the point G - world.z is not fixed in a body, but 'ball' moves "
                "along with it; write 'at G - world.z on ball' for the particle of the ball that "
                "is there, or 'at G - world.z on G - world.z' for the point itself\n"
                "    impulse [1, 0, 0] at G - world.z when t = 1\n"
                "                         ^~~~~~~~~~~\n");
    assert_said("servo go: x = t by force [1, 0, 0] at K", STATUS_WRONG,
                "m.zw:8:39: error: the point K is not fixed in a body, but 'ball' moves along with "
                "it; write 'at K on ball' for the particle of the ball that is there, or 'at K on "
                "K' for the point itself\n"
                "    servo go: x = t by force [1, 0, 0] at K\n"
                "                                          ^\n");
    assert_said("force [1, 0, 0] at K on ball\nimpulse [1, 0, 0] at K on K when t = 1\n"
                "impulse [1, 0, 0] at G - world.z on G - world.z when t = 2\n"
                "servo go: x = t by force [1, 0, 0] at K on ball",
                STATUS_OK, "");
}

// Balls that roll on a ball, in a bowl, along a wire, on what moves: no coordinate displaces the
// contact by the same vector as the centre. Nor need the force be a statement of its own.
static void contacts_on_round_surfaces_are_refused(void **state)
{
    (void)state;
    static const char *const ways[] = {"[sin(a), 0, -cos(a)]", "[cos(a), 0, sin(a)]",
                                       "[sin(a)*cos(b), sin(a)*sin(b), cos(a)]", "E.z",
                                       "cos(2*a)*world.x + sin(2*a)*E.y"};
    static const char *const loads[] = {
        "force %s at K\n", "impulse %s at K when t = 0.3\n", "event e: a = 1 { impulse %s at K }\n",
        "sample 0.1 { impulse %s at K }\n", "servo go: phi = t by force %s at K\n"};
    for (uint64_t seed = 1; seed <= 40 * test_size(); seed++) {
        Writer writer = {.random = random_seed(3000 + seed)};
        int R = 2 + (int)draw(&writer, 5), r = 1 + (int)draw(&writer, 4);
        text_add(&writer.text, "coord a, b, phi, s\nframe E = world rotate a about x\n"
                               "frame F = E rotate b + phi about y rotate phi about z\n");
        text_addf(&writer.text, "point C = %s\n", draw(&writer, 2) ? "[t, 0, 1]" : "[2, s, t]");
        if (draw(&writer, 4))
            text_addf(&writer.text, "let e = %s\npoint K = C + %d*e\npoint G = C + %d*e\n",
                      ways[draw(&writer, sizeof ways / sizeof *ways)], R,
                      draw(&writer, 2) && R != r ? R - r : R + r);
        else // on a curved floor
            text_addf(&writer.text,
                      "let w = sqrt(1 + 4*a^2)\npoint K = [a, s, a^2]\n"
                      "point G = K + %d/(2*w)*[-2*a, 0, 1]\n",
                      r);
        text_add(&writer.text, "body ball frame F mass 1 at G inertia [1, 1, 1]\n"
                               "kinetic s'^2\n");
        text_addf(&writer.text, loads[draw(&writer, sizeof loads / sizeof *loads)],
                  "[1, 0, 2] - velocity(K on ball)");
        Loaded loaded = load_text("m.zw", writer.text.at);
        Text said = {0};
        text_add(&said, "");
        diag_render(loaded.diag, DIAG_ERROR, &said);
        if (loaded.status != STATUS_WRONG || !strstr(said.at, "'ball' moves along with it"))
            fail_msg("seed %d: %s\n%s", (int)seed, said.at, writer.text.at);
        text_clear(&said);
        unload(&loaded);
        text_clear(&writer.text);
    }
}

// Joints, bushings, dampers and springs at the contact of a ball that rolls on a plane, in a bowl
// or along a wire; all acted on the moving contact, so that the ball never spun.
static void holds_at_contacts_are_refused(void **state)
{
    (void)state;
    static const char *const ways[] = {"[0, 0, -1]", "[sin(a), 0, -cos(a)]",
                                       "[sin(a)*cos(b), sin(a)*sin(b), cos(a)]", "E.z"};
    static const char *const holds[] = {
        "joint j: hinge between cart and ball at %s and %s axis [0, 1, 0]\n",
        "joint j: ball between ball and cart at %2$s and %1$s\n",
        "bushing b: between cart and ball at %s and %s stiffness 3\n",
        "bushing b: between ball and cart at %2$s and %1$s stiffness [1, 2, 3] damping 1\n",
        "damper d: between %s and %s damping 2\n",
        "spring d: between %2$s and %1$s stiffness 2 rest 1 damping 1\n"};
    static const char *const fixed[] = {"G", "G + 0.3*F.x", "G - 2*F.z"};
    for (uint64_t seed = 1; seed <= 60 * test_size(); seed++) {
        Writer writer = {.random = random_seed(7000 + seed)};
        bool contact = draw(&writer, 3) > 0;
        int r = 1 + (int)draw(&writer, 4), hold = (int)draw(&writer, 6);
        text_add(&writer.text, "coord x, y, z, s, a, b, phi, psi\n"
                               "frame E = world rotate a about x\n"
                               "frame F = E rotate b + phi about y rotate psi about z\n");
        text_addf(&writer.text, "let e = %s\npoint C = [x, s, z]\npoint K = C + 5*e\n",
                  ways[draw(&writer, sizeof ways / sizeof *ways)]);
        text_addf(&writer.text, "point G = C + %d*e\n", 5 - r);
        text_add(&writer.text, "body ball frame F mass 1 at G inertia [1, 1, 1]\n"
                               "body cart frame world mass 2 at [y, 0, 0] inertia [1, 1, 1]\n");
        text_addf(&writer.text, holds[hold], draw(&writer, 2) ? "[y, 0, 0]" : "[y, 0, 1]",
                  contact ? "K" : fixed[draw(&writer, 3)]);
        Loaded loaded = load_text("m.zw", writer.text.at);
        Text said = {0};
        text_add(&said, "");
        diag_render(loaded.diag, DIAG_ERROR, &said);
        bool refused = loaded.status == STATUS_WRONG &&
                       strstr(said.at, "the point K is not fixed in a body, but 'ball' moves") &&
                       strstr(said.at, hold < 2 ? "velocity(K on ball)" : "at K on ball");
        if (contact ? !refused : loaded.status != STATUS_OK)
            fail_msg("seed %d: %s\n%s", (int)seed, said.at, writer.text.at);
        text_clear(&said);
        unload(&loaded);
        text_clear(&writer.text);
    }
}

// A pin in a slot of the body; a place under a body, which does not turn with it.
static void holds_that_slide_are_accepted(void **state)
{
    (void)state;
    static const char *const holds[] = {
        "joint j: hinge between cart and ball at [y, 0, 0] and G + s*F.x axis [0, 1, 0]",
        "bushing b: between cart and ball at [y, 0, 0] and G + s*F.x stiffness 3",
        "spring d: between G + 0.5*F.x and [x + 0.5, 0, 0] stiffness 3 damping 1",
        "damper d: between G and [s, 0, 0] damping 1"};
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
        Text text = {0};
        text_addf(&text,
                  "coord x, y, z, s, phi\nframe F = world rotate phi about y\n"
                  "point G = [x, 0, z]\n"
                  "body ball frame F mass 1 at G inertia [1, 1, 1]\n"
                  "body cart frame world mass 2 at [y, 0, 0] inertia [1, 1, 1]\n"
                  "kinetic s'^2\n%s\n",
                  holds[i]);
        Loaded loaded = load_text("m.zw", text.at);
        assert_int_equal(loaded.status, STATUS_OK);
        unload(&loaded);
        text_clear(&text);
    }
}

// The place of a mass, a point of a body however it is written, and one that no body follows.
static void clear_points_are_accepted(void **state)
{
    (void)state;
    assert_said("mass 1 at K\nforce [1, 0, 0] at [x, 0, 0]", STATUS_OK, "");
    assert_said("force [1, 0, 0] at G + [cos(phi), 0, -sin(phi)]", STATUS_OK, "");
    assert_said("force [1, 0, 0] at G + [0, 3, 0]", STATUS_OK, "");
    assert_said("force [1, 0, 0] at [s, 0, 0]", STATUS_OK, "");
    assert_said("force [1, 0, 0] at [2*x, 0, 0]", STATUS_OK, "");
    // As far from the centre of the ball at all times as it is, and nothing moves both.
    assert_said("body wheel frame F at [0, 0, 3]\nforce [1, 0, 0] at [sin(s), 0, 3 + cos(s)]",
                STATUS_OK, "");
    assert_said("event e: x = 1 { impulse [1, 0, 0] at K on ball; impulse [1, 0, 0] at K on K }",
                STATUS_OK, "");
}

static void idle_loads_are_told(void **state)
{
    (void)state;
    assert_said("force [1, 0, 0] at [t, 0, 0]", STATUS_OK,
                "m.zw:8:20: warning: this force does no work on any displacement: '[t, 0, 0]' does "
                "not move there; give it another place or body\n"
                "    force [1, 0, 0] at [t, 0, 0]\n"
                "                       ^~~~~~~~~\n");
    assert_said("force [1, 0, 0] at K on floor", STATUS_OK,
                "m.zw:8:25: warning: this force does no work on any displacement: 'floor' does not "
                "move there; give it another place or body\n"
                "    force [1, 0, 0] at K on floor\n"
                "                            ^~~~~\n");
    assert_said("impulse [1, 0, 0] at G on roof when t = 1", STATUS_OK,
                "m.zw:8:27: warning: this impulse does no work on any displacement: 'roof' does "
                "not move there; give it another place or body\n"
                "    impulse [1, 0, 0] at G on roof when t = 1\n"
                "                              ^~~~\n");
    assert_said("torque [1, 0, 0] on roof", STATUS_OK,
                "m.zw:8:21: warning: this torque does no work on any displacement: 'roof' does not "
                "turn; give it another body\n"
                "    torque [1, 0, 0] on roof\n"
                "                        ^~~~\n");
}

// Of two bodies that follow a point, the one that follows it further is named.
static void the_nearer_body_is_named(void **state)
{
    (void)state;
    Loaded loaded =
        load_text("m.zw", "coord X, x, phi\nframe F = world rotate phi about y\n"
                          "body cart frame world mass 1 at [X, 0, 0]\n"
                          "body ball frame F mass 1 at [X + x, 0, 1] inertia [1, 1, 1]\n"
                          "force [1, 0, 0] at [X + x, 0, 0]\n");
    Text said = {0};
    assert_int_equal(loaded.status, STATUS_WRONG);
    diag_render(loaded.diag, DIAG_ERROR, &said);
    assert_non_null(strstr(said.at, "but 'ball' moves along with it"));
    text_clear(&said);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_at_the_centre),
        cmocka_unit_test(impulses_and_servos_are_like_forces),
        cmocka_unit_test(fixed_points_need_no_body),
        cmocka_unit_test(moving_contacts_are_refused),
        cmocka_unit_test(contacts_on_round_surfaces_are_refused),
        cmocka_unit_test(holds_at_contacts_are_refused),
        cmocka_unit_test(holds_that_slide_are_accepted),
        cmocka_unit_test(clear_points_are_accepted),
        cmocka_unit_test(idle_loads_are_told),
        cmocka_unit_test(the_nearer_body_is_named),
    };
    return cmocka_run_group_tests_name("motion/load_points", tests, NULL, NULL);
}

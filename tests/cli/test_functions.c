// test_functions.c: functions left open, as a user meets them: derived, proved with, given a body,
// and asked for where numbers are needed.
#include "program.h"

static void says(const char *text)
{
    if (!strstr(outcome.out, text))
        fail_msg("no '%s' in %s", text, outcome.out);
}

static void complains(const char *text)
{
    if (!strstr(outcome.err, text))
        fail_msg("no '%s' in %s", text, outcome.err);
}

static const char gears[] = "param I1 = 1, I2 = 2, M1 = 0.4, M2 = 0.1\n"
                            "function f(t)\n"
                            "coord phi1, phi2\n"
                            "kinetic I1*phi1'^2/2 + I2*phi2'^2/2\n"
                            "constraint gear: phi1' = f(t)*phi2'\n"
                            "force M1 along phi1\n"
                            "force M2 along phi2\n"
                            "initial phi2' = 1\n"
                            "run to 1\n";

// Hamel 240, and the proof that the forms agree for every ratio.
static void test_gears(void **state)
{
    (void)state;
    put_model(gears);
    assert_good("derive m.zw --form appell");
    says("(I₁·f(t)² + I₂)·φ₂″ + I₁·f(t)·f′(t)·φ₂′ = M₁·f(t) + M₂\n");
    assert_good("derive m.zw --form appell --as latex");
    says("I_{1}\\,f\\left(t\\right)\\,f'\\left(t\\right)\\,\\phi _{2}' = ");
    assert_good("derive m.zw --form appell --as json");
    says("f'(t)");
    assert_good("derive m.zw --form hamel --steps");
    says("β_1^{0,2} = −f′(t)\n");
    assert_good("check m.zw --only forms");
    says("each pair of the 12 forms gives the same motion");
    assert_good("check m.zw --only kind");
    says("not holonomic");
    // A ratio that is constant is another matter.
    assert_good("check m.zw --only kind --set 'f(t)=3'");
    says("holonomic: the condition on velocities is integrable");
}

// Whatever needs numbers says which function lacks them, and how they are given.
static void test_bodies_are_asked_for(void **state)
{
    (void)state;
    static const char *const commands[] = {"run m.zw", "at m.zw", "stability m.zw --at phi1=0",
                                           "export m.zw --to c", "export m.zw --to python"};
    put_model(gears);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_wrong(commands[i], "m.zw:2:10: error: the function f(t) is open; give it a body in "
                                  "the model, or \"f(t)=…\" as a setting (see --set)");
    }
    assert_good("run m.zw --set 'f(s)=2 + sin(s)' --quiet --out -");
    // By a Runge–Kutta method of 2000 steps on Hamel's equation.
    says("\n1,2.2829454450426");
    assert_good("export m.zw --to python --set 'f(s)=2 + sin(s)'");
}

// What an open function leaves: angular momentum and energy; a cyclic coordinate; not more.
static void test_first_integrals(void **state)
{
    (void)state;
    put_model("param m\nfunction U(r)\ncoord x, y\nmass m at [x, y, 0]\n"
              "potential U(sqrt(x^2 + y^2))\n");
    assert_good("check m.zw --only integrals");
    says("  energy: U(sqrt(x² + y²)) + m·(x′² + y′²)/2\n");
    says("  linear 1: m·y·x′ − m·x·y′\n");
    put_model("param m\nfunction U(r)\ncoord r, phi\nkinetic m*(r'^2 + r^2*phi'^2)/2\n"
              "potential U(r)\n");
    assert_good("check m.zw --only integrals");
    says("  momentum of φ: m·r²·φ′\n");
    put_model("param m\nfunction U(x, y)\ncoord x, y\nmass m at [x, y, 0]\npotential U(x, y)\n");
    assert_good("check m.zw --only integrals");
    says("  energy: U(x, y) + m·(x′² + y′²)/2\n");
    assert_null(strstr(outcome.out, "linear 1"));
    put_model("param m\nfunction U(x, t)\ncoord x\nmass m at [x, 0, 0]\npotential U(x, t)\n");
    assert_good("check m.zw --only integrals");
    assert_null(strstr(outcome.out, "energy: U"));
}

// Partial derivatives are written with the names of the arguments, and where they are taken if
// that is elsewhere.
static void test_partials_on_paper(void **state)
{
    (void)state;
    put_model("param m, g\nfunction f(x, y)\ncoord x, y, z\nmass m at [x, y, z]\n"
              "gravity [0, 0, -g]\nconstraint s: z = f(x, y)\n");
    assert_good("derive m.zw --form lagrange");
    says("2·(∂²f/∂x∂y)·x′·y′) = −m·g·(∂f/∂x)\n");
    assert_good("derive m.zw --form lagrange --as latex");
    says("\\left(\\frac{\\partial f}{\\partial x}\\right)^{2}");
    says("2\\,\\frac{\\partial^{2} f}{\\partial x\\partial y}\\,x'\\,y'");
    assert_good("check m.zw --only kind");
    says("holonomic: every condition is finite");
    put_model("function f(a, b)\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential f(2*x, y)\n");
    assert_good("derive m.zw --form lagrange");
    says("x″ = −2·(∂f/∂a(2·x, y))\n");
}

// A disc on a road of any profile: the finite relation is an integral that the search does not
// find, and the energy is found all the same.
static void test_road(void **state)
{
    (void)state;
    put_model(
        "param m, R, I, g\nfunction h(s)\ncoord s, psi\npoint P = [s, 0, h(s)]\n"
        "let n = sqrt(1 + h'(s)^2)\npoint G = [s - R*h'(s)/n, 0, h(s) + R/n]\n"
        "frame F = world rotate psi about y\nbody disc frame F mass m at G inertia [0, I, 0]\n"
        "gravity [0, 0, -g]\n"
        "constraint rolling: dot(velocity(P on disc), [1, 0, h'(s)]) = 0\n");
    assert_good("derive m.zw --form lagrange,appell");
    says("ψ:    (I + m·R²)·ψ″ = −m·R·g·h′(s)/sqrt(h′(s)² + 1)\n");
    says("ψ′:   (I + m·R²)·ψ″ = −m·R·g·h′(s)/sqrt(h′(s)² + 1)\n");
    assert_good("check m.zw");
    says("holonomic: the condition on velocities is integrable");
    says("each pair of the 12 forms gives the same motion");
}

// Conditions of every kind, forces, axes and outputs may hold open functions; what the start does
// not tell is said.
static void test_everywhere(void **state)
{
    (void)state;
    put_model("param m = 1\nfunction h(x, y)\nfunction w(t)\nfunction c(s)\ncoord x, y, z\n"
              "frame F = world rotate w(t) about z\npoint P = [x, y, z] in F\nmass m at P\n"
              "force -c(norm(velocity(P)))*velocity(P) at P\nconstraint floor: z >= h(x, y)\n"
              "constraint k: x' = c(w(t))*y'\noutput e = c(c(x)) + diff(h(x,y), x)\n");
    assert_good("check m.zw");
    complains("whether one acts at the start is not known");
    says("each pair of the 12 forms gives the same motion");
    assert_good("check m.zw --acting floor --only forms");
    put_model(
        "function f(x)\ncoord x, y\nmass 1 at [x, y, 0]\nconstraint c: x'^2 + y'^2 = f(x)^2\n");
    assert_good("check m.zw --only forms");
    put_model("function f(t)\ncoord x, y\nmass 1 at [x, y, 0]\nconstraint c: x'' = f(t)*y''\n");
    assert_good("check m.zw --only forms");
    assert_good("derive m.zw --naive --form lagrange");
    put_model("function f(t)\ncoord x, y\nmass 1 at [x, y, 0]\n"
              "servo s: x = f(t) by force [1, 1, 0] at [x, y, 0]\n");
    assert_good("check m.zw --only forms");
}

// The forms are compared at a blow too.
static void test_percussions(void **state)
{
    (void)state;
    put_model("param m, J\nfunction f(t)\ncoord x, y, z\nmass m at [x, y, z]\n"
              "constraint c: y' = f(t)*x'\nspeed v = x' + z'\nimpulse J along x when t = 1\n"
              "impulse J along v when t = 2\n");
    assert_good("check m.zw --only forms");
    says("percussions: the 11 forms give the same jumps of the velocities: proved\n");
    assert_good("check m.zw --only forms --as json");
    says(",\"forms_agree\":true,\"percussions_agree\":true");
    assert_good("check m.zw --only kind");
    complains("note: this impulse and 1 more: each is left out");
    put_model("coord x\nacceleration_energy x\'\'^2/2 + x\'\'^4/4\nimpulse 3 along x when t = 1\n");
    assert_good("check m.zw --only forms");
    says("percussions: whether the forms give the same jumps is not known\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_bodies_are_asked_for),
        cmocka_unit_test(test_first_integrals),
        cmocka_unit_test(test_partials_on_paper),
        cmocka_unit_test(test_road),
        cmocka_unit_test(test_everywhere),
        cmocka_unit_test(test_percussions),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

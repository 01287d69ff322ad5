// Every statement of the language's table is read into its parts.
#include "tree.h"

static const char *role_name(PartRole role)
{
    static const char *const names[] = {[PART_NAME] = "name",
                                        [PART_LABEL] = "label",
                                        [PART_TITLE] = "title",
                                        [PART_VALUE] = "value",
                                        [PART_LEFT] = "left",
                                        [PART_EQUAL] = "equal",
                                        [PART_AT_MOST] = "at_most",
                                        [PART_AT_LEAST] = "at_least",
                                        [PART_WHILE_EQUAL] = "equal",
                                        [PART_WHILE_AT_MOST] = "at_most",
                                        [PART_WHILE_AT_LEAST] = "at_least",
                                        [PART_RESTITUTION] = "restitution",
                                        [PART_BASE] = "base",
                                        [PART_ROTATE] = "rotate",
                                        [PART_ABOUT] = "about",
                                        [PART_QUATERNION] = "quaternion",
                                        [PART_FRAME] = "frame",
                                        [PART_MASS] = "mass",
                                        [PART_INERTIA] = "inertia",
                                        [PART_AT] = "at",
                                        [PART_ON] = "on",
                                        [PART_ALONG] = "along",
                                        [PART_BY] = "by",
                                        [PART_BY_FORCE] = "by_force",
                                        [PART_BY_TORQUE] = "by_torque",
                                        [PART_WHEN] = "when",
                                        [PART_APPROX] = "approx",
                                        [PART_TO] = "to",
                                        [PART_EVERY] = "every",
                                        [PART_TOLERANCE] = "tolerance",
                                        [PART_LOW] = "low",
                                        [PART_HIGH] = "high",
                                        [PART_PAIRED] = "paired",
                                        [PART_SHAPE] = "shape",
                                        [PART_AXIS] = "axis",
                                        [PART_RADIUS] = "radius",
                                        [PART_SIZE] = "size",
                                        [PART_LENGTH] = "length",
                                        [PART_SCALE] = "scale",
                                        [PART_TURNS] = "turns",
                                        [PART_COLOUR] = "colour",
                                        [PART_OPACITY] = "opacity",
                                        [PART_WIDTH] = "width",
                                        [PART_WHILE] = "while",
                                        [PART_LOST] = "lost"};
    return names[role];
}

// "word role=tree role=tree; word …"
static void write_statements(const Syntax *syntax, Text *out)
{
    for (size_t s = 0; s < syntax->statements.count; s++) {
        const Statement *statement = &syntax->statements.at[s];
        text_addf(out, "%s%s%s", s ? "; " : "", statement->broken ? "!" : "",
                  statement_word(statement->kind));
        for (uint32_t i = 0; i < statement->count; i++) {
            const Part *part = &syntax->parts.at[statement->first + i];
            text_addf(out, " %s=", role_name(part->role));
            if (part->span.root)
                write_node(syntax, part->span.root, out);
            else
                text_add_str(out, syntax_text(syntax, part->start, part->length));
        }
    }
}

static void assert_reads(const char *text, const char *expected)
{
    Source *source = source_new("m.zw", text, strlen(text));
    Diag *diag = diag_new();
    Text out = {0};
    Syntax *syntax = syntax_read(source, diag);
    write_messages(diag, &out);
    write_statements(syntax, &out);
    assert_string_equal(out.at, expected);
    text_clear(&out);
    syntax_free(syntax);
    diag_free(diag);
    source_free(source);
}

static void definitions(void **state)
{
    (void)state;
    assert_reads("system hoop \"A hoop\"", "system label=hoop title=A hoop");
    assert_reads("system hoop", "system label=hoop");
    assert_reads("const N = 5", "const name=N value=5");
    assert_reads("param m = 1, g, k[3] = [1,2,3]",
                 "param name=m value=1 name=g name=k[3] value=(vec 1 2 3)");
    assert_reads("let c = a*b", "let name=c value=(* a b)");
    assert_reads("coord x, y, q[N], h[0..N, 2]", "coord name=x name=y name=q[N] "
                                                 "name=h[(.. 0 N) 2]");
    assert_reads("speed u = x'", "speed name=u value=(' 1 x)");
    assert_reads("independent theta, phi", "independent name=theta name=phi");
    assert_reads("point P[i] = P[i-1] + v", "point name=P[i] value=(+ P[(+ i -1)] v)");
    assert_reads("output E = T + lambda.edge", "output label=E value=(+ T lambda.edge)");
}

static void frames_and_bodies(void **state)
{
    (void)state;
    assert_reads("frame B = A rotate -e about z", "frame name=B base=A rotate=(neg e) about=z");
    assert_reads("frame B = A rotate e about z rotate f about [1, 0, 1]",
                 "frame name=B base=A rotate=e about=z rotate=f about=(vec 1 0 1)");
    assert_reads("frame B = A quaternion (e0, e1, e2, e3)",
                 "frame name=B base=A quaternion=e0 quaternion=e1 quaternion=e2 quaternion=e3");
    assert_reads("frame B = A", "frame name=B base=A");
    assert_reads("body hoop frame wheel mass m at G inertia [A, C, A] in lean",
                 "body name=hoop frame=wheel mass=m at=G inertia=(in (vec A C A) lean)");
    assert_reads("body B at G frame F", "body name=B at=G frame=F");
}

static void energies_and_loads(void **state)
{
    (void)state;
    assert_reads("mass m at P", "mass value=m at=P");
    assert_reads("kinetic a; lagrangian b; acceleration_energy c; potential d; dissipation e",
                 "kinetic value=a; lagrangian value=b; acceleration_energy value=c; "
                 "potential value=d; dissipation value=e");
    assert_reads("gravity [0, 0, -g]", "gravity value=(vec 0 0 (neg g))");
    assert_reads("force v at P", "force value=v at=P");
    assert_reads("force v at P on B", "force value=v at=P on=B");
    assert_reads("force velocity(P on B) at P + u on P + u",
                 "force value=(velocity (on P B)) at=(+ P u) on=(+ P u)");
    assert_reads("force -k*x along q[2]", "force value=(* (neg k) x) along=q[2]");
    assert_reads("torque M*F.z on B", "torque value=(* M F.z) on=B");
    assert_reads("impulse v at P when t = 2", "impulse value=v at=P when=2");
    assert_reads("impulse v at P on B when t = 2", "impulse value=v at=P on=B when=2");
    assert_reads("impulse 3 along x when t = T/2", "impulse value=3 along=x when=(* T /2)");
}

static void conditions(void **state)
{
    (void)state;
    assert_reads("constraint edge: y' = 0", "constraint label=edge left=(' 1 y) equal=0");
    assert_reads("constraint y' = 0", "constraint left=(' 1 y) equal=0");
    assert_reads("constraint c[i]: x <= L restitution 0.5",
                 "constraint label=c[i] left=x at_most=L restitution=0.5");
    assert_reads("constraint x >= 0", "constraint left=x at_least=0");
    assert_reads("constraint x ≥ 0", "constraint left=x at_least=0");
    assert_reads("servo s: x = 1 by force v at P", "servo label=s left=x equal=1 by_force=v at=P");
    assert_reads("servo s: x = 1 by force v at P on B",
                 "servo label=s left=x equal=1 by_force=v at=P on=B");
    assert_reads("servo s: x = 1 by torque v on B",
                 "servo label=s left=x equal=1 by_torque=v on=B");
    assert_reads("servo s: x = 1 by x", "servo label=s left=x equal=1 by=x");
    assert_reads("servo s: x = 1 by force", "servo label=s left=x equal=1 by=force");
}

static void runs_and_pictures(void **state)
{
    (void)state;
    assert_reads("initial x = 1, x' = 2, q[2]' = 3",
                 "initial name=x value=1 name=(' 1 x) value=2 name=(' 1 q[2]) value=3");
    assert_reads("initial approx x = 1", "initial approx=approx name=x value=1");
    assert_reads("initial approx = 1", "initial name=approx value=1");
    assert_reads("run to 10 every 0.01 tolerance 1e-10", "run to=10 every=0.01 tolerance=1e-10");
    assert_reads("run", "run");
    assert_reads("draw trace P", "draw shape=trace value=P");
    assert_reads("draw line P Q", "draw shape=line value=P value=Q");
    assert_reads("draw disc at G axis lean.y radius r",
                 "draw shape=disc at=G axis=lean.y radius=r");
    assert_reads("draw sphere at G radius r", "draw shape=sphere at=G radius=r");
    assert_reads("draw box at G frame F size [a,b,c]",
                 "draw shape=box at=G frame=F size=(vec a b c)");
    assert_reads("draw plane z = 0", "draw shape=plane left=z equal=0");
    assert_reads("draw none", "draw shape=none");
    assert_reads("draw ring at G axis v radius r", "draw shape=ring at=G axis=v radius=r");
    assert_reads("draw cylinder length l at G axis v radius r",
                 "draw shape=cylinder length=l at=G axis=v radius=r");
    assert_reads("draw cone at P axis v radius r length l frame F",
                 "draw shape=cone at=P axis=v radius=r length=l frame=F");
    assert_reads("draw ellipsoid at G frame F size [a,b,c]",
                 "draw shape=ellipsoid at=G frame=F size=(vec a b c)");
    assert_reads("draw mesh \"f.stl\" at G frame F scale s",
                 "draw shape=mesh title=f.stl at=G frame=F scale=s");
    assert_reads("draw spring P Q radius r turns n",
                 "draw shape=spring value=P value=Q radius=r turns=n");
    assert_reads("draw polygon P, Q, R", "draw shape=polygon value=P value=Q value=R");
    assert_reads("draw curve [cos(s), sin(s), 0] for s in 0..2*pi",
                 "draw shape=curve value=(vec (cos s) (sin s) 0) name=s low=0 high=(* 2 pi)");
    assert_reads("draw arrow at P along v", "draw shape=arrow at=P along=v");
    assert_reads("draw axes F at P length l", "draw shape=axes value=F at=P length=l");
    assert_reads("draw label \"text\" at P", "draw shape=label title=text at=P");
    assert_reads("draw surface wall", "draw shape=surface left=wall");
    assert_reads("draw surface x^2 + y^2 = z",
                 "draw shape=surface left=(+ (^ x 2) (^ y 2)) equal=z");
    assert_reads("draw ground z = 0", "draw shape=ground left=z equal=0");
    assert_reads("draw trace P colour red opacity 1/2 width 2 while t >= 1 and t <= 2",
                 "draw shape=trace value=P colour=red opacity=(* 1 /2) width=2 while=t at_least=1 "
                 "while=t at_most=2");
    assert_reads("draw trace P color \"#c00\"", "draw shape=trace value=P colour=#c00");
    // Words of clauses stay names elsewhere.
    assert_reads("draw line width colour width 2",
                 "draw shape=line value=width value=colour width=2");
}

static void loops(void **state)
{
    (void)state;
    assert_reads("for i in 1..N, j in i..M { point P[i,j] = v; mass m at P[i,j] } run",
                 "for name=i low=1 high=N name=j low=i high=M; point name=P[i j] value=v; "
                 "mass value=m at=P[i j]; run");
    assert_reads("for i in 1..2 {}", "for name=i low=1 high=2");
    assert_reads("for k in 1..2, i, j in pairs(2..2*N) {}",
                 "for name=k low=1 high=2 name=i low=2 high=(* 2 N) name=j paired=(* 2 N) "
                 "high=(* 2 N)");
    assert_reads("for i in 1..2\n{\n  coord x\n}\n", "for name=i low=1 high=2; coord name=x");
}

static void words_count_only_in_their_places(void **state)
{
    (void)state;
    assert_reads("param mass = 1, force = 2, sin = 3; kinetic mass*force + sin",
                 "param name=mass value=1 name=force value=2 name=sin value=3; "
                 "kinetic value=(+ (* mass force) sin)");
    assert_reads("body body frame frame mass mass at at_",
                 "body name=body frame=frame mass=mass at=at_");
    assert_reads("coord every; run every every", "coord name=every; run every=every");
    assert_reads("constraint constraint: x = 1", "constraint label=constraint left=x equal=1");
}

static void statements_end_and_go_on(void **state)
{
    (void)state;
    assert_reads("let a = b\nlet c = d", "let name=a value=b; let name=c value=d");
    assert_reads("let a = b +\n c", "let name=a value=(+ b c)");
    assert_reads("let a = b # why\n  + c # more\n\n  - d", "let name=a value=(+ b c -d)");
    assert_reads("let a = (b\nc", "m.zw:2:1: error: 'c' cannot follow 'b' directly; a product is "
                                  "written with '*', a function with '(…)'\n    c\n    ^\n"
                                  "!let name=a lost=c");
    assert_reads("let a = (b\n)", "let name=a value=b");
    assert_reads("param a = 1,\n  b = 2", "param name=a value=1 name=b value=2");
    assert_reads("constraint e: x\n = y", "constraint label=e left=x equal=y");
    assert_reads("let a = b; ; let c = d;", "let name=a value=b; let name=c value=d");
    assert_reads("let a = b\r\n  + c\r\n", "let name=a value=(+ b c)");
    assert_reads("\xEF\xBB\xBFlet a = b", "let name=a value=b");
    assert_reads("mass m\nat P", "mass value=m at=P");
    assert_reads("run\nto 3", "run to=3");
    assert_reads("run;\nto 3", "m.zw:2:1: error: 'to' cannot begin a statement; does it belong to "
                               "the line above?\n    to 3\n    ^~\nrun; !unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions),
        cmocka_unit_test(frames_and_bodies),
        cmocka_unit_test(energies_and_loads),
        cmocka_unit_test(conditions),
        cmocka_unit_test(runs_and_pictures),
        cmocka_unit_test(loops),
        cmocka_unit_test(words_count_only_in_their_places),
        cmocka_unit_test(statements_end_and_go_on),
    };
    return cmocka_run_group_tests_name("text/statement", tests, NULL, NULL);
}

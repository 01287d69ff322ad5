// What a scene shows of models: kinds and places by another road, and hostile numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files.h"

#include "base/base.h"
#include "dynamics/hidden/hidden_conditions.h"
#include "model/model.h"
#include "motion/motion.h"
#include "show/scene_impl.h"
#include "show/show.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    Source *source;
    Diag *diag;
    Model *model;
    Motion *motion;
    Simulation *run;
    Scene *scene;
    SceneFrames frames;
    SceneView view;
    size_t columns;
    double *rows; // of all frames, the columns of the run
    size_t row_count;
} Seen;

static bool take_row(void *context, const double *row)
{
    Seen *seen = context;
    scene_frames_add(&seen->frames, row);
    seen->rows = base_realloc(seen->rows, (seen->row_count + 1) * seen->columns * sizeof *row);
    memcpy(seen->rows + seen->row_count++ * seen->columns, row, seen->columns * sizeof *row);
    return true;
}

static Status try_to_see(const char *name, const char *text, Seen *seen)
{
    *seen = (Seen){.source = source_new(name, text, strlen(text)), .diag = diag_new()};
    Status status = model_read(seen->source, NULL, 0, seen->diag, &seen->model);
    if (status == STATUS_OK)
        status = hidden_motion_new(seen->model, false, seen->diag, &seen->motion);
    RunOptions options = run_options();
    options.chooses_method = true;
    if (status == STATUS_OK)
        status = run_new(seen->motion, &options, seen->diag, &seen->run);
    if (status == STATUS_OK)
        status = scene_new(seen->motion, seen->run, true, seen->diag, &seen->scene);
    if (status != STATUS_OK)
        return status;
    seen->columns = run_column_count(seen->run);
    scene_frames_init(&seen->frames, seen->scene, 1);
    RunListener listener = {.row = take_row, .context = seen};
    RunSummary summary = {0};
    status = run_go(seen->run, &listener, seen->diag, &summary);
    scene_frames_end(&seen->frames);
    seen->view = scene_view(&seen->frames);
    return status;
}

static Seen see(const char *text)
{
    Seen seen;
    Status status = try_to_see("m.zw", text, &seen);
    if (status != STATUS_OK) {
        Text said = {0};
        diag_render(seen.diag, DIAG_NOTE, &said);
        print_message("%s\n%s\n", text, said.at ? said.at : "");
        text_clear(&said);
    }
    assert_int_equal(status, STATUS_OK);
    return seen;
}

static void forget(Seen *seen)
{
    if (seen->scene)
        scene_frames_clear(&seen->frames);
    scene_free(seen->scene);
    if (seen->run)
        run_free(seen->run);
    if (seen->motion)
        motion_free(seen->motion);
    model_free(seen->model);
    diag_free(seen->diag);
    source_free(seen->source);
    base_free(seen->rows);
}

static size_t count_of(const Seen *seen, SceneKind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->scene->shapes.count; i++)
        count += seen->scene->shapes.at[i].kind == kind;
    return count;
}

static const SceneShape *first_of(const Seen *seen, SceneKind kind)
{
    for (size_t i = 0; i < seen->scene->shapes.count; i++)
        if (seen->scene->shapes.at[i].kind == kind)
            return &seen->scene->shapes.at[i];
    print_message("no %s\n", scene_kind_word(kind));
    fail();
    return NULL;
}

static double column_at(const Seen *seen, size_t row, const char *name)
{
    for (size_t i = 0; i < seen->columns; i++)
        if (strcmp(run_column_name(seen->run, i), name) == 0)
            return seen->rows[row * seen->columns + i];
    fail();
    return NAN;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b)))) {
        print_message("%.17g is not %.17g\n", a, b);
        fail();
    }
}

// ---- What is guessed, and where it is.

static void a_linkage_has_bars_joints_and_pivots(void **state)
{
    (void)state;
    Seen seen = see("param a = 0.2, b = 0.6, c = 0.4, l = 0.5\n"
                    "coord alpha, beta, gamma\n"
                    "frame A = world rotate alpha about z\n"
                    "frame B = world rotate beta about z\n"
                    "frame C = world rotate gamma about z\n"
                    "point P = a*A.x\n"
                    "point Q = P + b*B.x\n"
                    "point R = [l, 0, 0] + c*C.x\n"
                    "body crank frame A mass 1 at a/2*A.x inertia [0, 0, a^2/12]\n"
                    "body coupler frame B mass 1 at P + b/2*B.x inertia [0, 0, b^2/12]\n"
                    "body rocker frame C mass 1 at [l, 0, 0] + c/2*C.x inertia [0, 0, c^2/12]\n"
                    "constraint x: Q.x = R.x\nconstraint y: Q.y = R.y\n"
                    "independent alpha\n"
                    "initial alpha = 1, alpha' = 2\ninitial approx beta = 0.4, gamma = 1.2\n"
                    "run to 1\n");
    assert_int_equal(count_of(&seen, SCENE_LINE), 3);
    assert_int_equal(count_of(&seen, SCENE_PIVOT), 2);
    assert_int_equal(count_of(&seen, SCENE_JOINT), 1);
    assert_true(seen.view.planar && seen.view.normal[2] == 1);
    // The crank's end, from the columns.
    const SceneShape *crank = first_of(&seen, SCENE_LINE);
    for (size_t i = 0; i < seen.frames.count; i++) {
        const double *n = scene_numbers(&seen.frames, i, crank);
        double alpha = column_at(&seen, i, "alpha");
        bool swapped = hypot(n[0], n[1]) > 0.1;
        assert_near(n[swapped ? 0 : 3], 0.2 * cos(alpha));
        assert_near(n[swapped ? 1 : 4], 0.2 * sin(alpha));
    }
    forget(&seen);
}

static void conditions_are_rods_strings_walls_and_surfaces(void **state)
{
    (void)state;
    Seen seen = see("coord x, z, u, w\npoint P = [x, 0, z]\npoint Q = [u, 0, w]\n"
                    "mass 1 at P\nmass 2 at Q\ngravity [0, 0, -9.81]\n"
                    "constraint rod: dot(P - Q, P - Q) = 4\n"
                    "constraint string: x^2 + z^2 <= 25\n"
                    "constraint floor: w >= -20\nconstraint wall: u <= 30\n"
                    "constraint hill: w >= -20 - u^2\n"
                    "initial z = -1, w = -3\nrun to 0.5\n");
    assert_int_equal(count_of(&seen, SCENE_LINE), 1);
    assert_int_equal(count_of(&seen, SCENE_STRING), 1);
    assert_int_equal(count_of(&seen, SCENE_GROUND), 1);
    assert_int_equal(count_of(&seen, SCENE_WALL), 1);
    assert_int_equal(count_of(&seen, SCENE_SURFACE), 1);
    assert_int_equal(count_of(&seen, SCENE_MASS), 2);
    assert_near(scene_numbers(&seen.frames, 0, first_of(&seen, SCENE_STRING))[6], 5);
    const double *floor = scene_numbers(&seen.frames, 0, first_of(&seen, SCENE_GROUND));
    assert_near(floor[2], 1);
    assert_near(floor[3], -20);
    const double *wall = scene_numbers(&seen.frames, 0, first_of(&seen, SCENE_WALL));
    assert_near(wall[0], -1);
    assert_near(wall[3], -30);
    forget(&seen);
}

static void springs_are_seen_in_the_potential(void **state)
{
    (void)state;
    Seen seen =
        see("param k = 3, l = 0.7\ncoord x, y, z\npoint P = [x, y, 0]\npoint Q = [z, 1, 0]\n"
            "mass 1 at P\nmass 1 at Q\npotential k*(norm(P - Q) - l)^2/2 + k*(x^2 + y^2)/2\n"
            "initial x = 1, z = 3\nrun to 1\n");
    assert_int_equal(count_of(&seen, SCENE_SPRING), 2);
    forget(&seen);
    // A potential that is no spring's.
    seen = see("coord r, s\npoint P = [r*cos(s), r*sin(s), 0]\nmass 1 at P\npotential -1/r\n"
               "initial r = 1, s' = 1\nrun to 1\n");
    assert_int_equal(count_of(&seen, SCENE_SPRING), 0);
    forget(&seen);
    // On a line the energy of a spring is quadratic in the distance to every place.
    seen = see("coord x\npoint P = [x, 0, 0]\npoint O = [3, 0, 0]\nmass 1 at P\n"
               "spring between [-2, 0, 0] and P stiffness 3\ndraw line O [x, 1, 0]\n"
               "initial x = 1\nrun to 1\n");
    assert_int_equal(count_of(&seen, SCENE_SPRING), 1);
    forget(&seen);
}

static void what_rolls_is_round(void **state)
{
    (void)state;
    Seen seen = see("param r = 0.35\ncoord x, y, theta, psi, phi\n"
                    "frame yaw = world rotate theta about z\nframe lean = yaw rotate -psi about x\n"
                    "frame wheel = lean rotate phi about y\npoint K = [x, y, 0]\n"
                    "point G = K + r*lean.z\n"
                    "body hoop frame wheel mass 2 at G inertia [r^2, 2*r^2, r^2] in lean\n"
                    "constraint roll: velocity(K on hoop) = 0\ngravity [0, 0, -9.81]\n"
                    "initial psi = 0.2, phi' = 6\nrun to 0.2\n");
    const SceneShape *ring = first_of(&seen, SCENE_RING);
    assert_int_equal(count_of(&seen, SCENE_GROUND), 1);
    for (size_t i = 0; i < seen.frames.count; i++) {
        const double *n = scene_numbers(&seen.frames, i, ring);
        double theta = column_at(&seen, i, "theta"), psi = column_at(&seen, i, "psi");
        assert_near(n[6], 0.35);
        assert_near(n[2], 0.35 * cos(psi));
        assert_near(n[0], column_at(&seen, i, "x") - 0.35 * sin(psi) * sin(theta));
    }
    assert_false(seen.view.planar);
    forget(&seen);
}

// The whole reaction stands where particles meet, not at a hub; the mode is that of the columns,
// and a path has it too.
static void friction_is_at_the_contact(void **state)
{
    (void)state;
    Seen seen = see("param m = 2, r = 0.3, J = m*r^2/2, g = 9.81, mu = 0.5, a = 0.2\n"
                    "coord s, n, phi\nframe S = world rotate -a about y\n"
                    "frame F = S rotate phi about y\npoint G = [s, 0, n] in S\n"
                    "point K = G - r*S.z\nbody wheel frame F mass m at G inertia [J/2, J, J/2]\n"
                    "gravity [0, 0, -g]\nconstraint slope: n >= r friction mu static 0.6 at K on "
                    "wheel\nfriction shoe: 0.1 along phi\ninitial n = r, phi' = 40\n"
                    "draw trace G\ndraw arrow at K along normal(slope)*S.z/10\nrun to 2\n");
    const SceneShape *force = first_of(&seen, SCENE_FORCE), *trace = first_of(&seen, SCENE_TRACE);
    const SceneShape *cone = first_of(&seen, SCENE_FRICTION), *arrow = first_of(&seen, SCENE_ARROW);
    assert_int_equal(count_of(&seen, SCENE_FORCE), 1);
    assert_int_equal(count_of(&seen, SCENE_FRICTION), 2); // the law, too
    size_t modes[3] = {0};
    for (size_t i = 0; i < seen.frames.count; i++) {
        const double *n = scene_numbers(&seen.frames, i, force), a = 0.2;
        const double *c = scene_numbers(&seen.frames, i, cone), s = column_at(&seen, i, "s");
        double N = column_at(&seen, i, "lambda.slope"), mode = column_at(&seen, i, "mode.slope");
        assert_near(n[0], s * cos(a));
        assert_near(n[2], s * sin(a));
        assert_near(n[3], -N * sin(a) + column_at(&seen, i, "friction.slope.x"));
        assert_near(n[5], N * cos(a) + column_at(&seen, i, "friction.slope.z"));
        assert_near(c[3], -N * sin(a));
        assert_near(c[6], 0.6);
        assert_near(c[7], mode);
        // No angle moves G, so that the shoe says nothing of its path.
        assert_near(scene_frame(&seen.frames, i)[trace->mode], mode);
        assert_near(scene_numbers(&seen.frames, i, arrow)[5], N * cos(a) / 10);
        modes[(int)mode]++;
    }
    assert_true(modes[1] > 0 && modes[2] > 0);
    forget(&seen);
}

static void lines_replace_guesses(void **state)
{
    (void)state;
    static const char model[] = "param l = 1\ncoord q\npoint P = l*[sin(q), 0, -cos(q)]\n"
                                "mass 1 at P\ngravity [0, 0, -9.81]\ninitial q = 1\nrun to 0.1\n";
    char text[512];
    Seen seen = see(model);
    assert_int_equal(count_of(&seen, SCENE_LINE), 1);
    assert_int_equal(count_of(&seen, SCENE_MASS), 1);
    forget(&seen);
    snprintf(text, sizeof text, "%sdraw line origin P\ndraw sphere at P radius l/9\n", model);
    seen = see(text);
    assert_int_equal(count_of(&seen, SCENE_LINE), 1);
    assert_int_equal(count_of(&seen, SCENE_MASS), 0);
    assert_int_equal(count_of(&seen, SCENE_PIVOT), 1);
    forget(&seen);
    // Corners of a face are pivots where a point is there, and not where they are numbers.
    snprintf(text, sizeof text, "%sdraw polygon P, [l, 0, 0], [0, 0, l]\n", model);
    seen = see(text);
    assert_int_equal(count_of(&seen, SCENE_PIVOT), 0);
    forget(&seen);
    snprintf(text, sizeof text, "%spoint A = [l, 0, 0]\ndraw polygon P, A, [0, 0, l]\n", model);
    seen = see(text);
    assert_int_equal(count_of(&seen, SCENE_PIVOT), 1);
    forget(&seen);
    snprintf(text, sizeof text, "%sdraw none\ndraw trace P\n", model);
    seen = see(text);
    assert_int_equal(count_of(&seen, SCENE_LINE) + count_of(&seen, SCENE_MASS), 0);
    assert_int_equal(count_of(&seen, SCENE_TRACE), 1);
    forget(&seen);
}

// ---- Surfaces: every vertex lies on them.

// What a line says of discrete states alone moves when events set them.
static void states_move_what_is_drawn(void **state)
{
    (void)state;
    Seen seen = see("coord q\nmass 1 at [q, 0, 0]\nstate k = 0\nevent a: q >= 1 { set k = 3 }\n"
                    "draw none\ndraw sphere at [k, 0, 1] radius 0.1\ninitial q' = 1\nrun to 2\n");
    const SceneShape *ball = first_of(&seen, SCENE_SPHERE);
    double first = scene_numbers(&seen.frames, 0, ball)[0];
    double last = scene_numbers(&seen.frames, seen.frames.count - 1, ball)[0];
    forget(&seen);
    assert_true(first == 0 && last == 3);
}

static void surfaces_are_where_they_are(void **state)
{
    (void)state;
    Seen seen = see("coord x, y, z\npoint P = [x, y, z]\nmass 1 at P\n"
                    "draw surface x^2 + y^2 + z^2 = 4\ndraw none\ndraw sphere at P radius 1\n"
                    "initial x' = 1, y' = 1, z' = 1\nrun to 1\n");
    const SceneShape *surface = first_of(&seen, SCENE_SURFACE);
    const SceneMesh *mesh = &seen.scene->meshes.at[surface->mesh];
    assert_true(mesh->corners.count > 300 && mesh->corner_count == 3);
    double area = 0;
    for (size_t i = 0; i < mesh->vertices.count; i += 3) {
        const double *at = mesh->vertices.at + i;
        double r = hypot(hypot(at[0], at[1]), at[2]);
        assert_true(fabs(r - 2) < 0.02);
    }
    for (size_t i = 0; i < mesh->corners.count; i += 3) {
        const double *p = mesh->vertices.at + 3 * (size_t)mesh->corners.at[i];
        const double *q = mesh->vertices.at + 3 * (size_t)mesh->corners.at[i + 1];
        const double *r = mesh->vertices.at + 3 * (size_t)mesh->corners.at[i + 2];
        double n[3];
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            n[k] = (q[a] - p[a]) * (r[b] - p[b]) - (q[b] - p[b]) * (r[a] - p[a]);
        }
        area += hypot(hypot(n[0], n[1]), n[2]) / 2;
    }
    // All of the sphere, once.
    assert_true(fabs(area / (16 * 3.14159265358979) - 1) < 0.03);
    forget(&seen);
}

// ---- Hostile numbers and files.

static void numbers_that_are_none_are_not_drawn(void **state)
{
    (void)state;
    Seen seen = see("param n = 0\ncoord x\npoint P = [x, 0, 0]\nmass 1 at P\n"
                    "draw sphere at P radius sqrt(-1 - x^2)\n"
                    "draw box at [1/n, 0, 0] frame world size [1, 1, 1]\n"
                    "draw disc at P axis [0, 0, 0] radius exp(800)\n"
                    "draw spring P P turns 1/n\ndraw line P P width -1\n"
                    "draw curve [1/s, log(s), 0] for s in 0..1\n"
                    "draw surface log(x) = 1/y\ndraw cone at P axis world.z radius -1 length -2\n"
                    "draw ellipsoid at P frame world size [0, 1e300, -1]\n"
                    "draw cylinder at P axis world.x radius 0 length 0 opacity 7\n"
                    "draw label \"<&>\" at P while x <= -1\n"
                    "initial x' = 1\nrun to 1\n");
    assert_false(scene_is_drawn(&seen.frames, 0, first_of(&seen, SCENE_SPHERE)));
    assert_false(scene_is_drawn(&seen.frames, 0, first_of(&seen, SCENE_BOX)));
    assert_false(scene_is_drawn(&seen.frames, 0, first_of(&seen, SCENE_LABEL)));
    assert_true(isfinite(seen.view.size) && seen.view.size > 0);
    for (int i = 0; i < 3; i++)
        assert_true(isfinite(seen.view.low[i]) && isfinite(seen.view.high[i]));
    ShowPicture *picture;
    assert_int_equal(show_picture_new(seen.motion, seen.run, false, seen.diag, &picture),
                     STATUS_OK);
    for (size_t i = 0; i < seen.row_count; i++)
        show_picture_row(picture, seen.rows + i * seen.columns);
    Text svg = {0};
    show_picture_svg(picture, "0,1:f.svg", &svg);
    assert_null(strstr(svg.at, "nan"));
    assert_null(strstr(svg.at, "inf"));
    assert_null(strstr(svg.at, "<&>"));
    text_clear(&svg);
    show_picture_free(picture);
    forget(&seen);
}

static const char *folder;

static Status see_mesh(const char *name, const char *bytes, size_t length, size_t *faces)
{
    char path[512], text[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    snprintf(
        text, sizeof text,
        "coord x\npoint P = [x, 0, 0]\nmass 1 at P\ndraw mesh \"%s\" at P frame world\nrun to 1\n",
        name);
    snprintf(path, sizeof path, "%s/m.zw", folder);
    Seen seen;
    Status status = try_to_see(path, text, &seen);
    *faces = status == STATUS_OK ? seen.scene->meshes.at[0].corners.count / 3 : 0;
    forget(&seen);
    return status;
}

static void meshes_are_read_or_refused(void **state)
{
    (void)state;
    size_t faces;
    static const char cube[] = "# a square\nv 0 0 0\nv 1 0 0 1\nv 1 1 0\nv 0 1 0\r\nvn 0 0 1\n"
                               "f 1/1/1 2//1 3 4\nf -4 -3 -2\n";
    assert_int_equal(see_mesh("a.obj", cube, strlen(cube), &faces), STATUS_OK);
    assert_int_equal(faces, 3);
    static const char text[] = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                               "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    assert_int_equal(see_mesh("a.stl", text, strlen(text), &faces), STATUS_OK);
    assert_int_equal(faces, 1);
    char bytes[84 + 50] = {0};
    bytes[80] = 1;
    bytes[84 + 12 + 3] = 0x3f;
    assert_int_equal(see_mesh("b.stl", bytes, sizeof bytes, &faces), STATUS_OK);
    assert_int_equal(faces, 1);
    // Cut off, too many faces, corners that are not there, no numbers, nothing.
    assert_int_equal(see_mesh("c.stl", bytes, sizeof bytes - 1, &faces), STATUS_WRONG);
    memset(bytes + 80, 0xff, 4);
    assert_int_equal(see_mesh("d.stl", bytes, sizeof bytes, &faces), STATUS_WRONG);
    static const char *const wrong[] = {"v 0 0 0\nf 1 2 3\n",
                                        "v 0 0\nf 1 1 1\n",
                                        "f\n",
                                        "",
                                        "v 1e999 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n",
                                        "v 0 0 0\nf 99999999999999999999 1 1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(see_mesh("w.obj", wrong[i], strlen(wrong[i]), &faces), STATUS_WRONG);
    // Bytes at random: read or refused.
    Random random = random_seed(20);
    for (int i = 0; i < 300; i++) {
        char noise[400];
        size_t length = random_below(&random, sizeof noise);
        static const char letters[] = "vf 0123456789-./e\n\0\xffsolidvertex";
        for (size_t j = 0; j < length; j++)
            noise[j] = letters[random_below(&random, sizeof letters)];
        Status status = see_mesh(i % 2 ? "n.obj" : "n.stl", noise, length, &faces);
        assert_true(status == STATUS_OK || status == STATUS_WRONG);
    }
    Seen seen;
    assert_int_equal(try_to_see("m.zw",
                                "coord x\nmass 1 at [x, 0, 0]\n"
                                "draw mesh \"none.stl\" at origin frame world\nrun to 1\n",
                                &seen),
                     STATUS_WRONG);
    forget(&seen);
}

// ---- The gallery: every model shows as much as it is made of.

static void every_model_of_the_gallery_is_drawn(void **state)
{
    (void)state;
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models/");
    for (size_t i = 0; i < models->count; i++) {
        Text text = read_file(ZWANG_SOURCE_DIR "/models/", models->at[i], ".zw");
        Seen seen;
        Status status = try_to_see(models->at[i], text.at, &seen);
        assert_true(status == STATUS_OK || status == STATUS_NEGATIVE);
        size_t drawn = 0, bodies = 0;
        for (size_t j = 0; j < seen.scene->shapes.count; j++) {
            const SceneShape *shape = &seen.scene->shapes.at[j];
            double points[3 * SCENE_REACH];
            const double *numbers = scene_numbers(&seen.frames, 0, shape);
            drawn += scene_is_drawn(&seen.frames, 0, shape) && shape->kind != SCENE_TRACE &&
                     shape->kind != SCENE_POINT && scene_reach(shape, numbers, points) > 0;
        }
        for (size_t j = 0; j < seen.model->bodies.count; j++)
            bodies += seen.model->bodies.at[j].has_inertia;
        if (drawn < 1 || drawn < bodies) {
            print_message("%s: %zu shapes for %zu bodies\n", models->at[i], drawn, bodies);
            fail();
        }
        forget(&seen);
        text_clear(&text);
    }
    assert_true(models->count > 50);
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    Text path = {0};
    text_addf(&path, "%s/zwang_scene_XXXXXX", temporary ? temporary : "/tmp");
    folder = mkdtemp(path.at);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linkage_has_bars_joints_and_pivots),
        cmocka_unit_test(conditions_are_rods_strings_walls_and_surfaces),
        cmocka_unit_test(springs_are_seen_in_the_potential),
        cmocka_unit_test(what_rolls_is_round),
        cmocka_unit_test(friction_is_at_the_contact),
        cmocka_unit_test(lines_replace_guesses),
        cmocka_unit_test(states_move_what_is_drawn),
        cmocka_unit_test(surfaces_are_where_they_are),
        cmocka_unit_test(numbers_that_are_none_are_not_drawn),
        cmocka_unit_test(meshes_are_read_or_refused),
        cmocka_unit_test(every_model_of_the_gallery_is_drawn),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"a.obj", "a.stl", "b.stl", "c.stl",
                                        "d.stl", "w.obj", "n.obj", "n.stl"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Text file = {0};
        text_addf(&file, "%s/%s", path.at, files[i]);
        unlink(file.at);
        text_clear(&file);
    }
    rmdir(path.at);
    text_clear(&path);
    return failed;
}

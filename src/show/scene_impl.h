// scene_impl.h: what a picture or page shows of a run: shapes, and their numbers frame by frame.
//
// A shape says where its numbers begin. Below the scene's width they change and stand in every
// frame; from there on they are still, and stand once in `still`.
#ifndef ZWANG_SHOW_SCENE_IMPL_H
#define ZWANG_SHOW_SCENE_IMPL_H

#include "model/model.h"
#include "motion/motion.h"
#include "simulate/simulate.h"

typedef enum {
#define KIND(NAME, word, numbers) SCENE_##NAME,
#include "show/scene_kinds.def"
#undef KIND
    SCENE_KIND_COUNT
} SceneKind;
const char *scene_kind_word(SceneKind kind);
size_t scene_kind_numbers(SceneKind kind);

#define SCENE_NONE SIZE_MAX
enum { SCENE_PALETTE = 8 };

typedef struct {
    SceneKind kind;
    const char *name;
    size_t from;     // of its numbers
    size_t count;    // points of a polygon or curve
    bool guessed;    // no line of the model draws it
    bool one_sided;  // of a force: its condition is; of friction: a condition presses
    bool has_colour; // else `palette` counts the usual ones
    uint32_t colour;
    size_t palette;
    double opacity, width, turns;
    size_t visible;   // a number that is above 0 where it is drawn; SCENE_NONE: always
    const char *text; // of a label
    size_t mesh;      // SCENE_NONE: it has none
    size_t mode;      // of a path: the number that tells how friction is, or SCENE_NONE
} SceneShape;

// Faces (three corners each) or pieces of curves (two).
typedef struct {
    ARRAY(double) vertices; // three numbers each
    ARRAY(uint32_t) corners;
    int corner_count; // 3 or 2
} SceneMesh;
void scene_mesh_clear(SceneMesh *mesh);

// A surface or curve that is found when the extent of the run is known.
typedef struct {
    size_t shape;
    Expr residual, xyz[3]; // 0 on it
} SceneSurface;

// A column of a row that the scene reads beside the state.
typedef struct {
    Expr symbol;
    size_t column;
} SceneColumn;

typedef struct Scene {
    Motion *motion;
    const Simulation *run;
    ARRAY(SceneShape) shapes;
    ARRAY(SceneMesh) meshes;
    ARRAY(SceneSurface) surfaces;
    size_t width, still_count; // numbers in a frame, and still ones
    double spin;               // how fast something turns at the start, at most
    double *still;
    // While it is made: all numbers in the order of shapes.
    ARRAY(Expr) values;
    struct Survey *survey;
    Expr xyz[3]; // of surfaces that conditions make
    struct MotionReactions *reactions;
    ARRAY(SceneColumn) columns;
    struct Program *program;
    double *work, *inputs; // of the program: the state, and the columns
} Scene;

// The run must outlive it. An error where a file of a mesh cannot be read.
// With `forces` the reactions are in it.
BASE_MUST_USE Status scene_new(Motion *motion, const Simulation *run, bool forces, Diag *diag,
                               Scene **scene);
void scene_free(Scene *scene);
size_t scene_width(const Scene *scene); // how many numbers a frame has
// The numbers at the state that the run has reported last, with its row.
void scene_evaluate(const Scene *scene, const double *row, double *values);

// ---- Frames of a run: every so many of what is seen, so that there are not too many.
typedef struct {
    Scene *scene;          // NULL: its columns alone are kept
    size_t columns, width; // of a row that are kept; with the scene's numbers
    // Every stride-th is kept; when there are too many, every second one of them goes.
    size_t stride, seen, count, room;
    double *at;   // count × width
    double *last; // the newest, which is kept in any case
    bool last_kept;
} SceneFrames;
void scene_frames_init(SceneFrames *frames, Scene *scene, size_t columns);
void scene_frames_clear(SceneFrames *frames);
void scene_frames_add(SceneFrames *frames, const double *row);
void scene_frames_end(SceneFrames *frames);                         // the last one is among them
const double *scene_frame(const SceneFrames *frames, size_t frame); // the scene's numbers there
// Of a shape, in a frame; and whether it is drawn there: its numbers are finite and it is visible.
const double *scene_numbers(const SceneFrames *frames, size_t frame, const SceneShape *shape);
bool scene_is_drawn(const SceneFrames *frames, size_t frame, const SceneShape *shape);

// ---- How to look at it.
typedef struct {
    bool planar;             // all of it moves in a plane, across `normal`
    double normal[3], up[3]; // towards the viewer; upwards
    double low[3], high[3];  // bounds of what is drawn, over the run
    double size;             // of the system at an instant
    bool travels;            // it moves further than it is large
    double force;            // the largest one
    double usual_force;      // that is drawn at full length: blows do not make others dots
    double spin;             // the scene's
} SceneView;
// Also finds the surfaces.
SceneView scene_view(SceneFrames *frames);
// How far a shape reaches: some points of it, at most SCENE_REACH, three numbers each.
enum { SCENE_REACH = 512 };
size_t scene_reach(const SceneShape *shape, const double *numbers, double *points);

void scene_json(const Scene *scene, const SceneView *view, Text *out);

// ---- scene_parts.c: adding shapes.
SceneShape *scene_begin(Scene *scene, SceneKind kind, const char *name);
void scene_add_expr(Scene *scene, Expr e);
void scene_add_number(Scene *scene, double number);
void scene_add_vec(Scene *scene, Vec v);
void scene_add_vector(Scene *scene, Vector v);
// Two axes say how something is turned.
void scene_add_turn(Scene *scene, Frame frame);
void scene_add_axis(Scene *scene, Frame frame, int axis);

// What an expression is at the start; `otherwise` where it is none or not finite.
double scene_number(const Scene *scene, Expr e, double otherwise);

// ---- scene_guess.c, scene_bodies.c, scene_conditions.c: what no line draws.
typedef struct {
    size_t a, b;  // places of the survey
    bool is_edge; // of a face
} SceneLink;
typedef struct {
    double n[3], d; // n·x = d
} ScenePlane;
typedef struct {
    size_t place;
    double radius;
} SceneBall; // a mass that others keep away from
typedef struct {
    Scene *scene;
    const struct Survey *survey;
    ARRAY(SceneLink) links; // drawn by lines, or guessed so far
    ARRAY(size_t) traced;   // places
    ARRAY(ScenePlane) planes;
    ARRAY(SceneBall) balls;
    double up[3];   // 0 where there is no gravity
    size_t palette; // the next one of bodies
} SceneGuess;
void scene_guess(Scene *scene);
SceneShape *scene_guess_begin(SceneGuess *guess, SceneKind kind, const char *name);
// A rod, string or spring between two places, unless there is something; NULL then. The numbers
// behind the places are the caller's.
SceneShape *scene_guess_link(SceneGuess *guess, SceneKind kind, size_t a, size_t b);
bool scene_is_linked(const SceneGuess *guess, size_t a, size_t b);
void scene_guess_bodies(SceneGuess *guess);
void scene_guess_conditions(SceneGuess *guess);
// A level plane n·x = d, unless it is drawn.
void scene_guess_plane(SceneGuess *guess, SceneKind kind, const double n[3], double d);
// The surface of the condition of this name; false where it is none of a place.
bool scene_condition_surface(Scene *scene, const char *condition);
// Whether the condition of this name keeps bodies apart, as a floor does and a string does not.
bool scene_condition_pushes(const Scene *scene, const char *condition);
// ---- scene_friction.c
// A column as a symbol; 0 where there is none of that name.
Expr scene_column(Scene *scene, const char *prefix, const char *name, const char *suffix);
// normal(NAME) and slip.NAME in what is drawn.
Expr scene_resolve(Scene *scene, Expr e);
// Whether a condition has friction: its reaction is shown with that.
bool scene_rubs(const Scene *scene, const char *condition);
// Behind all paths.
void scene_add_frictions(Scene *scene);
// ---- scene_surface.c, scene_mesh.c
// A closed surface makes the view larger.
SceneMesh scene_surface(Scene *scene, const SceneSurface *surface, SceneView *view);
BASE_MUST_USE Status scene_mesh_read(const ModelDraw *draw, Diag *diag, SceneMesh *mesh);

#endif

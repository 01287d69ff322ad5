// model.h: the mechanical system as checked data: the parts of it, and how it is read.
#ifndef ZWANG_MODEL_H
#define ZWANG_MODEL_H

#include "base/base.h"
#include "model/constraint.h"
#include "model/events.h"
#include "model/friction.h"
#include "model/system.h"
#include "model/whiles.h"
#include "text/draw_shapes.h"

// What a given force at a point acts on. The virtual displacement is that of the particle of the
// body that is at the point now, or that of the point itself; these differ where the point moves
// in the body, as the one where a ball touches the floor does.
typedef enum {
    LOAD_ON_POINT, // nothing was said: the point itself, refused where a body moves along with it
    LOAD_ON_POINT_SAID,
    LOAD_ON_BODY
} LoadOn;

typedef struct {
    Vector position;
    const char *name; // of the point, as it is written
    LoadOn on;
    size_t body;      // of LOAD_ON_BODY
    Place at, target; // the point, and what follows `on`, in the text
} ModelLoadPoint;

// Where a joint, bushing, spring or damper takes hold: `on` is LOAD_ON_BODY where it names the
// body.
typedef struct ModelHold {
    const char *what; // "a joint"
    ModelLoadPoint point;
} ModelHold;

// What keeps a servo condition: a force at a point, a couple on a body, or a force along a
// coordinate. A hidden condition needs no force: it has parts along all coordinates, for a
// multiplier that is 0.
typedef enum { SERVO_FORCE, SERVO_TORQUE, SERVO_ALONG, SERVO_PARTS } ServoKind;

typedef struct ModelServo {
    size_t constraint; // the condition, of the kind CONSTRAINT_SERVO
    ServoKind by;
    Vector direction;
    ModelLoadPoint point; // of a force
    size_t target;        // a body, or a coordinate
    const Expr *parts;    // along the coordinates, n
} ModelServo;

typedef struct ModelPoint {
    const char *name;
    Vector position; // from the origin
    Place place;
} ModelPoint;

typedef struct ModelMass {
    Expr mass;
    Vector position;
    Place place;
} ModelMass;

// A spring, damper or bushing, which is in the energies already.
typedef struct ModelSpring {
    const char *name; // NULL where it has none
    bool between;     // two points; else along a coordinate
    Vector first, second;
    Expr force; // tension positive
    bool damper;
    size_t waits;
    Place place;
} ModelSpring;

typedef struct ModelBody {
    const char *name;
    bool unplaced; // no joint has placed it yet; in a model that was read none is
    Vec center;    // of one that a joint places: its centre of mass in its own axes
    Vector origin; // of its own axes, where a joint has placed it
    bool has_origin;
    Frame frame;
    Expr mass;       // 0 where it is not given
    Vector position; // of its centre of mass
    bool has_position;
    Expr inertia[6]; // Ixx, Iyy, Izz, Ixy, Iyz, Izx: entries of the central tensor
    bool has_inertia;
    Frame inertia_frame; // along whose axes; it need not spin with the body
    Place place;
} ModelBody;

typedef struct ModelForceAt {
    Vector force;
    ModelLoadPoint point;
    size_t waits; // its `while` among the model's + 1, here and below; 0: it always acts
    Place place;
} ModelForceAt;

typedef struct ModelTorque {
    Vector torque;
    size_t body;
    size_t waits;
    Place place, target; // of the statement, and of the body in it
} ModelTorque;

typedef struct ModelForceAlong {
    Expr force;
    bool on_speed; // target counts speeds, else coordinates
    size_t target;
    size_t waits;
    Place place;
} ModelForceAlong;

typedef struct ModelImpulse {
    bool along; // along a coordinate or speed; else a vector at a point
    Vector impulse;
    ModelLoadPoint point;
    Expr amount;
    bool on_speed;
    size_t target;
    Expr when;
    Place place;
} ModelImpulse;

// A line of `draw`, kept for pictures. What a shape does not need is none.
typedef struct ModelDraw {
    DrawShape shape;
    Vector first, second; // points
    Vector *points;       // of a polygon
    size_t point_count;
    Vector axis; // of round shapes; what an arrow shows
    Frame frame;
    bool has_frame; // it was given
    Expr radius, length, scale, turns;
    Vector size;
    int plane_axis;           // of a plane: 0, 1, 2 for x, y, z
    Expr plane;               // where it stands on that axis
    Expr variable, low, high; // of a curve, whose points are `first`
    Expr residual, xyz[3];    // of a surface: 0 on it, in the symbols of a place and parameters
    const char *text;         // of a label; the file of a mesh; the condition of a surface
    Place text_place;
    bool has_colour;
    uint32_t colour;     // 0xRRGGBB
    Expr opacity, width; // in parameters; none where not given
    Expr visible;        // 1 where it is drawn, else 0; none: always
    Place place;
} ModelDraw;

typedef enum { START_COORD, START_VELOCITY, START_SPEED } StartOf;

typedef struct ModelStart {
    StartOf of;
    size_t target;   // counts coordinates, or speeds
    Expr value;      // in parameters
    Expr radius;     // of the interval that it is given by; none: a number
    bool approx;     // may be moved to meet the constraints
    bool from_array; // given for all elements of an array at once
    Place place;
} ModelStart;

// One `--set`: NAME=VALUE as typed, with the text that places point into.
typedef struct {
    const Source *source; // its whole text is "NAME=VALUE[,NAME=VALUE…]"
} ModelSetting;

// Reads a model. All independent errors are added to diag; on an error *model is NULL.
// The source and settings must outlive the model (places point into them).
BASE_MUST_USE Status model_read(const Source *source, const ModelSetting *settings,
                                size_t setting_count, Diag *diag, Model **model);
// Other parameters and starts for a model that was read: those settings that it was read with, then
// these, in the place of those of the last call. *same: false where one is of a constant or a
// function, or of what was read as 0 or may be: then the model is to be read anew with it, and is
// no model before another call.
BASE_MUST_USE Status model_set(Model *model, const ModelSetting *settings, size_t count, Diag *diag,
                               bool *same);
void model_free(Model *model);

// A coordinate that is no more than an abbreviation: what stands for it, in the language, made of
// parameters, time and coordinates that are declared before it is used. It keeps a column, as an
// output; a start for it is passed over.
//
// A parameter without a value here is read as the number 0 where its value is 0: what it is the
// inertia of then has none, and is solved for. model_set with it reads the model anew. An input
// without a value here stays what the text says, where others are a host's.
typedef struct {
    const char *name, *value;
} ModelReplacement;
// How to read, beside that: one-sided conditions over very many pairs are kept as `pairs`, where
// they can be, and are not among the constraints; inputs are parameters, which a host sets, and not
// what the text says of them (their rates are symbols without a value), or which are held (their
// rates are 0); loads and energies that hold for a while always do, times 1 or 0.
enum { MODEL_KEEP_PAIRS = 1, MODEL_HOST_INPUTS = 2, MODEL_HOLD_INPUTS = 4, MODEL_WEIGH_LOADS = 8 };
// The same with such coordinates.
BASE_MUST_USE Status model_read_replacing(const Source *source, const ModelSetting *settings,
                                          size_t setting_count,
                                          const ModelReplacement *replacements,
                                          size_t replacement_count, unsigned how, Diag *diag,
                                          Model **model);

// Reads one scalar expression over a pool, in which every name is the symbol of that name
// with its indices, members and primes: x', q[2]', lambda.edge. The inverse of expr_print.
BASE_MUST_USE Status model_read_expression(ExprPool *pool, const Source *source, Diag *diag,
                                           Expr *value);

// Rates for d/dt over the model's symbols: q → q' → q'', t → 1, speeds u → u'.
// The caller frees it.
ExprRates *model_rates(const Model *model);
// What they say of inputs that a host sets.
void model_rate_inputs(const Model *model, ExprRates *rates);

#endif

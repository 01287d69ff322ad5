// system.h: a mechanical system: its names, and what there is of everything else.
//
// Everything symbolic is an expression in the model's pool, over these symbols: parameters, the
// time t, coordinates q, velocities q', accelerations q'' and multipliers. A declared speed is
// replaced by what it stands for; its own symbol is only in equations that are written in speeds.
#ifndef ZWANG_MODEL_SYSTEM_H
#define ZWANG_MODEL_SYSTEM_H

#include "base/memory.h"
#include "base/place.h"
#include "model/units.h"
#include "model/vector_types.h"

typedef struct ModelConstraint ModelConstraint; // constraint.h
typedef struct ModelDomain ModelDomain;         // domains.h
typedef struct ModelServo ModelServo;
typedef struct ModelFriction ModelFriction; // friction.h
typedef struct ModelPoint ModelPoint;       // model.h, as the others
typedef struct ModelMass ModelMass;
typedef struct ModelBody ModelBody;
typedef struct ModelSpring ModelSpring;
typedef struct ModelHold ModelHold;
typedef struct ModelForceAt ModelForceAt;
typedef struct ModelForceAlong ModelForceAlong;
typedef struct ModelTorque ModelTorque;
typedef struct ModelImpulse ModelImpulse;
typedef struct ModelEvent ModelEvent; // events.h
typedef struct ModelWhile ModelWhile; // whiles.h
typedef struct ModelWhole ModelWhole;
typedef struct ModelDraw ModelDraw;
typedef struct ModelStart ModelStart;

typedef struct {
    const char *name; // English spelling, as in files and on the command line
    Expr symbol;
    Expr value;    // an expression in earlier parameters; none where it must be set
    Expr signal;   // of an input that a host sets: its value before, in parameters and t; else none
    Expr rate;     // of such an input: a symbol, which has no value; none where it is held
    Expr radius;   // of the interval that it is given by, in parameters; none: a number
    bool is_state; // it has its value at the start, and events set it
    const ModelUnit *unit; // here and below: that it is shown in; NULL: none was given
    Dim dim;
    Place place;
} ModelParam;

// A function of the user's own. Where it has a body it stands nowhere in the model's expressions.
typedef struct {
    const char *name, *head; // "U", "U(x, y)"
    size_t arity;
    Expr *arguments, body; // symbols; none where the function is open, or a table
    bool tabled;           // its values are those of a table
    bool called;
    Place place;
} ModelFunction;

// Noise: its table, whose seed is made of parameters, and the time between two values.
typedef struct {
    struct ExprTable *table;
    Expr seed, step;
    Place seed_place, step_place;
} ModelNoise;

typedef struct {
    const struct ExprTable *table;
    Place place;
} ModelTable;

typedef struct {
    const char *name;
    Expr value; // in t and parameters
    Place place;
    const ModelUnit *unit;
    Dim dim;
} ModelInput;

typedef struct {
    const char *name;
    Expr q, v, a;  // the coordinate, q', q''
    bool is_state; // a continuous state: a condition gives its rate, and it has no displacement
    Place place;
    const ModelUnit *unit;
    Dim dim;
} ModelCoord;

typedef struct {
    const char *name;
    Expr u, rate; // symbols: the speed and its derivative
    Expr value;   // what it stands for, in q, q', t
    Place place;
    const ModelUnit *unit;
    Dim dim;
} ModelSpeed;

typedef struct {
    const char *name;
    Expr value;       // may hold accelerations and multipliers
    uint64_t domains; // of the text: domains.h
    Place place;
    const ModelUnit *unit;
    Dim dim;
} ModelOutput;

typedef struct {
    Expr to, every, tolerance; // in parameters; none where not given
    struct ModelEvent *until;  // the event that ends it; NULL for none
    const char *method;        // its name, which later rooms know; NULL: none is given
    Place method_place;
    bool paradox_impact; // whether the impact without collision is taken
    Place place;
} ModelRun;

typedef struct Model {
    Arena *arena;
    ExprPool *pool;
    const char *name;  // of the system; that of the file where it gives none
    const char *title; // "" where there is none
    Expr t;
    ExprRates *dt;    // d/dt over coordinates, velocities and t
    Vectors *vectors; // frames, and everything that has a direction
    ARRAY(ModelParam) params;
    size_t input_count; // of inputs; a host's and constant ones are among the parameters
    ARRAY(ModelInput) inputs;
    ARRAY(ModelNoise) noises;
    ARRAY(ModelTable) tables;
    ARRAY(ModelDomain) domains;
    size_t state_count; // of discrete states, which are among the parameters
    ARRAY(ModelFunction) functions;
    ARRAY(ModelCoord) coords; // continuous states are the last of them
    size_t rated_count;       // of these
    ARRAY(ModelSpeed) speeds;
    ARRAY(size_t) independent; // coordinates named by `independent`, in order
    Place independent_place;
    bool independent_asked;         // they were asked for in the place of those of the text:
    ARRAY(size_t) independent_said; // these
    ARRAY(ModelPoint) points;
    ARRAY(ModelMass) masses;
    ARRAY(ModelBody) bodies;
    ARRAY(ModelSpring) springs;
    ARRAY(ModelHold) holds;
    ARRAY(ModelForceAt) forces_at;
    ARRAY(ModelForceAlong) forces_along;
    ARRAY(ModelTorque) torques;
    ARRAY(ModelImpulse) impulses;
    ARRAY(ModelEvent) events; // in the order of the text; that of `until` is the last
    // For how long statements hold, and all that they could add: whiles.h.
    ARRAY(ModelWhile) whiles;
    ModelWhole *whole;
    bool rows_switch; // model_switch_rows was called
    ARRAY(ModelServo) servos;
    ARRAY(ModelFriction) frictions;
    ARRAY(ModelConstraint) sticks; // of the frictions: rows while they stick, no constraints
    ARRAY(ModelDraw) draws;
    bool draws_alone; // `draw none`: nothing is drawn besides
    ARRAY(ModelConstraint) constraints;
    ARRAY(struct ModelPairs) pairs; // conditions that are not among them: paired_conditions.h
    ARRAY(ModelStart) starts; // at most one for a target; a later setting has replaced an earlier
    ARRAY(ModelOutput) outputs;
    Expr kinetic;   // what `kinetic` lines add up to; 0 for none
    Expr potential; // likewise, without gravity
    Expr lagrangian, acceleration_energy, dissipation;
    Place acceleration_energy_place; // of its first statement
    Vector gravity;                  // the field, 0 where there is none
    bool units;                      // it has some: all dimensions are right
    bool reactions_act;              // a force or a bound of friction holds λ
    ModelRun run;
    struct Elaborator *names; // what every name means, for equations that are read later
} Model;

// The numbers of all parameters in order, evaluated. An error where one has no value or none
// that is a real number, and where a function is open: then nothing else has numbers.
BASE_MUST_USE Status model_param_values(const Model *model, Diag *diag, double *values);
// The same, whatever functions are open elsewhere.
BASE_MUST_USE Status model_param_numbers(const Model *model, Diag *diag, double *values);

#endif

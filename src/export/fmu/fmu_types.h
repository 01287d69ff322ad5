/* FMI 3.0, as far as this file needs it, in declarations of its own. With ZWANG_FMI3_HEADERS, or
   where the functions get a prefix, the standard's own headers are taken. */
#if defined ZWANG_FMI3_HEADERS || defined FMI3_FUNCTION_PREFIX
#include <fmi3Functions.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum {
    fmi3IntervalNotYetKnown,
    fmi3IntervalUnchanged,
    fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment,
                                               fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return,
                                               fmi3Boolean *return_requested,
                                               fmi3Float64 *return_time);
typedef void (*fmi3LockPreemptionCallback)();
typedef void (*fmi3UnlockPreemptionCallback)();

#if defined _WIN32 || defined __CYGWIN__
#define FMI3_Export __declspec(dllexport)
#elif defined __GNUC__
#define FMI3_Export __attribute__((visibility("default")))
#else
#define FMI3_Export
#endif
#endif

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of the model: sizes come first in this file. A value reference is a place in one row:
   t | parameters, discrete states and inputs | states | velocities | rates of the speeds |
   multipliers of conditions | of one-sided ones | energy, residuals, outputs, forces of friction |
   functions of events | speeds of sliding | modes of friction | event indicators. */
enum {
    STATES = MODEL_COORDINATES + MODEL_SPEEDS,
    QUANTITIES = 1 + MODEL_RESIDUALS + MODEL_OUTPUTS + MODEL_FORCE_PARTS + MODEL_EVENTS,
    AT_SWITCHES = MODEL_SIDES + MODEL_FRICTIONS + MODEL_SIGNS, /* among the indicators */
    AT_EVENTS = AT_SWITCHES + MODEL_SWITCHES, /* the functions of events, among them */
    INDICATORS = AT_EVENTS + MODEL_EVENTS,
    AT_PARAMETERS = 1,
    AT_STATES = AT_PARAMETERS + MODEL_PARAMETERS,
    AT_VELOCITIES = AT_STATES + STATES,
    AT_RATES = AT_VELOCITIES + MODEL_COORDINATES,
    AT_CONDITIONS = AT_RATES + MODEL_SPEEDS,
    AT_SIDES = AT_CONDITIONS + MODEL_CONDITIONS,
    AT_QUANTITIES = AT_SIDES + MODEL_SIDES,
    AT_SLIPS = AT_QUANTITIES + QUANTITIES,
    AT_TRIGGERS = AT_SLIPS - MODEL_EVENTS, /* functions of events */
    AT_MODES = AT_SLIPS + MODEL_FRICTIONS,
    AT_INDICATORS = AT_MODES + MODEL_FRICTIONS,
    VALUES = AT_INDICATORS + INDICATORS,
    /* What outputs may hold: multipliers, then of frictions forces, speeds and normal forces. */
    MULTIPLIERS = MODEL_CONDITIONS + MODEL_SIDES + MODEL_SLIDES + 2 * MODEL_FRICTIONS,
    /* What is known of a one-sided condition f <= 0: f, f', f'' without contacts, restitution, how
       f' changes with the speeds, how its reaction acts, how f changes with the coordinates. Behind
       them two-sided conditions f = 0 that hold for a while, the same of them, and rows that slide,
       with the velocity of sliding for f'. */
    SIDE_F = 0,
    SIDE_RATE,
    SIDE_PHI,
    SIDE_RESTITUTION,
    SIDE_ROW,
    SIDE_PUSH = SIDE_ROW + MODEL_SPEEDS,
    SIDE_GRADIENT = SIDE_PUSH + MODEL_UNKNOWNS,
    /* What its reaction acts along, by coordinates: of servos something else. */
    SIDE_ALONG = SIDE_GRADIENT + (MODEL_DIRECTED ? MODEL_COORDINATES : 0),
    SIDE_SIZE = SIDE_ALONG + MODEL_COORDINATES,
    /* Behind all rows: the matrix of the equations, whose first unknowns are the rates of the
       speeds; how velocities change with these; of each friction its bound while it slides, while
       it sticks (both by the pressing reaction), and the normal force by that. */
    AT_INERTIA = MODEL_ROWS * SIDE_SIZE,
    AT_BASIS = AT_INERTIA + MODEL_UNKNOWNS * MODEL_UNKNOWNS,
    AT_BOUNDS = AT_BASIS + MODEL_COORDINATES * MODEL_SPEEDS,
    SIDE_VALUES = AT_BOUNDS + 3 * MODEL_FRICTIONS,
    MOST_CONTACTS = 8, /* that touch at once */
    MOST_SLIDES = MODEL_SLIDES < 24 ? MODEL_SLIDES : 24,
    MOST_ROWS = MOST_CONTACTS + MODEL_SIDES - MODEL_ONE_SIDED + MOST_SLIDES,
    MOST_UNITS = MOST_ROWS,
    MOST_COMBINATIONS = 70000,
    MOST_BOUNDS = 4 * MOST_ROWS + 80,
    /* The fields of model_friction_table. */
    FRICTION_FIRST = 0,                     /* of its rows, among those that slide */
    FRICTION_WIDTH,                         /* rows: 1 or 2 */
    FRICTION_SIDE,                          /* the one-sided condition that presses, or -1 */
    FRICTION_PRESSES,                       /* how many equations do, */
    FRICTION_CONDITION,                     /* which these are, up to three, */
    FRICTION_SIGN = FRICTION_CONDITION + 3, /* and the indicator of one's sign, or -1 */
    FRICTION_LAW, /* it is along a coordinate or against a velocity: its speed has a sign */
    /* Modes of a friction. */
    OPEN = 0,
    STICKS,
    FORWARD,
    BACKWARD,
    TURNS,
    /* The fields of model_event_table, and what fires an event. */
    EVENT_TRIGGER = 0,
    EVENT_DIRECTION,
    EVENT_EQUATION,
    EVENT_LABEL, /* the one-sided condition or friction whose changes fire it */
    ON_CROSSING = 0,
    ON_TRUE,
    ON_IMPACT,
    ON_CONTACT,
    ON_RELEASE,
    ON_STICK,
    ON_SLIP,
    ON_SAMPLE,       /* at times that are known before */
    IN_ANY_CASE = 2, /* of an event that is due: whatever it waits for */
    /* Those of model_action_table, and of model_set_table. */
    ACTION_EVENT = 0,
    ACTION_KIND,
    ACTION_FIRST, /* among what is set */
    ACTION_SETS,
    ACTION_OUTPUT, /* of an impulse */
    ACTION_SET = 0,
    ACTION_IMPULSE,
    ACTION_STOP,
    ACTION_RECORD,
    SET_OF = 0,
    SET_TARGET,
    SET_OUTPUT,
    SET_COORDINATE = 0,
    SET_VELOCITY,
    SET_SPEED,
    SET_STATE
};

/* What acts. */
typedef struct {
    unsigned char acts[MODEL_SIDES + MODEL_FRICTIONS + 1]; /* what it waits for holds */
    unsigned char held[MODEL_SIDES + 1];                   /* of two-sided ones: those that act */
    unsigned char mode[MODEL_FRICTIONS + 1];
    unsigned char pulls[MODEL_FRICTIONS + 1]; /* the pressing reaction is negative */
    double toward[2 * MODEL_FRICTIONS + 2];   /* which way it slides in two directions */
    unsigned char without[MODEL_ROWS + 1];    /* rows that follow from others: no equations */
} Modes;

/* What a saved state holds. */
typedef struct {
    model_params p;
    model_state y;
    double t, step, impulses_until;
    double struck;                  /* when something was struck last */
    double noise;                   /* the errors of a host's integrator, as parts */
    double offset[AT_SWITCHES + 1]; /* what an indicator leaves to rounding */
    double reach[MODEL_SIDES + 1];  /* the largest |f| so far */
    double fast[MODEL_ROWS + 2];    /* the largest |f'| or |u| so far */
    double fastest;                 /* the largest speed so far, where there are rows */
    Modes modes;
    unsigned char given[MODEL_PARAMETERS + 1]; /* inputs that the host has set */
    double size[MODEL_EVENTS + 1];             /* the largest value of each event's function */
    signed char sign[MODEL_EVENTS + 1];        /* on which side of 0 it is; 0: at it */
    unsigned char due[MODEL_EVENTS + 1];
    double sampled[MODEL_EVENTS + 1]; /* which instant of a sample comes next */
    unsigned char waits[MODEL_EVENTS + 1], computes[MODEL_EVENTS + 1];
    double held[MODEL_ACTIONS + 1]; /* what samples with a delay have computed */
    int phase, changed, started, stopped;
} Kept;

typedef struct {
    Kept now;
    int co_simulation, fresh, logging;
    double values[VALUES];
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Instance;

static fmi3Status say(const Instance *instance, fmi3Status status, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (instance->log)
        instance->log(instance->environment, status, "logStatusError", message);
    return status;
}

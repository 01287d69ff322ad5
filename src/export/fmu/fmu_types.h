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
   t | parameters and inputs | states | velocities | rates of the speeds | multipliers of conditions
   | of one-sided ones | energy, residuals, outputs | event indicators. */
enum {
    STATES = MODEL_COORDINATES + MODEL_SPEEDS,
    QUANTITIES = 1 + MODEL_RESIDUALS + MODEL_OUTPUTS,
    INDICATORS = MODEL_SIDES + MODEL_SWITCHES,
    AT_PARAMETERS = 1,
    AT_STATES = AT_PARAMETERS + MODEL_PARAMETERS,
    AT_VELOCITIES = AT_STATES + STATES,
    AT_RATES = AT_VELOCITIES + MODEL_COORDINATES,
    AT_CONDITIONS = AT_RATES + MODEL_SPEEDS,
    AT_SIDES = AT_CONDITIONS + MODEL_CONDITIONS,
    AT_QUANTITIES = AT_SIDES + MODEL_SIDES,
    AT_INDICATORS = AT_QUANTITIES + QUANTITIES,
    VALUES = AT_INDICATORS + INDICATORS,
    /* What is known of a one-sided condition f <= 0: f, f', f'' without contacts, restitution, how
       f' changes with the speeds, how its reaction acts, how f changes with the coordinates. */
    SIDE_F = 0,
    SIDE_RATE,
    SIDE_PHI,
    SIDE_RESTITUTION,
    SIDE_ROW,
    SIDE_PUSH = SIDE_ROW + MODEL_SPEEDS,
    SIDE_GRADIENT = SIDE_PUSH + MODEL_UNKNOWNS,
    SIDE_SIZE = SIDE_GRADIENT + MODEL_COORDINATES,
    /* Behind all sides: the matrix of the equations, whose first unknowns are the rates of the
       speeds, and how velocities change with these. */
    AT_INERTIA = MODEL_SIDES * SIDE_SIZE,
    AT_BASIS = AT_INERTIA + MODEL_UNKNOWNS * MODEL_UNKNOWNS,
    SIDE_VALUES = AT_BASIS + MODEL_COORDINATES * MODEL_SPEEDS,
    MOST_CONTACTS = 8 /* that touch at once */
};

/* What a saved state holds. */
typedef struct {
    model_params p;
    model_state y;
    double t, step, impulses_until;
    double noise;                   /* the errors of a host's integrator, as parts */
    double offset[MODEL_SIDES + 1]; /* what an indicator leaves to rounding */
    double reach[MODEL_SIDES + 1];  /* the largest |f| so far */
    double fast[MODEL_SIDES + 1];   /* the largest |f'| so far */
    unsigned char held[MODEL_SIDES + 1];
    unsigned char given[MODEL_PARAMETERS + 1]; /* inputs that the host has set */
    int phase, changed;
} Kept;

/* Everything at an instant. */
typedef struct {
    model_state rate;
    double side[SIDE_VALUES + 1], lambda[MODEL_SIDES + 1];
    double push[MODEL_UNKNOWNS + 1]; /* what contacts take from the unknowns */
    double acceleration[MODEL_COORDINATES + 1];
    double b[MODEL_CONDITIONS * MODEL_COORDINATES + 1], rest[MODEL_COORDINATES + 1];
    double multiplier[MODEL_CONDITIONS + MODEL_SIDES + 1];
} Instant;

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

// native.h: programs as C: printed, compiled by the system's compiler, kept in a cache, loaded.
//
// Apart from program.h because few need it. Printing is pure; the rest speaks to the system.
#ifndef ZWANG_PROGRAM_NATIVE_H
#define ZWANG_PROGRAM_NATIVE_H

#include "program/program.h"

// ---- print_c.c: a program as C text. Constants read back bit for bit, every operation is the
// interpreter's own expression, and their order is kept, so that both give the same numbers.

// A programming language, as far as statements differ in it.
enum { PROGRAM_MOST_WORDS = 24 };
typedef struct {
    const char *indent;                       // what a statement begins with
    const char *definition;                   // what stands before the name of a new value
    const char *end;                          // of a statement
    const char *words[PROGRAM_MOST_WORDS][2]; // C's, and this language's; the last is NULL
} ProgramTongue;
// The statements alone: they read what `inputs` name, define values v0, v1, … and assign to what
// `outputs` name.
void program_print(const Program *program, const ProgramTongue *tongue, const char *const *inputs,
                   const char *const *outputs, Text *out);
// What the statements call and the C library does not have, as static functions.
void program_print_c_helpers(const char *real, Text *out);
// `void NAME(const double *in, double *out, const double *c)`, where c are the program's constants:
// those are read there whose numbers come from parameters. A long program is cut into several
// functions.
void program_print_c(const Program *program, const char *name, Text *out);
// Whether it looks into tables; all tables of its pool, before the programs that do.
bool program_has_tables(const Program *program);
// Whether noise is among them, which has no text.
bool program_has_noise(const Program *program);
typedef struct ExprTables ExprTables;
void program_print_c_tables(const ExprTables *tables, Text *out);

// ---- print_flow.c: y' = f(y) as C text that expands the motion in a power series of time.
//
// Input i changes at the rate that output rates[i] gives, or at one of these.
enum {
    PROGRAM_RATE_NONE = -1, // it is constant
    PROGRAM_RATE_ONE = -2,  // it is the time
    // − i: it is output i, which is linear in what all that is found without such inputs comes to.
    // Of every order the program is worked out with 0 in their place; then what depends on them is
    // set right. They are the last inputs, and no part of the state.
    PROGRAM_RATE_SOLVED = -3
};
// Inputs that are parts of the state.
size_t program_flow_width(const int *rates, size_t count);
// The sums over all orders that a series takes; SIZE_MAX: what depends on solved inputs is not
// linear in them.
size_t program_flow_sums(const Program *program, const int *rates);
// Three functions, for program_flow_begin, program_flow_run and program_flow_sum; orders are not
// above most_order:
//     void NAME_begin(const double *y, double *work, double *out)
//     int NAME(double *y, long order, double *work)
//     void NAME_sum(const double *y, long order, double s, double *sum, double *slope)
// Returns how many numbers `work` holds. From *constants on it holds the program's constants: those
// are read there whose numbers come from parameters.
size_t program_print_c_flow(const Program *program, const int *rates, size_t most_order,
                            const char *name, size_t *constants, Text *out);

// ---- compile.c: C text becomes a loaded object, by way of the cache. The same text, compiler
// and options are compiled once; a damaged or foreign file in the cache is made anew.
typedef struct NativeCode NativeCode;
typedef enum {
    NATIVE_EXACT, // no operation is fused or moved: the interpreter's numbers, bit for bit
    NATIVE_FAST,  // for the processor at hand; operations are fused where the text says so
    // The same of long texts: a compiler that tries less is quicker, and the code hardly slower.
    NATIVE_EXACT_LONG,
    NATIVE_FAST_LONG,
    // Of long power series: it tries still less, and the code is as good: they wait for memory.
    NATIVE_SERIES_LONG,
    // For others: the interpreter's numbers, and only what the text exports can be seen.
    NATIVE_LIBRARY,
    NATIVE_LIBRARY_LONG
} NativeKind;
// Operations beyond which a text is long, about half a second for the compiler; and beyond which
// nobody waits for it unasked.
enum { NATIVE_LONG = 1000, NATIVE_QUICK = 5000 };
typedef enum {
    NATIVE_FIND,   // from the cache alone
    NATIVE_COMPILE // by the compiler where the cache does not have it, which is waited for
} NativeHow;
// What it takes to load what is compiled, as a part of what compiling takes.
#define NATIVE_LOAD_PART 0.02
// NULL where there is no such thing to be had; `why` then gets one line, unless it was looked for
// in the cache alone.
NativeCode *native_code_new(const char *source, NativeKind kind, NativeHow how, Text *why);
// The bytes of the shared object; false where it cannot be made.
bool native_object(const char *source, NativeKind kind, Text *object, Text *why);
void native_code_free(NativeCode *code);
void *native_code_symbol(const NativeCode *code, const char *name); // NULL: not there

// While a compiler runs this is asked, every few hundredths of a second, whether to wait on; where
// not, the compiler is ended with all that it has started. It is for the thread that sets it; NULL:
// nobody is asked.
void program_native_wait(bool (*goes_on)(void *context), void *context);

// Compilers that run beside us, to fill the cache. What they do not bring to an end is left out;
// what is to be had is seen by NATIVE_FIND.
typedef struct NativeJobs NativeJobs;
NativeJobs *native_jobs_new(void);
// False where it cannot be started, or there is no cache that lasts.
bool native_jobs_add(NativeJobs *jobs, const char *source, NativeKind kind);
// Whether all have ended; never waits.
bool native_jobs_ended(NativeJobs *jobs);
void native_jobs_free(NativeJobs *jobs); // ends those that are at work

// ---- native.c: programs compiled together.
typedef struct ProgramNative ProgramNative;
// The programs must outlive it.
ProgramNative *program_native_new(const Program *const *programs, size_t count, NativeHow how,
                                  Text *why);
bool program_native_start(const Program *const *programs, size_t count, NativeJobs *jobs);
void program_native_free(ProgramNative *native);
// The `which`-th of them, as program_run_real.
void program_native_run(const ProgramNative *native, size_t which, const double *inputs,
                        double *outputs);

// ---- flow_native.c: the power series of y' = f(y), interpreted, or compiled for the processor at
// hand: the same numbers, bit for bit.
typedef struct ProgramFlow ProgramFlow;
ProgramFlow *program_flow_new(const Program *program, const int *rates, size_t most_order);
void program_flow_free(ProgramFlow *flow);
// After the program's parameters have changed: a series is to be begun anew.
void program_flow_renew(ProgramFlow *flow);
// From now on compiled; a series that was begun is to be begun anew. False where it cannot be had,
// where functions switch (program_has_switches), or where it would take too long to compile.
bool program_flow_compile(ProgramFlow *flow, NativeHow how, Text *why);
// Starts what that needs, where it needs anything; false where that fails.
bool program_flow_start(const ProgramFlow *flow, NativeJobs *jobs);
// How many rows of inputs a table for this order holds. Orders that 4 divides waste nothing.
size_t program_flow_rows(size_t order);
// Order 0: the program's outputs from its inputs; a series may begin there.
void program_flow_begin(ProgramFlow *flow, const double *inputs, double *outputs);
// The other orders of the series begun last, whose inputs are row 0 of `table`; rows 1 … order get
// their coefficients of those orders. A row has as many numbers as the state has parts; what stands
// in rows beyond `order` is undefined. Returns how many of them are finite, in a row.
// Coefficients are those of powers of t/unit, a power of two: 1, but where others overflow; then
// the interpreter finds them.
size_t program_flow_run(ProgramFlow *flow, size_t order, double unit, double *table);
// For every input, from a table with coefficients up to `order`, which is above 0: what it gains in
// a time s, Σ y_k·s^k for k > 0, and its rate there.
void program_flow_sum(const ProgramFlow *flow, const double *table, size_t order, double s,
                      double *sums, double *slopes);
// Of the first `count` columns of a table of so many orders, from which on up to three numbers are
// read too: Σ k·(k − 1)·|y_k|·s^k, which bounds s² times their second derivative.
void program_bends(const double *table, size_t width, size_t count, size_t order, double s,
                   double *most);

#endif

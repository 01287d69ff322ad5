// units.h: units of quantities, and the dimensions that they measure.
//
// All numbers of a model are in SI units. A unit that was declared says in what a quantity is
// shown.
#ifndef ZWANG_MODEL_UNITS_H
#define ZWANG_MODEL_UNITS_H

#include "base/base.h"

// The powers of kg, m, s, A, K, mol and cd in a quantity, in parts of DIM_WHOLE, so that roots are
// whole numbers; none of a pure number. `any` is the dimension of 0, which fits all.
enum { DIM_BASES = 7, DIM_WHOLE = 840 };
typedef struct {
    int32_t of[DIM_BASES];
    bool any;
} Dim;

Dim dim_pure(void);
Dim dim_any(void);
Dim dim_of(int kg, int m, int s);
Dim dim_times(Dim a, Dim b);
Dim dim_over(Dim a, Dim b);
// The power up/down; false where it has none that can be held.
bool dim_power(Dim a, int64_t up, int64_t down, Dim *power);
bool dim_is_pure(Dim a);
// Whether both may be added: they are the same, or one is that of 0.
bool dim_fits(Dim a, Dim b);
// In words for a message, "an energy (kg m^2/s^2)".
void dim_add_words(Dim dim, Text *out);
// The SI unit of it in the language, "kg*m^2/s^2", or N, J, W … where it has a name; "1" of a pure
// number.
void dim_add_unit(Dim dim, Text *out);

// A unit, as it was typed. A value in it is the number in SI units over `scale`.
typedef struct ModelUnit {
    const char *text;
    double scale;
    Dim dim;
} ModelUnit;

// ---- What is typed.
typedef struct {
    Dim dim;
    int pi;             // the power of pi in it
    int64_t ten;        // and of 10
    double scale;       // its size in SI units
    const char *plural; // its name where it is one word of the table, else NULL
    // Its other factors: rows of the table, with their powers.
    struct {
        int row, power;
    } factors[16];
    size_t factor_count;
} UnitReading;

// Reads a unit such as km/h. False where it is none: `wrong` is the word in it that is no unit, or
// all of it.
bool unit_read(Str text, UnitReading *unit, Str *wrong);
// Adds the unit that was meant by one that is none; nothing where no one knows.
void unit_add_meant(Str text, Str wrong, Text *out);
// The row's exact size, "0.3048" or "1/180".
const char *unit_row_value(int row);
// Every word of the table in turn; NULL behind the last.
const char *unit_word(size_t index);

struct Model;
// In what a column of a run is shown ("impulse.NAME" is the impulse of a condition, "momentum.NAME"
// that of a coordinate), and the SI unit that its numbers have; false where nothing is
// known of it: the model has no units, or there is no such column.
typedef struct {
    ModelUnit shown;
    const char *si; // of the model's own storage
} ColumnUnit;
bool model_column_unit(const struct Model *model, const char *column, ColumnUnit *unit);

#endif

// table_rules.h: the pieces of tables and of noise, in plain C: a part of tables.c, and as text of
// compiled programs and exported code.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_LINEAR, TABLE_CUBIC, TABLE_PREVIOUS, TABLE_NORMAL, TABLE_UNIFORM };
enum { TABLE_ENDS, TABLE_HOLDS, TABLE_REPEATS };
enum { TABLE_START = 4, TABLE_COLUMNS = 8 };

typedef struct {
    int kind, beyond;
    size_t count;                  // of knots, at least 2
    const double *knots;           // rising
    const double *coefficients[4]; // of (u − start)^j of the pieces between knots; NULL: 0
    uint64_t seed;                 // of noise
    double step, denominator;      // of it: between knots; of the fraction that this is, or 0
} TableNumbers;

// ---- Noise, whose numbers stand elsewhere.

static inline int table_is_noise(const TableNumbers *table)
{
    return table->kind == TABLE_NORMAL || table->kind == TABLE_UNIFORM;
}

// The double nearest to so many steps.
static inline double table_noise_knot(const TableNumbers *table, double count)
{
    double denominator = table->denominator;
    return denominator > 0 ? count * nearbyint(table->step * denominator) / denominator
                           : count * table->step;
}

static inline double table_noise_piece(const TableNumbers *table, double u)
{
    double count = floor(u / table->step);
    while (table_noise_knot(table, count) > u)
        count--;
    while (table_noise_knot(table, count + 1) <= u)
        count++;
    return count;
}

// ---- Pieces. They are numbered from 0; before the first knot of a table that holds its values
// lies piece −1. Of one that repeats itself the numbers go on.

static inline double table_knot(const TableNumbers *table, double round, size_t knot)
{
    return table->knots[knot] + round * (table->knots[table->count - 1] - table->knots[0]);
}

// The last knot of a round, but for its end, that is not beyond u.
static inline size_t table_last_knot(const TableNumbers *table, double round, double u)
{
    size_t low = 0, high = table->count - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(table_knot(table, round, middle) <= u ? &low : &high) = middle;
    }
    return low;
}

static inline double table_repeated_piece(const TableNumbers *table, double u)
{
    double from = table->knots[0], period = table->knots[table->count - 1] - from;
    double round = floor((u - from) / period);
    // Rounding may have put it beyond an end.
    while (table_knot(table, round, 0) > u)
        round--;
    while (table_knot(table, round + 1, 0) <= u)
        round++;
    return round * (double)(table->count - 1) + (double)table_last_knot(table, round, u);
}

// The number of the piece with u in it, which has its beginning and not its end; that of a table
// that ends has its last knot too. No number beyond such a table.
static inline double table_piece_of(const TableNumbers *table, double u)
{
    int holds = table->beyond == TABLE_HOLDS;
    if (!isfinite(u))
        return NAN;
    if (table_is_noise(table))
        return table_noise_piece(table, u);
    if (table->beyond == TABLE_REPEATS)
        return table_repeated_piece(table, u);
    size_t last = table->count - 1;
    if (u < table->knots[0])
        return holds ? -1 : NAN;
    if (u < table->knots[last])
        return (double)table_last_knot(table, 0, u);
    if (!holds && u > table->knots[last])
        return NAN;
    return holds || table->kind == TABLE_PREVIOUS ? (double)last : (double)last - 1;
}

// The number of a piece in a column: a coefficient, or where it starts. Beyond the ends of a table
// that holds its values the pieces are constant.
static inline double table_column_of(const TableNumbers *table, double piece, int column)
{
    if (isnan(piece))
        return NAN;
    if (table_is_noise(table))
        return column == TABLE_START ? table_noise_knot(table, piece) : 0;
    double last = (double)table->count - 1;
    double round = table->beyond == TABLE_REPEATS ? floor(piece / last) : 0,
           at = piece - round * last;
    size_t index = (size_t)(at < 0 ? 0 : at);
    if (column == TABLE_START)
        return table_knot(table, round, index);
    if (!table->coefficients[column] || ((at < 0 || at >= last) && column > 0))
        return 0;
    return table->coefficients[column][index];
}

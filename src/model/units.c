// units.c: the table of units, how one is read, and dimensions.
#include "model/units.h"
#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Dimensions.

Dim dim_pure(void)
{
    return (Dim){.any = false};
}

Dim dim_any(void)
{
    return (Dim){.any = true};
}

Dim dim_of(int kg, int m, int s)
{
    return (Dim){.of = {kg * DIM_WHOLE, m * DIM_WHOLE, s * DIM_WHOLE}};
}

static Dim combine(Dim a, Dim b, int sign)
{
    if (a.any || b.any)
        return dim_any();
    for (int i = 0; i < DIM_BASES; i++)
        a.of[i] += sign * b.of[i];
    return a;
}

Dim dim_times(Dim a, Dim b)
{
    return combine(a, b, 1);
}

Dim dim_over(Dim a, Dim b)
{
    return combine(a, b, -1);
}

bool dim_power(Dim a, int64_t up, int64_t down, Dim *power)
{
    enum { MOST = 1000 * DIM_WHOLE }; // far beyond what quantities have
    *power = a;
    for (int i = 0; i < DIM_BASES && !a.any; i++) {
        if (llabs(up) > MOST || down <= 0 || down > MOST)
            return dim_is_pure(a);
        int64_t part = (int64_t)a.of[i] * up;
        if (part % down != 0 || llabs(part / down) > MOST)
            return false;
        power->of[i] = (int32_t)(part / down);
    }
    return true;
}

bool dim_is_pure(Dim a)
{
    for (int i = 0; i < DIM_BASES; i++)
        if (a.of[i] != 0)
            return false;
    return true;
}

bool dim_fits(Dim a, Dim b)
{
    return a.any || b.any || memcmp(a.of, b.of, sizeof a.of) == 0;
}

// ---- In words.

static const char *const bases[DIM_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd"};

static const struct {
    const char *words, *unit; // the unit where it has a name of its own
    int of[4];                // kg, m, s, A
} quantities[] = {
    {"a length", "m", {0, 1, 0, 0}},
    {"a mass", "kg", {1, 0, 0, 0}},
    {"a time", "s", {0, 0, 1, 0}},
    {"a current", "A", {0, 0, 0, 1}},
    {"an area", "m^2", {0, 2, 0, 0}},
    {"a volume", "m^3", {0, 3, 0, 0}},
    {"a frequency or angular velocity", "1/s", {0, 0, -1, 0}},
    {"an angular acceleration", "1/s^2", {0, 0, -2, 0}},
    {"a velocity", "m/s", {0, 1, -1, 0}},
    {"an acceleration", "m/s^2", {0, 1, -2, 0}},
    {"a momentum", "N*s", {1, 1, -1, 0}},
    {"an angular momentum", "N*m*s", {1, 2, -1, 0}},
    {"a moment of inertia", "kg*m^2", {1, 2, 0, 0}},
    {"a force", "N", {1, 1, -2, 0}},
    {"an energy", "J", {1, 2, -2, 0}},
    {"a power", "W", {1, 2, -3, 0}},
    {"a pressure", "Pa", {1, -1, -2, 0}},
    {"a stiffness", "N/m", {1, 0, -2, 0}},
    {"a damping", "N*s/m", {1, 0, -1, 0}},
    {"a mass times a length", "kg*m", {1, 1, 0, 0}},
    {"a mass per length", "kg/m", {1, -1, 0, 0}},
    {"a mass per volume", "kg/m^3", {1, -3, 0, 0}},
    {"an energy of acceleration", "W/s", {1, 2, -4, 0}},
    {"a charge", "A*s", {0, 0, 1, 1}},
    {"a voltage", "V", {1, 2, -3, -1}},
    {"a resistance", "ohm", {1, 2, -3, -2}},
};

static int find_quantity(Dim dim)
{
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        bool same = true;
        for (int k = 0; k < DIM_BASES; k++)
            same = same && dim.of[k] == (k < 4 ? quantities[i].of[k] * DIM_WHOLE : 0);
        if (same)
            return (int)i;
    }
    return -1;
}

static void add_power(int32_t part, Text *out)
{
    int32_t down = DIM_WHOLE, up = part;
    for (int32_t by = 2; by <= 8; by++)
        while (up % by == 0 && down % by == 0)
            up /= by, down /= by;
    if (down != 1)
        text_addf(out, "^(%d/%d)", up, down);
    else if (up != 1)
        text_addf(out, "^%d", up);
}

// kg m^2/s^2, with this between factors.
static void add_product(Dim dim, const char *times, Text *out)
{
    bool above = false;
    for (int i = 0; i < DIM_BASES; i++) {
        if (dim.of[i] <= 0)
            continue;
        text_addf(out, "%s%s", above ? times : "", bases[i]);
        add_power(dim.of[i], out);
        above = true;
    }
    if (!above)
        text_add(out, "1");
    for (int i = 0; i < DIM_BASES; i++) {
        if (dim.of[i] >= 0)
            continue;
        text_addf(out, "/%s", bases[i]);
        add_power(-dim.of[i], out);
    }
}

void dim_add_words(Dim dim, Text *out)
{
    if (dim_is_pure(dim)) {
        text_add(out, "a pure number");
        return;
    }
    int quantity = find_quantity(dim);
    text_add(out, quantity < 0 ? "a quantity" : quantities[quantity].words);
    text_add(out, quantity < 0 ? " in " : " (");
    add_product(dim, " ", out);
    text_add(out, quantity < 0 ? "" : ")");
}

void dim_add_unit(Dim dim, Text *out)
{
    int quantity = find_quantity(dim);
    if (quantity >= 0)
        text_add(out, quantities[quantity].unit);
    else
        add_product(dim, "*", out);
}

// ---- The table.

static const struct {
    const char *word, *plural, *value;
    int pi;
    bool prefixes;
    int of[DIM_BASES];
} units[] = {
#define UNIT(word, plural, value, pi, prefixes, ...)                                               \
    {word, plural, value, pi, prefixes, {__VA_ARGS__}},
#include "model/units.def"
#undef UNIT
};
enum { UNIT_COUNT = sizeof units / sizeof *units };

static const struct {
    const char *word;
    int power;
} prefixes[] = {{"Y", 24},  {"Z", 21},  {"E", 18},  {"P", 15}, {"T", 12}, {"G", 9},
                {"M", 6},   {"k", 3},   {"h", 2},   {"da", 1}, {"d", -1}, {"c", -2},
                {"m", -3},  {"u", -6},  {"µ", -6},  {"μ", -6}, {"n", -9}, {"p", -12},
                {"f", -15}, {"a", -18}, {"z", -21}, {"y", -24}};

const char *unit_word(size_t index)
{
    return index < UNIT_COUNT ? units[index].word : NULL;
}

const char *unit_row_value(int row)
{
    return units[row].value;
}

static int find_row(Str word)
{
    for (int i = 0; i < UNIT_COUNT; i++)
        if (str_is(word, units[i].word))
            return i;
    return str_is(word, "Ω") || str_is(word, "Ω") ? find_row(str_of("ohm")) : -1;
}

// A row, and the power of 10 before it.
static int find_word(Str word, int *ten)
{
    *ten = 0;
    int row = find_row(word);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && row < 0; i++) {
        size_t length = strlen(prefixes[i].word);
        if (word.length <= length || memcmp(word.at, prefixes[i].word, length) != 0)
            continue;
        row = find_row((Str){word.at + length, word.length - length});
        if (row >= 0 && !units[row].prefixes)
            row = -1;
        *ten = prefixes[i].power;
    }
    return row;
}

static double row_scale(int row)
{
    const char *slash = strchr(units[row].value, '/');
    double value, divisor = 1;
    decimal_read(units[row].value, strlen(units[row].value), &value);
    if (slash)
        decimal_read(slash + 1, strlen(slash + 1), &divisor);
    return value / divisor;
}

// ---- Reading.

static const double pi = 3.14159265358979323846;

static bool take_factor(UnitReading *unit, Str word, int power)
{
    int ten, row = find_word(word, &ten);
    enum { MOST = sizeof unit->factors / sizeof *unit->factors, MOST_POWER = 99 };
    if (row < 0 || unit->factor_count == MOST || abs(power) > MOST_POWER)
        return false;
    unit->factors[unit->factor_count].row = row;
    unit->factors[unit->factor_count++].power = power;
    unit->plural = unit->factor_count == 1 && power == 1 && ten == 0 ? units[row].plural : NULL;
    unit->ten += (int64_t)ten * power;
    unit->pi += units[row].pi * power;
    unit->scale *= pow(row_scale(row) * pow(pi, units[row].pi), power);
    for (int i = 0; i < DIM_BASES; i++)
        unit->dim.of[i] += units[row].of[i] * power * DIM_WHOLE;
    return true;
}

// ^-2, or digits above the line, from text.at on; how many bytes.
static size_t read_power(Str text, int *power)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t at = 0;
    int sign = 1, value = 0;
    bool digits = false;
    *power = 1;
    if (text.length > 1 && text.at[0] == '^') {
        at = 1;
        if (text.at[at] == '-')
            sign = -1, at++;
        else if (text.length > 4 && memcmp(text.at + at, "−", 3) == 0)
            sign = -1, at += 3;
        for (; at < text.length && text.at[at] >= '0' && text.at[at] <= '9' && value < 1000; at++)
            value = 10 * value + (text.at[at] - '0'), digits = true;
    } else {
        if (text.length > 3 && memcmp(text.at, "⁻", 3) == 0)
            sign = -1, at = 3;
        for (bool more = true; more && value < 1000;) {
            more = false;
            for (int d = 0; d < 10; d++) {
                size_t length = strlen(raised[d]);
                if (text.length - at < length || memcmp(text.at + at, raised[d], length) != 0)
                    continue;
                value = 10 * value + d;
                digits = more = true;
                at += length;
                break;
            }
        }
    }
    if (!digits)
        return 0;
    *power = sign * value;
    return at;
}

static bool is_mark(Str text, size_t at, size_t *length)
{
    *length = 1;
    if (text.at[at] == '*' || text.at[at] == '/' || text.at[at] == '(' || text.at[at] == ')' ||
        text.at[at] == '^')
        return true;
    *length = 2;
    if (text.length - at >= 2 &&
        (memcmp(text.at + at, "·", 2) == 0 || memcmp(text.at + at, "²", 2) == 0 ||
         memcmp(text.at + at, "³", 2) == 0 || memcmp(text.at + at, "¹", 2) == 0))
        return true;
    *length = 3;
    return text.length - at >= 3 &&
           (memcmp(text.at + at, "⋅", 3) == 0 || memcmp(text.at + at, "\xE2\x81", 2) == 0);
}

bool unit_read(Str text, UnitReading *unit, Str *wrong)
{
    enum { MOST_OPEN = 8 };
    int signs[MOST_OPEN] = {1}, open = 0, sign = 1;
    size_t at = 0, length;
    *unit = (UnitReading){.scale = 1};
    *wrong = text;
    if (text.length > 2 && text.at[0] == '1' && text.at[1] == '/')
        sign = -1, at = 2;
    else if (str_is(text, "1"))
        return true;
    while (at < text.length) {
        for (; at < text.length && text.at[at] == '('; at++) {
            if (++open == MOST_OPEN)
                return false;
            signs[open] = signs[open - 1] * sign;
            sign = 1;
        }
        size_t start = at;
        while (at < text.length && !is_mark(text, at, &length))
            at++;
        Str word = {text.at + start, at - start};
        int power;
        at += read_power((Str){text.at + at, text.length - at}, &power);
        if (word.length == 0)
            return false;
        if (!take_factor(unit, word, power * sign * signs[open])) {
            *wrong = word;
            return false;
        }
        while (open > 0 && at < text.length && text.at[at] == ')')
            open--, at++;
        if (at == text.length)
            break;
        if (!is_mark(text, at, &length) || text.at[at] == '(' || text.at[at] == ')' ||
            text.at[at] == '^')
            return false;
        sign = text.at[at] == '/' ? -1 : 1;
        at += length;
        if (at == text.length)
            return false;
    }
    unit->scale *= pow(10, (double)unit->ten);
    return open == 0;
}

// ---- What was meant.

static const struct {
    const char *typed, *meant;
} synonyms[] = {
    {"kmh", "km/h"},    {"kph", "km/h"},    {"kmph", "km/h"},    {"mps", "m/s"},
    {"ms2", "m/s^2"},   {"sec", "s"},       {"second", "s"},     {"seconds", "s"},
    {"msec", "ms"},     {"hr", "h"},        {"hour", "h"},       {"hours", "h"},
    {"minute", "min"},  {"minutes", "min"}, {"meter", "m"},      {"metre", "m"},
    {"meters", "m"},    {"metres", "m"},    {"micron", "um"},    {"gram", "g"},
    {"grams", "g"},     {"kilogram", "kg"}, {"kilograms", "kg"}, {"Kg", "kg"},
    {"KG", "kg"},       {"kgs", "kg"},      {"Nm", "N*m"},       {"Nms", "N*m*s"},
    {"Ns", "N*s"},      {"kgm2", "kg*m^2"}, {"kgm", "kg*m"},     {"degree", "deg"},
    {"degrees", "deg"}, {"radian", "rad"},  {"radians", "rad"},  {"rads", "rad/s"},
    {"RPM", "rpm"},     {"in", "inch"},     {"inches", "inch"},  {"feet", "ft"},
    {"foot", "ft"},     {"lbs", "lb"},      {"pound", "lb"},     {"pounds", "lb"},
    {"Ohm", "ohm"},     {"ohms", "ohm"},    {"newton", "N"},     {"Newton", "N"},
    {"joule", "J"},     {"watt", "W"},      {"pascal", "Pa"},    {"hertz", "Hz"},
    {"HZ", "Hz"},       {"hz", "Hz"},       {"volt", "V"},       {"amp", "A"},
    {"mm2", "mm^2"},    {"cm2", "cm^2"},    {"m2", "m^2"},       {"m3", "m^3"},
    {"s2", "s^2"},      {"t", "Mg"},        {"tonne", "Mg"},     {"percent", "1"},
};

void unit_add_meant(Str text, Str wrong, Text *out)
{
    Text meant = {0};
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms && meant.length == 0; i++)
        if (str_is(wrong, synonyms[i].typed))
            text_add(&meant, synonyms[i].meant);
    Str candidates[UNIT_COUNT];
    for (size_t i = 0; i < UNIT_COUNT; i++)
        candidates[i] = str_of(units[i].word);
    ptrdiff_t nearest = meant.length > 0 ? -1 : str_nearest(wrong, candidates, UNIT_COUNT);
    if (nearest >= 0)
        text_add(&meant, units[nearest].word);
    // The word in its place.
    if (meant.length > 0) {
        text_add_str(out, (Str){text.at, (size_t)(wrong.at - text.at)});
        text_add(out, meant.at);
        size_t behind = (size_t)(wrong.at - text.at) + wrong.length;
        text_add_str(out, (Str){text.at + behind, text.length - behind});
    }
    text_clear(&meant);
}

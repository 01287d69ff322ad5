// series_rows.h: the recurrences of power series, row by row.
//
// A row is a series as far as it is known; coefficient k of a result comes from those of its
// operands up to k and its own before k. The text of this file is also part of what is compiled
// (print_flow.c): it stands on the C library and on Row alone.
// ---- Sums of products.

static void put(Row *row, size_t k, double value)
{
    row->at[k] = value;
    if (value != 0 || k == 0)
        row->last = k;
    else if (row->last >= k) // the order was found before, for other inputs
        row->last = k - 1;
}

static bool is_flat(const Row *row)
{
    return row->last == 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Σ a_i·b_{k−i} for first ≤ i ≤ last.
static double convolution(const Row *a, const Row *b, size_t first, size_t last, size_t k)
{
    if (k > b->last)
        first = larger(first, k - b->last);
    last = smaller(last, a->last);
    double even = 0, odd = 0;
    size_t i = first;
    for (; i < last; i += 2) {
        even += a->at[i] * b->at[k - i];
        odd += a->at[i + 1] * b->at[k - i - 1];
    }
    if (i == last)
        even += a->at[i] * b->at[k - i];
    return even + odd;
}

// Σ i·a_i·b_{k−i} for 1 ≤ i ≤ last.
static double rate_convolution(const Row *a, const Row *b, size_t last, size_t k)
{
    size_t first = k > b->last ? larger(1, k - b->last) : 1;
    last = smaller(last, a->last);
    double sum = 0;
    for (size_t i = first; i <= last; i++)
        sum += (double)i * a->at[i] * b->at[k - i];
    return sum;
}

// Σ a_i·a_{k−i} for first ≤ i ≤ k − first: each product but the middle one stands there twice.
static double square_sum(const Row *a, size_t first, size_t k)
{
    if (k < 2 * first)
        return 0;
    double sum = k > 0 ? 2 * convolution(a, a, first, (k - 1) / 2, k) : 0;
    return k % 2 == 0 ? sum + a->at[k / 2] * a->at[k / 2] : sum;
}

// ---- Arithmetic.

static double product(const Row *a, const Row *b, size_t k)
{
    return a == b ? square_sum(a, 0, k) : convolution(a, b, 0, k, k);
}

// ---- Functions. Their arguments are never flat where k > 0: see series_kernels.h.

// r' = a'·f.
static double integral(const Row *a, const Row *f, size_t k)
{
    return rate_convolution(a, f, k, k) / (double)k;
}

// r'·f = sign·a'.
static double integral_of_quotient(const Row *a, const Row *f, const Row *r, size_t k, double sign)
{
    double known = rate_convolution(r, f, k - 1, k);
    return (sign * (double)k * a->at[k] - known) / ((double)k * f->at[0]);
}

static double sine(const Row *a, Row *r, Row *cosine_of_a, size_t k)
{
    put(r, k, k == 0 ? sin(a->at[0]) : integral(a, cosine_of_a, k));
    put(cosine_of_a, k, k == 0 ? cos(a->at[0]) : -integral(a, r, k));
    return r->at[k];
}

static double cosine(const Row *a, Row *r, Row *sine_of_a, size_t k)
{
    sine(a, sine_of_a, r, k);
    return r->at[k];
}

static double hyperbolic(const Row *a, Row *r, Row *other, size_t k, double (*value)(double),
                         double (*other_value)(double))
{
    put(r, k, k == 0 ? value(a->at[0]) : integral(a, other, k));
    put(other, k, k == 0 ? other_value(a->at[0]) : integral(a, r, k));
    return r->at[k];
}

// r' = a'·x, x = 1 ± r².
static double tangent(const Row *a, Row *r, Row *x, size_t k, double (*value)(double), double sign)
{
    put(r, k, k == 0 ? value(a->at[0]) : integral(a, x, k));
    put(x, k, (k == 0 ? 1 : 0) + sign * square_sum(r, 0, k));
    return r->at[k];
}

// r' = a'·r·m, m = 1 − r: x holds m and the product of both.
static double logistic(const Row *a, Row *r, Row *x, size_t k)
{
    double u = a->at[0];
    put(r, k, k == 0 ? exp(fmin(u, 0)) / (1 + exp(-fabs(u))) : integral(a, x + 1, k));
    put(x, k, k == 0 ? exp(fmin(-u, 0)) / (1 + exp(-fabs(u))) : -r->at[k]);
    put(x + 1, k, product(r, x, k));
    return r->at[k];
}

// r'·x = ±a', x² = 1 − a².
static double arc(const Row *a, const Row *r, Row *x, size_t k, double (*value)(double),
                  double sign)
{
    if (k == 0) {
        put(x, 0, sqrt((1 - a->at[0]) * (1 + a->at[0])));
        return value(a->at[0]);
    }
    put(x, k, (-square_sum(a, 0, k) - square_sum(x, 1, k)) / (2 * x->at[0]));
    return integral_of_quotient(a, x, r, k, sign);
}

// r'·x = a', x = 1 + a².
static double arc_tangent(const Row *a, const Row *r, Row *x, size_t k)
{
    put(x, k, (k == 0 ? 1 : 0) + square_sum(a, 0, k));
    return k == 0 ? atan(a->at[0]) : integral_of_quotient(a, x, r, k, 1);
}

// r'·x = a'·b − a·b', x = a² + b².
static double angle(const Row *a, const Row *b, const Row *r, Row *x, size_t k)
{
    put(x, k, square_sum(a, 0, k) + square_sum(b, 0, k));
    if (k == 0)
        return atan2(a->at[0], b->at[0]);
    double turning = rate_convolution(a, b, k, k) - rate_convolution(b, a, k, k);
    return (turning - rate_convolution(r, x, k - 1, k)) / ((double)k * x->at[0]);
}

static double exponential(const Row *a, const Row *r, size_t k)
{
    return k == 0 ? exp(a->at[0]) : integral(a, r, k);
}

// r'·a = a'.
static double logarithm(const Row *a, const Row *r, size_t k)
{
    return k == 0 ? log(a->at[0]) : integral_of_quotient(a, a, r, k, 1);
}

// Of a constant exponent p: r'·a = p·r·a'.
static double constant_power(const Row *a, double p, const Row *r, size_t k)
{
    double sum = 0;
    for (size_t i = k > a->last ? k - a->last : 0; i < k; i++)
        sum += (p * (double)(k - i) - (double)i) * a->at[k - i] * r->at[i];
    return sum / ((double)k * a->at[0]);
}

// Of any other: exp(b·log a); the helpers are log a and b·log a. They are not kept before the
// first order in which the exponent moves.
static double power(const Row *a, const Row *b, const Row *r, Row *x, size_t k)
{
    if (k == 0)
        return pow(a->at[0], b->at[0]);
    if (is_flat(b))
        return constant_power(a, b->at[0], r, k);
    size_t moves = 1;
    while (b->at[moves] == 0)
        moves++;
    for (size_t i = moves == k ? 0 : k; i <= k; i++) {
        put(x, i, i > 0 && is_flat(a) ? 0 : logarithm(a, x, i));
        put(x + 1, i, product(b, x, i));
    }
    return integral(x + 1, r, k);
}

// ---- Branches. Where two series agree so far, it does not matter which of them is taken.

// Whether a is above b just after the instant, as far as order k tells.
static bool is_above(const Row *a, const Row *b, size_t k)
{
    for (size_t i = 0; i <= k; i++)
        if (a->at[i] != b->at[i])
            return a->at[i] > b->at[i];
    return false;
}

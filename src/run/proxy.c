// proxy.c: a function of time over a stretch, as a polynomial, and where it crosses levels.
//
// It interpolates at Chebyshev's nodes. Where the function is analytic as far around the stretch
// as steps of a series reach, its coefficients fall so fast that the last ones are rounding; where
// they are not, or where two more samples do not lie on it, the stretch is too long for it. Roots
// are isolated (program_first_root) and not guessed.
#include "run/journey_impl.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
// The last coefficients may be this part of the largest.
#define TAIL 1e-13
// Between nodes 4 and 5, 8 and 9: samples that test it.
static const double tests[2] = {0.33, 0.79};
enum { FIRST_TEST = 5, SECOND_TEST = 10 };

void proxy_basis_init(ProxyBasis *basis)
{
    for (size_t j = 0; j < PROXY_NODES; j++) {
        double angle = PI * ((double)j + 0.5) / PROXY_NODES;
        size_t at = j + (j >= FIRST_TEST) + (j + 1 >= SECOND_TEST);
        basis->at[at] = (1 - cos(angle)) / 2;
        for (size_t k = 0; k < PROXY_NODES; k++)
            basis->cosines[k * PROXY_NODES + j] =
                (k == 0 ? 1.0 : 2.0) / PROXY_NODES * cos((double)k * angle);
    }
    basis->at[FIRST_TEST] = tests[0];
    basis->at[SECOND_TEST] = tests[1];
}

// Σ c_k·T_k(1 − 2x), by Clenshaw's scheme.
static double chebyshev_value(const Proxy *proxy, double x)
{
    double z = 1 - 2 * x, b1 = 0, b2 = 0;
    for (size_t k = PROXY_NODES; k-- > 1;) {
        double b0 = proxy->chebyshev[k] + 2 * z * b1 - b2;
        b2 = b1;
        b1 = b0;
    }
    return proxy->chebyshev[0] + z * b1 - b2;
}

Proxy proxy_make(const ProxyBasis *basis, double from, double length, const double *samples,
                 double noise)
{
    Proxy proxy = {.from = from, .length = length};
    double nodes[PROXY_NODES], size = 0, tail = 0;
    for (size_t i = 0, j = 0; i < PROXY_SAMPLES; i++)
        if (i != FIRST_TEST && i != SECOND_TEST)
            nodes[j++] = samples[i];
    for (size_t k = 0; k < PROXY_NODES; k++) {
        double sum = 0;
        for (size_t j = 0; j < PROXY_NODES; j++)
            sum += basis->cosines[k * PROXY_NODES + j] * nodes[j];
        proxy.chebyshev[k] = sum;
        size = fmax(size, fabs(sum));
        if (k + 3 >= PROXY_NODES)
            tail = fmax(tail, fabs(sum));
    }
    for (size_t i = 0; i < 2; i++) {
        double sample = samples[i ? SECOND_TEST : FIRST_TEST];
        tail = fmax(tail, fabs(chebyshev_value(&proxy, tests[i]) - sample) / 4);
    }
    proxy.miss = tail;
    proxy.good = tail <= fmax(TAIL * size, noise);
    return proxy;
}

double proxy_bound(const Proxy *proxy, int sign)
{
    double sum = 0;
    for (size_t k = 1; k < PROXY_NODES; k++)
        sum += fabs(proxy->chebyshev[k]);
    return proxy->chebyshev[0] + (sign > 0 ? sum : -sum);
}

// ---- In powers.

// Clenshaw's scheme on polynomials in x.
static void expand(Proxy *proxy)
{
    if (proxy->expanded)
        return;
    proxy->expanded = true;
    double b1[PROXY_NODES] = {0}, b2[PROXY_NODES] = {0}, b0[PROXY_NODES];
    for (size_t k = PROXY_NODES; k-- > 0;) {
        double twice = k > 0 ? 2 : 1;
        for (size_t i = 0; i < PROXY_NODES; i++)
            b0[i] = twice * (b1[i] - (i > 0 ? 2 * b1[i - 1] : 0)) - b2[i];
        b0[0] += proxy->chebyshev[k];
        memcpy(b2, b1, sizeof b2);
        memcpy(b1, b0, sizeof b1);
    }
    memcpy(proxy->coefficients, b1, sizeof b1);
}

static double position(const Proxy *proxy, double t)
{
    return fmin(fmax((t - proxy->from) / proxy->length, 0), 1);
}

double proxy_value(Proxy *proxy, double t)
{
    return chebyshev_value(proxy, position(proxy, t));
}

double proxy_slope(Proxy *proxy, double t)
{
    double x = position(proxy, t), sum = 0;
    expand(proxy);
    for (size_t k = PROXY_NODES; k-- > 1;)
        sum = sum * x + (double)k * proxy->coefficients[k];
    return sum / proxy->length;
}

// Σ a_k·(x0 + s)^k in powers of s.
static void shift(const double *from, double x0, double *to)
{
    memcpy(to, from, PROXY_NODES * sizeof *to);
    for (size_t i = 0; i < PROXY_DEGREE; i++)
        for (size_t k = PROXY_DEGREE; k-- > i;)
            to[k] += x0 * to[k + 1];
}

// The first root behind x0, in powers about it.
static double next_root(const Proxy *proxy, const double *shifted, double x0)
{
    if (x0 >= 1)
        return INFINITY;
    double root = program_first_root(shifted, PROXY_DEGREE, 1 - x0);
    return isinf(root) ? root : proxy->from + fmin(x0 + root, 1) * proxy->length;
}

double proxy_first(Proxy *proxy, double after, double level, int sign)
{
    double x0 = position(proxy, after), shifted[PROXY_NODES];
    if (sign * (proxy_value(proxy, after) - level) >= 0)
        return after;
    if (sign * (proxy_bound(proxy, sign) - level) < 0)
        return INFINITY;
    expand(proxy);
    shift(proxy->coefficients, x0, shifted);
    shifted[0] -= level;
    return next_root(proxy, shifted, x0);
}

// The last root before x0, in powers about it, which are turned round.
static double last_root(const Proxy *proxy, double *shifted, double x0)
{
    for (size_t k = 1; k < PROXY_NODES; k += 2)
        shifted[k] = -shifted[k];
    double root = x0 > 0 ? program_first_root(shifted, PROXY_DEGREE, x0) : INFINITY;
    return isinf(root) ? proxy->from : proxy->from + fmax(x0 - root, 0) * proxy->length;
}

// The slope in the place of the function.
static void derive(double *shifted)
{
    for (size_t k = 1; k < PROXY_NODES; k++)
        shifted[k - 1] = (double)k * shifted[k];
    shifted[PROXY_DEGREE] = 0;
}

double proxy_last_zero(Proxy *proxy, double until)
{
    double x0 = position(proxy, until), shifted[PROXY_NODES];
    expand(proxy);
    shift(proxy->coefficients, x0, shifted);
    return last_root(proxy, shifted, x0);
}

double proxy_last_turn(Proxy *proxy, double until)
{
    double x0 = position(proxy, until), shifted[PROXY_NODES];
    expand(proxy);
    shift(proxy->coefficients, x0, shifted);
    derive(shifted);
    return last_root(proxy, shifted, x0);
}

double proxy_first_turn(Proxy *proxy, double after)
{
    double x0 = position(proxy, after), shifted[PROXY_NODES];
    expand(proxy);
    shift(proxy->coefficients, x0, shifted);
    derive(shifted);
    return next_root(proxy, shifted, x0);
}

// hoop_rate.h: the hoop of models/hoop.zw, its equations solved by hand; y is x y θ ψ φ θ′ ψ′ φ′.
// For dop853.h.
static inline void IN(rate)(REAL t, const REAL *y, REAL *out)
{
    (void)t;
    const REAL m = 2, r = 0.35L, g = 9.81L, A = m * r * r / 2, C = m * r * r, R = m * r * r;
    const REAL one_A = 1 / A, one_AR = 1 / (A + R), rolling = (2 * R + C) / (R + C);
    REAL st = IN(sin)(y[2]), ct = IN(cos)(y[2]), sp = IN(sin)(y[3]), cp = IN(cos)(y[3]);
    REAL yaw = y[5], lean = y[6], spin = y[7];
    out[0] = r * spin * ct;
    out[1] = r * spin * st;
    out[2] = yaw;
    out[3] = lean;
    out[4] = spin;
    out[5] = lean * ((2 * A - C) * sp * yaw + C * spin) * one_A / cp;
    out[6] = (m * g * r * sp - cp * yaw * ((A - C - R) * sp * yaw + (R + C) * spin)) * one_AR;
    out[7] = sp * out[5] + rolling * cp * yaw * lean;
}

// Audits: the estimated error against the true one of motions in closed form, the horizon of a
// chaotic motion, balances of energy against closed forms, and what else is watched.
#include "files.h"
#include "run_case.h"
#include "uniform.h"

typedef struct {
    RunCase kase;
    InquiryIntegrals *integrals;
    RunAudit *audit;
    RunAuditReport report;
    Status status;
} Audited;

static Audited audited(const char *text, RunMethod method, double tolerance)
{
    RunOptions options = run_options();
    options.method = method;
    options.tolerance = tolerance;
    Audited audited = {.kase = case_start(text, options)};
    RunCase *kase = &audited.kase;
    case_expect(kase, STATUS_OK);
    assert_int_equal(run_audit_new(kase->run, kase->diag, &audited.audit), STATUS_OK);
    audited.integrals = inquiry_integrals(kase->motion, INQUIRY_THROUGH_EVENTS);
    RunIntegral integrals[16];
    size_t count = audited.integrals->at.count;
    assert_in_range(count, 0, sizeof integrals / sizeof *integrals);
    for (size_t i = 0; i < count; i++)
        integrals[i] =
            (RunIntegral){audited.integrals->at.at[i].name, audited.integrals->at.at[i].value};
    run_audit_follow(audited.audit, integrals, count, kase->motion->pool);
    RunListener listener = {.row = case_keep_row, .context = kase};
    kase->status = run_go(kase->run, &listener, kase->diag, &kase->summary);
    audited.status =
        run_audit_compare(audited.audit, &(RunListener){0}, &kase->summary, kase->diag);
    audited.report = run_audit_report(audited.audit);
    return audited;
}

static void audited_free(Audited *audited)
{
    run_audit_free(audited->audit);
    inquiry_integrals_free(audited->integrals);
    case_free(&audited->kase);
}

// ---- Motions in closed form.

// A pendulum that just reaches its top: θ = 4 atan(e^t) − π.
static const char separatrix[] = "coord theta\nkinetic theta'^2/2\npotential -cos(theta)\n"
                                 "initial theta' = 2\nrun to 6 every 0.25\n";

static void of_separatrix(double t, double *values)
{
    values[0] = 4 * atan(exp(t)) - 2 * asin(1);
}

// An ellipse of Kepler, half axis 1, ε = 0.6, from its near end: t = E − ε sin E.
static const char ellipse[] = "coord r, theta\nkinetic (r'^2 + r^2*theta'^2)/2\npotential -1/r\n"
                              "initial r = 0.4, theta' = 5\nrun to 20 every 0.25\n";

static void of_ellipse(double t, double *values)
{
    double E = t, eps = 0.6, turn = 4 * asin(1);
    for (int i = 0; i < 60; i++)
        E -= (E - eps * sin(E) - t) / (1 - eps * cos(E));
    double rounds = floor(E / turn + 0.5);
    values[0] = 1 - eps * cos(E);
    values[1] = 2 * atan(2 * tan((E - rounds * turn) / 2)) + rounds * turn;
}

// The blade of models/blade.zw: its own closed form.
static const char blade[] =
    "param m = 1, I = 0.2, s = 0.3\ncoord x, y, theta\n"
    "kinetic m*(x'^2 + y'^2)/2 + m*s*theta'*(y'*cos(theta) - x'*sin(theta)) + I*theta'^2/2\n"
    "constraint edge: x'*sin(theta) = y'*cos(theta)\n"
    "speed v = x'*cos(theta) + y'*sin(theta), w = theta'\n"
    "initial v = -1, w = 0.5\nrun to 10 every 0.25\n";

static void of_blade(double t, double *values)
{
    double V = sqrt(1 + 0.2 / 4), T = tanh(0.3 * V * t / 0.2);
    values[0] = V * (V * T - 1) / (V - T);
    values[1] = V / 2 / cosh(0.3 * V * t / 0.2) / (V - T);
}

// Jacobi's functions by descending means (Gauss; Landen).
static void jacobi(double u, double k, double *sn, double *cn, double *dn)
{
    double a[16] = {1}, c[16] = {k}, b = sqrt(1 - k * k);
    int n = 0;
    while (fabs(c[n]) > 1e-17) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--)
        phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - k * k * *sn * *sn);
}

// Euler's top, A < B < C, from the middle axis' equator: p = P cn, q = Q sn, r = R dn. The motion
// of a free body by Euler's equations: A p' = (B − C) q r and so on.
static const char top[] =
    "param A = 1, B = 2, C = 3\ncoord phi, chi, psi\n"
    "frame F = world rotate phi about z rotate chi about x rotate psi about z\n"
    "body solid frame F inertia [A, B, C]\n"
    "speed p = dot(omega(solid), F.x)\nspeed q = dot(omega(solid), F.y)\n"
    "speed r = dot(omega(solid), F.z)\n"
    "initial chi = 1.2, p = 0.7, r = 1.1\nrun to 12 every 0.25\n";

static void of_top(double t, double *values)
{
    // With q = −Q sn, p' = −P λ sn dn and so on: λ² = R²(C − A)(C − B)/(A B), Q² = P² A(C − A)/
    // (B (C − B)), k² = P² A (B − A)/(R² C (C − B)).
    double P = 0.7, R = 1.1, A = 1, B = 2, C = 3, sn, cn, dn;
    double rate = R * sqrt((C - A) * (C - B) / (A * B));
    double Q = P * sqrt(A * (C - A) / (B * (C - B)));
    double k = P / R * sqrt(A * (B - A) / (C * (C - B)));
    jacobi(rate * t, k, &sn, &cn, &dn);
    values[0] = P * cn;
    values[1] = Q * sn;
    values[2] = R * dn;
}

static const struct {
    const char *text;
    void (*of)(double t, double *values);
    size_t group, count;
    const char *columns[3];
} known[] = {
    {separatrix, of_separatrix, RUN_COORDINATES, 1, {"theta"}},
    {ellipse, of_ellipse, RUN_COORDINATES, 2, {"r", "theta"}},
    {blade, of_blade, RUN_SPEEDS, 2, {"v", "w"}},
    {top, of_top, RUN_SPEEDS, 3, {"p", "q", "r"}},
};

// The largest error of the rows, against the size of each column.
static double true_error(const RunCase *kase, size_t which)
{
    double worst = 0, values[3];
    for (size_t c = 0; c < known[which].count; c++) {
        double most = 0;
        for (size_t row = 0; row < case_row_count(kase); row++) {
            known[which].of(case_value(kase, row, "t"), values);
            most = fmax(most, fabs(case_value(kase, row, known[which].columns[c]) - values[c]));
        }
        worst = fmax(worst, most / case_largest(kase, known[which].columns[c]));
    }
    return worst;
}

static void test_estimate_is_near_the_error(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF, RUN_ADAMS};
    for (size_t which = 0; which < sizeof known / sizeof *known; which++)
        for (size_t m = 0; m < 4; m++)
            for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
                Audited one = audited(known[which].text, methods[m], tolerance);
                case_expect(&one.kase, STATUS_OK);
                double error = true_error(&one.kase, which);
                double estimate = one.report.groups[known[which].group].difference;
                if (!(estimate >= 0.5 * error - 1e-14 && estimate <= 3 * error + 1e-12))
                    fail_msg("%zu by %s at %g: the error is %g, the estimate %g", which,
                             run_method_name(methods[m]), tolerance, error, estimate);
                assert_true(isnan(one.report.horizon));
                assert_true(one.report.error >= estimate);
                assert_true(one.report.compared == one.kase.summary.reached);
                audited_free(&one);
            }
}

// At the tolerance that the closed forms ask for.
static void test_closed_forms(void **state)
{
    (void)state;
    for (size_t which = 0; which < sizeof known / sizeof *known; which++) {
        Audited one = audited(known[which].text, RUN_TAYLOR, 1e-11);
        assert_true(true_error(&one.kase, which) < 1e-9);
        assert_true(one.report.error < 1e-9);
        assert_true(one.report.digits >= 8);
        audited_free(&one);
    }
}

// ---- Chaos.

#define TWO_LINKS                                                                                  \
    "coord a, b\npoint P = [sin(a), 0, -cos(a)]\npoint Q = P + [sin(b), 0, -cos(b)]\n"             \
    "mass 1 at P\nmass 1 at Q\ngravity [0, 0, -9.81]\ninitial a = 2.2, b = 2.4\n"
static const char two_links[] = TWO_LINKS "run to 40 every 0.05\n";

// When two runs at different tolerances are a quarter of b' apart.
static double parting(double tolerance, double other)
{
    RunOptions options = run_options();
    options.tolerance = tolerance;
    RunCase one = case_start(two_links, options);
    options.tolerance = other;
    RunCase two = case_start(two_links, options);
    case_go(&one);
    case_go(&two);
    double size = case_largest(&one, "b'"), t = INFINITY;
    for (size_t row = case_row_count(&one); row-- > 0;)
        if (fabs(case_value(&one, row, "b'") - case_value(&two, row, "b'")) > size / 4)
            t = case_value(&one, row, "t");
    case_free(&one);
    case_free(&two);
    return t;
}

static void test_horizon(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-5, 1e-8, 1e-11};
    double before = 0;
    for (size_t i = 0; i < 3; i++) {
        Audited one = audited(two_links, RUN_TAYLOR, tolerances[i]);
        const RunAuditReport *report = &one.report;
        double parted = parting(tolerances[i], 1e-14);
        // Exponentials: within a few times e of each other in size.
        assert_true(report->e_fold > 0.2 && report->e_fold < 1.5);
        assert_near(report->horizon, parted, 4 * report->e_fold);
        assert_true(report->horizon > before + 1);
        assert_true(isnan(report->expected));
        assert_true(report->digits == 0);
        assert_true(case_says(&one.kase, DIAG_ERROR, "the estimated error of "));
        assert_int_equal(one.status, STATUS_NEGATIVE);
        before = report->horizon;
        audited_free(&one);
    }
}

// Before it comes, it can be foreseen.
static void test_expected_horizon(void **state)
{
    (void)state;
    Audited whole = audited(two_links, RUN_TAYLOR, 1e-11);
    Audited part = audited(TWO_LINKS "run to 9 every 0.05\n", RUN_TAYLOR, 1e-11);
    assert_true(isnan(part.report.horizon));
    assert_true(part.report.digits >= 1);
    assert_near(part.report.expected, whole.report.horizon, whole.report.horizon / 3);
    audited_free(&whole);
    audited_free(&part);
}

static void test_orderly_motion_has_none(void **state)
{
    (void)state;
    Audited one = audited("coord a\nkinetic a'^2/2\npotential -cos(a)\ninitial a = 2\n"
                          "run to 500 every 0.05\n",
                          RUN_TAYLOR, 1e-8);
    assert_true(case_row_count(&one.kase) > 10000); // more than are kept
    assert_true(one.report.compared == 500);
    assert_true(isnan(one.report.e_fold) && isnan(one.report.horizon));
    assert_true(one.report.power > 0.5 && one.report.power < 2.5);
    assert_int_equal(diag_count(one.kase.diag, DIAG_ERROR), 0);
    assert_int_equal(one.status, STATUS_OK);
    audited_free(&one);
}

// ---- Energy and its balance.

static void test_damped(void **state)
{
    (void)state;
    // x = e^{−t/5}(cos wt + sin wt/(5w)), w² = 24/25.
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF, RUN_ADAMS};
    for (size_t i = 0; i < 4; i++) {
        Audited one = audited("coord x\nkinetic x'^2/2\npotential x^2/2\ndissipation 0.2*x'^2\n"
                              "initial x = 1\nrun to 6 every 0.7\n",
                              methods[i], 1e-11);
        double w = sqrt(0.96), t = 6, decay = exp(-0.2 * t);
        double x = decay * (cos(w * t) + 0.2 / w * sin(w * t)), v = -decay / w * sin(w * t);
        assert_true(one.report.has_balance && one.report.is_followed && one.report.is_total);
        assert_near(one.report.work, (x * x + v * v - 1) / 2, 1e-9);
        assert_true(one.report.energy.drift < 1e-9);
        audited_free(&one);
    }
}

// The wire of a bead does work, which is a reaction's: r = r0 cosh Ωt.
static void test_moving_condition(void **state)
{
    (void)state;
    Audited one = audited("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                          "constraint wire: x*sin(2*t) = y*cos(2*t)\n"
                          "initial x = 0.1\nrun to 2 every 0.3\n",
                          RUN_TAYLOR, 1e-12);
    assert_true(one.report.is_total && one.report.is_followed);
    assert_near(one.report.work, 0.02 * (pow(sinh(4), 2) + pow(cosh(4), 2) - 1), 1e-9);
    assert_true(one.report.energy.drift < 1e-10);
    assert_string_equal(one.report.misses[RUN_POSITION].name, "wire");
    assert_true(one.report.misses[RUN_POSITION].part < 1e-13 &&
                one.report.misses[RUN_VELOCITY].part < 1e-13);
    audited_free(&one);

    // The same bead by its distance alone: nothing changes Jacobi's energy r'²/2 − Ω²r²/2.
    Audited other = audited("coord r\npoint P = [r*cos(2*t), r*sin(2*t), 0]\nmass 1 at P\n"
                            "initial r = 0.1\nrun to 2 every 0.3\n",
                            RUN_TAYLOR, 1e-12);
    assert_false(other.report.is_total);
    assert_false(other.report.has_balance);
    assert_near(other.report.energy.first, -0.02, 1e-16);
    assert_true(other.report.energy.drift < 1e-11);
    audited_free(&other);
}

// Everything at once: a Lagrangian that holds the time and a gyroscopic term, a potential that
// holds the time, forces along and at points, friction, and a condition that moves.
static void test_all_powers(void **state)
{
    (void)state;
    Audited one =
        audited("coord x, y, z\npoint P = [x, y, z + 0.1*sin(t)]\nmass 2 at P\n"
                "gravity [0, 0, -9.81]\nlagrangian (1 + 0.3*cos(t))*x'^2/2 + 0.7*(x*y' - y*x')\n"
                "potential (2 + sin(3*t))*(x^2 + y^2 + z^2)/2\nforce cos(2*t)*y along x\n"
                "force [0.1*x, 0, -0.2] at P\ndissipation 0.05*(x'^2 + y'^2 + z'^2)\n"
                "constraint moves: z' = x*y' + 0.3*cos(t)\n"
                "initial x = 1, x' = 0.5, y' = -0.4\nrun to 8 every 0.5\n",
                RUN_TAYLOR, 1e-12);
    assert_true(one.report.has_balance && one.report.is_followed);
    assert_true(fabs(one.report.work) > 0.1);
    assert_true(one.report.energy.drift < 1e-10);
    audited_free(&one);
}

static void test_gallery_balances(void **state)
{
    (void)state;
    // Hamel's wheels: geared by given functions of the time, with couples on them.
    Audited one = audited("let f = (0.2 + 0.05*sin(2*t))/(0.3 - 0.05*sin(2*t))*2/3\n"
                          "coord p, q\nkinetic 0.25*p'^2 + 0.15*q'^2\n"
                          "force 0.4 along p\nforce -0.1 along q\n"
                          "constraint gear: p' = f*q'\nindependent q\ninitial q' = 1\n"
                          "run to 5 every 0.5\n",
                          RUN_TAYLOR, 1e-12);
    // p' = f q' holds no time of its own: the gear does no work, the couples do.
    double work = 0.4 * case_last(&one.kase, "p") - 0.1 * case_last(&one.kase, "q");
    assert_near(one.report.work, work, 1e-11);
    assert_true(one.report.energy.drift < 1e-11);
    audited_free(&one);
}

static void test_not_followed(void **state)
{
    (void)state;
    // Steps of fixed length have nothing inside.
    Audited one =
        audited("coord x\nkinetic x'^2/2\nforce sin(t) along x\n", RUN_TIMESTEPPING, 1e-8);
    assert_true(one.report.has_balance);
    assert_false(one.report.is_followed);
    audited_free(&one);
    Audited two = audited("coord x\nacceleration_energy x''^2/2 + x'*x''\ninitial x' = 1\n",
                          RUN_TAYLOR, 1e-8);
    assert_false(two.report.has_energy);
    audited_free(&two);
}

// ---- First integrals.

static void test_momenta(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *first;
        double value;
    } cases[] = {
        {"coord r, theta\nkinetic (r'^2 + r^2*theta'^2)/2\npotential -1/r\n"
         "initial r = 1, theta' = 1.3\n",
         1, "momentum of theta", 1.3},
        // Only the algebra sees that θ is not there.
        {"coord r, theta\nkinetic ((r*cos(theta))'^2 + (r*sin(theta))'^2)/2\npotential r\n"
         "initial r = 2, theta' = 1.5\n",
         1, "momentum of theta", 6},
        // A field turns the velocity: x' − y is constant too.
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nlagrangian x*y'\ninitial y' = 2\n", 2,
         "momentum of y", 2},
        // Friction, a force, and a condition change them; of friction x' + 2x is left.
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\ndissipation x'^2\nforce y^2 along y\n"
         "initial x = 1, x' = 3\n",
         1, "linear 1", 5},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x along y\nforce y^2 along x\n", 0, NULL, 0},
        {"coord x\nacceleration_energy x''^2/2 + x'*x''\n", 0, NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Audited one = audited(cases[i].text, RUN_TAYLOR, 1e-11);
        assert_int_equal(one.report.integral_count, cases[i].count);
        bool found = cases[i].count == 0;
        for (size_t j = 0; j < one.report.integral_count; j++) {
            const RunDrift *integral = &one.report.integrals[j];
            assert_true(integral->drift < 1e-9);
            if (strcmp(integral->name, cases[i].first) != 0)
                continue;
            found = true;
            assert_near(integral->first, cases[i].value, 1e-14);
        }
        assert_true(found);
        audited_free(&one);
    }
}

// ---- What is 0 but for rounding.

// A blade that turns on the spot needs nothing to hold it: two roundings that differ are no error.
static void test_reactions_that_vanish(void **state)
{
    (void)state;
    Audited one = audited("coord x, y, th\nmass 1 at [x, y, 0]\nkinetic th'^2/2\n"
                          "constraint edge: x'*sin(th) = y'*cos(th)\n"
                          "force 1e-16*sin(t) along x\ninitial th' = 1\nrun to 20 every 0.1\n",
                          RUN_TAYLOR, 1e-10);
    assert_true(one.report.groups[RUN_MULTIPLIERS].difference < 1e-6);
    assert_true(one.report.misses[RUN_VELOCITY].part < 1e-15);
    audited_free(&one);
}

// The front wheel of a bicycle that goes nearly straight rises and falls by next to nothing: the
// terms of that condition are far smaller than what they are made of.
static void test_terms_that_vanish(void **state)
{
    (void)state;
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", "bicycle", ".zw");
    Audited one = audited(text.at, RUN_TAYLOR, 1e-11);
    assert_string_equal(one.report.misses[RUN_VELOCITY].name, "rollF.z");
    assert_true(one.report.misses[RUN_VELOCITY].part < 2e-13);
    audited_free(&one);
    text_clear(&text);
}

// ---- The run itself.

static void test_rows_are_the_same(void **state)
{
    (void)state;
    static const char text[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce sin(t) along y\n"
                               "constraint ring: x^2 + y^2 = 4\nspeed u = x'\n"
                               "initial x = 2, y' = 3\nrun to 10 every 0.01\n";
    for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
        Audited one = audited(text, method, 1e-9);
        RunOptions options = run_options();
        options.method = method;
        options.tolerance = 1e-9;
        RunCase plain = case_start(text, options);
        case_go(&plain);
        assert_int_equal(one.kase.summary.evaluations, plain.summary.evaluations);
        assert_int_equal(one.kase.rows.count, plain.rows.count);
        assert_memory_equal(one.kase.rows.at, plain.rows.at,
                            plain.rows.count * sizeof *plain.rows.at);
        case_free(&plain);
        audited_free(&one);
    }
}

// A run that strands is compared as far as it went.
static void test_stranded(void **state)
{
    (void)state;
    Audited one = audited("coord x\nkinetic x'^2/2\npotential -1/x\ninitial x = 1\n"
                          "run to 3 every 0.1\n",
                          RUN_TAYLOR, 1e-9);
    case_expect(&one.kase, STATUS_NEGATIVE);
    // It falls into the centre at t = π/√8.
    assert_near(one.report.compared, 1.1, 1e-12);
    assert_true(one.report.error > 0 && one.report.error < 1e-6);
    audited_free(&one);
}

// Rounding does not let the second run be as tight as it should: it is made less tight.
static void test_second_run_is_made(void **state)
{
    (void)state;
    Audited one =
        audited("param m = 20, g = 9.81, alpha = 0.8, A = 12\ncoord x, z\n"
                "point P = [x, 0, z]\nmass m at P\ngravity [0, 0, -g]\n"
                "servo draw: x = A*(t - sin(t)) by force [cos(alpha), 0, sin(alpha)] at P\n"
                "constraint ground: z >= 0\nrun to 2 every 0.05\n",
                RUN_TAYLOR, 1e-10);
    assert_near(one.report.compared, 2, 0);
    assert_true(one.report.opinion == RUN_ERK && one.report.agreement < 1e-10);
    assert_true(one.report.tolerance < 1e-10);
    assert_true(one.report.error < 1e-12);
    audited_free(&one);
}

static bool stop(void *context, double t)
{
    (void)context;
    return t < 5;
}

static void test_stopped(void **state)
{
    (void)state;
    RunCase kase = case_start(separatrix, run_options());
    RunAudit *audit;
    assert_int_equal(run_audit_new(kase.run, kase.diag, &audit), STATUS_OK);
    assert_int_equal(run_go(kase.run, NULL, kase.diag, &kase.summary), STATUS_OK);
    // The second run is stopped: what was compared stands.
    RunListener listener = {.progress = stop};
    assert_int_equal(run_audit_compare(audit, &listener, &kase.summary, kase.diag),
                     STATUS_NEGATIVE);
    RunAuditReport report = run_audit_report(audit);
    assert_true(report.compared >= 4.5 && report.compared <= 5.5);
    run_audit_free(audit);
    case_free(&kase);
}

// In a plane wave most coordinates of the field are 0 but for rounding, and so are sums of them
// that are constant: they have no digits to lose.
static void test_nothing_but_rounding(void **state)
{
    (void)state;
    Text text = read_file(ZWANG_SOURCE_DIR, "/models/field", ".zw");
    Audited one = audited(text.at, RUN_TAYLOR, 1e-12);
    case_expect(&one.kase, STATUS_OK);
    assert_int_equal(one.status, STATUS_OK);
    audited_free(&one);
    text_clear(&text);
}

// An integral that is none begins to change where a force begins to act; true ones do not, in any
// method.
static void test_integrals_that_change(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char orbit[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                "potential -1/sqrt(x^2 + y^2)\ninitial x = 1, y = 0, x' = 0, "
                                "y' = 1.2\nrun to 20 every 0.25\n";
    static const char push[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "force 0.01*max(0, t - 2) along x\ninitial x = 0, y = 0, x' = 1, "
                               "y' = 1\nrun to 4 every 0.25\n";
    // A wheel that is driven goes round many times, and an integral holds its angle.
    static const char wheel[] = "coord phi, psi\nkinetic (phi'^2 + psi'^2)/2\n"
                                "force -0.1*phi' along phi\nforce sin(psi) along psi\n"
                                "initial phi = 0, psi = 0, phi' = 40, psi' = 1\n"
                                "run to 20 every 0.25\n";
    // A force that is constant between two switches has integrals that jump there.
    static const char pulse[] = "coord x\nkinetic x'^2/2\n"
                                "force 3*(sign(t - 1) - sign(t - 1.01)) along x\n"
                                "initial x = -100, x' = 0\nrun to 4 every 0.25\n";
    static const char *const texts[] = {orbit, wheel, pulse};
    for (size_t i = 0; i < 12; i++) {
        Audited whole = audited(texts[i / 4], methods[i % 4], 1e-9);
        assert_true(whole.report.integral_count >= 1);
        for (size_t k = 0; k < whole.report.integral_count; k++)
            assert_true(whole.report.integrals[k].change == 0);
        audited_free(&whole);
        if (i >= 4)
            continue;
        RunOptions options = run_options();
        options.method = methods[i];
        RunCase kase = case_start(push, options);
        RunAudit *audit;
        assert_int_equal(run_audit_new(kase.run, kase.diag, &audit), STATUS_OK);
        RunIntegral claimed = {"linear 1", kase.motion->p[0]};
        run_audit_follow(audit, &claimed, 1, kase.motion->pool);
        kase.status = run_go(kase.run, &(RunListener){0}, kase.diag, &kase.summary);
        assert_int_equal(kase.status, STATUS_OK);
        assert_int_equal(run_audit_compare(audit, &(RunListener){0}, &kase.summary, kase.diag),
                         STATUS_NEGATIVE);
        assert_true(case_says(&kase, DIAG_ERROR, "linear 1, which is constant, has changed by"));
        assert_true(case_says(&kase, DIAG_ERROR, "since t = 2 ("));
        run_audit_free(audit);
        case_free(&kase);
    }
}

// Friction keeps no energy and no momentum along what slides: none of these is followed, and what
// is followed stays. Where a ball skids, I·φ' + m·r·x' is such; of two blocks, one on the other,
// their common momentum.
static void test_friction(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double mu = 0.05 + (double)random_below(&random, 1000) / 1e3,
               v = 1 + (double)random_below(&random, 1000) / 1e2,
               I = 0.01 + (double)random_below(&random, 1000) / 1e3;
        char text[700];
        if (seed % 2)
            snprintf(
                text, sizeof text,
                "param r = 0.3, I = %.3f, g = 9.81\ncoord x, z, phi\n"
                "frame F = world rotate phi about y\npoint G = [x, 0, z]\n"
                "body ball frame F mass 2 at G inertia [I, I, I]\ngravity [0, 0, -g]\n"
                "constraint lane: z >= r restitution 0.4 friction %.3f at G - r*world.z on ball\n"
                "initial x' = %.3f, z = r + %d\nrun to 2 every 0.1\n",
                I, mu, v, (int)random_below(&random, 2));
        else
            snprintf(text, sizeof text,
                     "coord x, y\nmass 1 at [x, 0, 0]\nmass %.3f at [y, 0, 0]\n"
                     "friction %.3f against x' - y'\ninitial x' = %.3f\nrun to 4 every 0.1\n",
                     I, mu, v);
        Audited one = audited(text, RUN_TAYLOR, 1e-10);
        case_expect(&one.kase, STATUS_OK);
        assert_int_equal(one.status, STATUS_OK);
        assert_int_equal(one.report.integral_count, 1);
        assert_true(one.report.integrals[0].drift < 1e-9);
        audited_free(&one);
    }
}

// Velocities jump at the time of a row: at a kink of a wire, at a step of an inertia or a
// potential, at a wall. Which side of it the row has is no error; the speed behind it is known.
static void test_jumps_at_rows(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS};
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double v = round(uniform(&random, 5, 20)) / 10, every = 0.1,
               slope = uniform(&random, 0.5, 2);
        int row = 2 + (int)random_below(&random, 8);
        static const char *const kinds[] = {
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y = max(0, s*x)\n",
            "coord x\nkinetic (2 + s + s*sign(x))/4*x'^2\n",
            "coord x\nkinetic x'^2/2\npotential v^2/8*sign(x)\n",
            "coord x\nkinetic x'^2/2\nconstraint wall: x <= 0 restitution 0.5\n"};
        const double after[] = {v / hypot(1, slope), v / sqrt(1 + slope), v / sqrt(2), -v / 2};
        Text text = {0};
        text_addf(&text, "param s = %.17g, v = %.17g\n%sinitial x = %.17g, x' = v\n", slope, v,
                  kinds[seed % 4], -v * every * row);
        text_addf(&text, "run to 2 every %g\n", every);
        Audited one = audited(text.at, methods[seed / 4 % 3], 1e-10);
        double speed = case_last(&one.kase, "x'");
        if (one.status != STATUS_OK || one.report.error > 1e-6 ||
            fabs(speed - after[seed % 4]) > 1e-6)
            fail_msg("seed %d: error %g, x' = %.12g for %.12g\n%s", (int)seed, one.report.error,
                     speed, after[seed % 4], text.at);
        text_clear(&text);
        audited_free(&one);
    }
}

// The second run begins where the first one did, also behind events that set states and let
// conditions begin. Two carts couple at t = 1/3; a mass is pushed from t = 1/3 on.
static void test_events(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "coord x, y\nmass 1 at [x, 0, 0]\nmass 2 at [y, 0, 0]\nstate held = 0\n"
        "event meet: x >= y { set held = 1 }\nconstraint bar: x = y while held = 1\n"
        "initial x' = 3, y = 1\nrun to 2 every 0.25\n",
        "coord x\nmass 1 at [x, 0, 0]\nstate n = 0\nevent e: x >= 1 { set n = 1, x' = 2 }\n"
        "force n along x\ninitial x' = 3\nrun to 2 every 0.25\n"};
    const double ends[] = {1 + 5.0 / 3, 1 + 10.0 / 3 + 25.0 / 18};
    for (int i = 0; i < 2; i++) {
        Audited of = audited(texts[i], RUN_TAYLOR, 1e-10);
        assert_int_equal(of.status, STATUS_OK);
        assert_true(of.report.compared == 2 && of.report.error <= 1e-13);
        assert_near(case_last(&of.kase, "x"), ends[i], 1e-12);
        audited_free(&of);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate_is_near_the_error),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_expected_horizon),
        cmocka_unit_test(test_orderly_motion_has_none),
        cmocka_unit_test(test_damped),
        cmocka_unit_test(test_moving_condition),
        cmocka_unit_test(test_all_powers),
        cmocka_unit_test(test_gallery_balances),
        cmocka_unit_test(test_not_followed),
        cmocka_unit_test(test_momenta),
        cmocka_unit_test(test_reactions_that_vanish),
        cmocka_unit_test(test_terms_that_vanish),
        cmocka_unit_test(test_rows_are_the_same),
        cmocka_unit_test(test_stranded),
        cmocka_unit_test(test_second_run_is_made),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_nothing_but_rounding),
        cmocka_unit_test(test_integrals_that_change),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_jumps_at_rows),
        cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

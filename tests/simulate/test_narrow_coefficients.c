// What is narrow or switches in coefficients of friction, in energies of acceleration, in
// conditions on accelerations, and beside forces that hold reactions: place, width, kind and method
// are drawn at random, velocities follow from the work or the impulse.
#include "event_case.h"
#include "uniform.h"

enum { SEEDS = 32, KINDS = 8 };

typedef struct {
    Text text;
    double after; // x' at the end
} Slide;

// About the place or time a, and what they are in all for w = 1.
static const char *const pulses[] = {"exp(-((%s - a)/w)^2)", "max(0, 1 - abs(%s - a)/w)",
                                     "(sign(%s - a + w) - sign(%s - a - w))/2"};
static const double areas[] = {1.7724538509055159, 1, 2};

#define BODY                                                                                       \
    "coord x, z\npoint P = [x, 0, z]\nmass 1 at P\ngravity [0, 0, -10]\n"                          \
    "constraint floor: z >= 0 friction %.17g + %.17g*%s at P on P\n"
#define BLOCK "coord x\nkinetic x'^2/2\nfriction brake: 10*(%.17g + %.17g*%s) %s\n"

// By conditions on places and laws, against what is narrow in space.
static void write_work(Slide *slide, Random *random, uint64_t kind, const char *pulse, double area,
                       double w)
{
    double mu = uniform(random, 0.05, 0.2), loss = uniform(random, 0.015, 0.05);
    double v = uniform(random, 5, 8);
    if (kind == 0)
        text_addf(&slide->text, BODY, mu, loss / w, pulse);
    else if (kind == 1)
        text_addf(&slide->text, BLOCK, mu, loss / w, pulse, "along x");
    else if (kind == 2)
        text_addf(&slide->text, BLOCK, mu, loss / w, pulse, "against x' - 0");
    else
        text_addf(&slide->text, "coord x\nkinetic x'^2/2\nforce -10*(%.17g + %.17g*%s) along x\n",
                  mu, loss / w, pulse);
    text_addf(&slide->text, "initial x' = %.17g\nrun to 8 every 4 until x >= 4\n", v);
    slide->after = sqrt(v * v - 20 * (4 * mu + loss * area));
}

static void write_impulse(Slide *slide, Random *random, const char *pulse, double area, double w)
{
    double mu = uniform(random, 0.05, 0.2), loss = uniform(random, 0.015, 0.05);
    double v = uniform(random, 8, 12);
    text_addf(&slide->text, BODY, mu, loss / w, pulse);
    text_addf(&slide->text, "initial x' = %.17g\nrun to 3 every 1\n", v);
    slide->after = v - 10 * (3 * mu + loss * area);
}

// The acceleration itself is given.
static void write_acceleration(Slide *slide, Random *random, uint64_t kind, const char *pulse,
                               double area, double w)
{
    double push = uniform(random, 0.5, 3), v = uniform(random, 0.5, 1.5);
    if (kind == 5)
        text_addf(&slide->text, "coord x\nacceleration_energy x''^2/2 - x''*%.17g*%s\n", push / w,
                  pulse);
    else
        text_addf(&slide->text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x'' = %.17g*%s\n", push / w,
                  pulse);
    text_addf(&slide->text, "initial x' = %.17g\nrun to 6 every 1\n", v);
    slide->after = sqrt(v * v + 2 * push * area);
}

// What presses a rail on which it slides.
static void write_pressed(Slide *slide, Random *random, const char *pulse, double area, double w)
{
    double mu = uniform(random, 0.05, 0.15), push = uniform(random, 0.2, 0.6);
    double v = uniform(random, 3, 6);
    text_addf(&slide->text,
              "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rail: y = 0\n"
              "force 3 + %.17g*%s along y\nfriction brake: %.17g*abs(lambda.rail) along x\n"
              "initial x' = %.17g\nrun to 8 every 4 until x >= 4\n",
              push / w, pulse, mu, v);
    slide->after = sqrt(v * v - 2 * mu * (3 * 4 + push * area));
}

static Slide draw(Random *random, uint64_t kind)
{
    Slide slide = {0};
    uint64_t shape = random_below(random, 3);
    double w = pow(10, uniform(random, -7, -1.5));
    char pulse[96];
    const char *of = kind == 4 ? "t" : "x";
    snprintf(pulse, sizeof pulse, pulses[shape], of, of);
    text_addf(&slide.text, "param w = %.17g, a = %.17g\n", w, uniform(random, 0.5, 2));
    if (kind < 4)
        write_work(&slide, random, kind, pulse, areas[shape], w);
    else if (kind == 4)
        write_impulse(&slide, random, pulse, areas[shape], w);
    else if (kind < 7)
        write_acceleration(&slide, random, kind, pulse, areas[shape], w);
    else
        write_pressed(&slide, random, pulse, areas[shape], w);
    return slide;
}

static void test_slides(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        uint64_t kind = seed % KINDS;
        Slide slide = draw(&random, kind);
        RunOptions options = run_options();
        options.method = methods[seed / KINDS % 4];
        if (kind == 7 && options.method != RUN_TAYLOR)
            options.method = RUN_ERK;
        EventCase kase = event_case_with(slide.text.at, options);
        double found = kase.run.status == STATUS_OK ? case_last(&kase.run, "x'") : NAN;
        if (!(fabs(found - slide.after) < 1e-6))
            fail_msg("seed %d, method %d, status %d: x' = %.12g for %.12g\n%s", (int)seed,
                     (int)options.method, (int)kase.run.status, found, slide.after, slide.text.at);
        text_clear(&slide.text);
        event_case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

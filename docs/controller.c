// controller.c: a cart that balances a pendulum: a simulation stepped with a controller in the
// loop.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zwang.h>

static const char text[] = "param m = 0.2, M = 1, l = 0.5, g = 9.81, F = 0\n"
                           "coord x, angle\n"
                           "mass M at [x, 0, 0]\n"
                           "mass m at [x + l*sin(angle), 0, l*cos(angle)]\n"
                           "gravity [0, 0, -g]\n"
                           "force F along x\n"
                           "initial angle = 0.3\n"
                           "run to 10 every 0.01\n";

// Says what is wrong; what the program returns.
static int failed(char *messages)
{
    fputs(messages ? messages : "failed\n", stderr);
    zw_free(messages);
    return 1;
}

int main(void)
{
    zw_model *model;
    zw_sim *sim;
    if (zw_model_read("cart", text, strlen(text), NULL, &model) != ZW_DONE ||
        zw_sim_new(model, NULL, &sim) != ZW_DONE)
        return failed(zw_messages(model, ZW_ERROR));
    zw_model_free(model); // the simulation does not need it

    // A hundred times a second: measure, decide, and hold the force until the next time.
    double q[2], v[2], largest = 0;
    for (int i = 1; i <= 1000; i++) {
        zw_sim_state(sim, NULL, q, v);
        double force = 40 * q[1] + 8 * v[1] + 2 * q[0] + 4 * v[0];
        if (zw_sim_set_parameter(sim, "F", force) != ZW_DONE ||
            zw_sim_to(sim, i / 100.0) != ZW_DONE)
            return failed(zw_sim_messages(sim, ZW_ERROR));
        largest = fmax(largest, fabs(force));
    }
    zw_sim_state(sim, NULL, q, v);
    bool stands = fabs(q[1]) < 1e-3 && fabs(v[1]) < 1e-3;
    printf("after 10 s the pendulum %s; the largest force was %.1f N\n",
           stands ? "stands" : "does not stand", largest);
    zw_sim_free(sim);
    return !stands;
}

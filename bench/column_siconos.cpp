// Siconos's side of bench/column. column_siconos N…: a column of N balls falls on a floor and on
// each other, by Moreau's and Jean's scheme with θ = 1/2; for each N a line
//
//     N SOLVER SECONDS ENERGY
//
// with the processor time of the whole simulation, made ready included, and the energy at its end.
#include <SiconosKernel.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

static double now()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The column of bench/column_zwang.c.
static const double radius = 0.05, gap = 0.01, g = 9.81, e = 0.5, end = 1, step = 1e-3;

static double simulate(size_t count, int solver)
{
    auto system = std::make_shared<NonSmoothDynamicalSystem>(0, end);
    auto law = std::make_shared<NewtonImpactNSL>(e);
    std::vector<std::shared_ptr<LagrangianLinearTIDS>> balls;
    auto mass = std::make_shared<SimpleMatrix>(1, 1);
    (*mass)(0, 0) = 1;
    for (size_t i = 0; i < count; i++) {
        auto q = std::make_shared<SiconosVector>(1), v = std::make_shared<SiconosVector>(1);
        auto weight = std::make_shared<SiconosVector>(1);
        (*q)(0) = radius + gap + (2 * radius + gap) * (double)i;
        (*weight)(0) = -g;
        auto ball = std::make_shared<LagrangianLinearTIDS>(q, v, mass);
        ball->setFExtPtr(weight);
        system->insertDynamicalSystem(ball);
        balls.push_back(ball);
    }
    for (size_t i = 0; i < count; i++) {
        auto b = std::make_shared<SiconosVector>(1);
        (*b)(0) = i == 0 ? -radius : -2 * radius;
        auto row = std::make_shared<SimpleMatrix>(1, i == 0 ? 1 : 2);
        (*row)(0, 0) = i == 0 ? 1 : -1;
        if (i > 0)
            (*row)(0, 1) = 1;
        auto relation = std::make_shared<LagrangianLinearTIR>(row, b);
        auto touch = std::make_shared<Interaction>(law, relation);
        if (i == 0)
            system->link(touch, balls[0]);
        else
            system->link(touch, balls[i - 1], balls[i]);
    }
    auto scheme = std::make_shared<MoreauJeanOSI>(0.5);
    auto times = std::make_shared<TimeDiscretisation>(0, step);
    auto problem = std::make_shared<LCP>(solver);
    auto simulation = std::make_shared<TimeStepping>(system, times, scheme, problem);
    while (simulation->hasNextEvent()) {
        simulation->computeOneStep();
        simulation->nextStep();
    }
    double energy = 0;
    for (auto &ball : balls)
        energy += (*ball->velocity())(0) * (*ball->velocity())(0) / 2 + g * (*ball->q())(0);
    return energy;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        int id;
    } solvers[] = {{"lemke", SICONOS_LCP_LEMKE}, {"pgs", SICONOS_LCP_PGS}};
    for (int i = 1; i < count; i++)
        for (auto &solver : solvers) {
            size_t balls = strtoul(words[i], NULL, 10);
            double start = now();
            double energy = simulate(balls, solver.id);
            printf("%zu %s %.4g %.9g\n", balls, solver.name, now() - start, energy);
            fflush(stdout);
        }
}

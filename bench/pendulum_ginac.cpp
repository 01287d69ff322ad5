// The planar pendulum of N links by GiNaC: absolute angles, point masses, Lagrange's equations.
//
//     pendulum_ginac N [REPEATS]
//
// Prints the least processor seconds of a derivation, over so many of them or those begun within
// ten seconds (mass matrix and right-hand side), and the peak memory in MiB. Energies stay as they
// are written, unexpanded: of the ways to say this to GiNaC, the fastest.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <ginac/ginac.h>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace GiNaC;

static double derive(int n)
{
    std::vector<symbol> q, u, m, l;
    symbol g("g");
    for (int i = 0; i < n; i++) {
        std::string index = std::to_string(i);
        q.emplace_back("q" + index);
        u.emplace_back("u" + index);
        m.emplace_back("m" + index);
        l.emplace_back("l" + index);
    }

    std::clock_t start = std::clock();
    ex kinetic = 0, potential = 0, height = 0, vx = 0, vy = 0;
    for (int i = 0; i < n; i++) {
        height -= l[i] * cos(q[i]);
        vx += l[i] * cos(q[i]) * u[i];
        vy += l[i] * sin(q[i]) * u[i];
        kinetic += m[i] * (pow(vx, 2) + pow(vy, 2)) / 2;
        potential += m[i] * g * height;
    }
    matrix mass(n, n), right(n, 1);
    for (int i = 0; i < n; i++) {
        ex momentum = kinetic.diff(u[i]);
        ex force = (kinetic - potential).diff(q[i]);
        for (int j = 0; j < n; j++) {
            mass(i, j) = j < i ? mass(j, i) : momentum.diff(u[j]);
            force -= momentum.diff(q[j]) * u[j];
        }
        right(i, 0) = force;
    }
    return (double)(std::clock() - start) / CLOCKS_PER_SEC;
}

int main(int count, char **words)
{
    int n = count > 1 ? std::atoi(words[1]) : 5, repeats = count > 2 ? std::atoi(words[2]) : 1;
    double best = derive(n), total = best;
    for (int i = 1; i < repeats && total < 10; i++) {
        double seconds = derive(n);
        best = std::min(best, seconds);
        total += seconds;
    }
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%.6g %.6g\n", best, (double)usage.ru_maxrss / 1024);
    return 0;
}

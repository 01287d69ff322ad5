// julia.c: the motion as a Julia module.
#include "export/script_impl.h"

static const char *const words[] = {
    "baremodule", "begin",  "break",  "catch", "const",   "continue", "do",       "else",
    "elseif",     "end",    "export", "false", "finally", "for",      "function", "global",
    "if",         "import", "let",    "local", "macro",   "module",   "quote",    "return",
    "struct",     "true",   "try",    "using", "while",   "mutable",  "abstract", "primitive",
    "type",       "where",  "in",     "isa",   NULL};

const Language export_julia_language = {.tongue = {.indent = "    ",
                                                   .definition = "    ",
                                                   .end = "",
                                                   .words = {{"atan2", "atan"},
                                                             {"pow", "^"},
                                                             {"fabs", "abs"},
                                                             {"fmin", "min"},
                                                             {"fmax", "max"},
                                                             {"real_sign", "sign"},
                                                             {"HUGE_VAL", "Inf"},
                                                             {NULL, NULL}}},
                                        .open = "[",
                                        .close = "]",
                                        .first = 1,
                                        .comment = "#",
                                        .words = words,
                                        .quote = "\"",
                                        .param = {"    ", "::Float64 = ", "\n"}};

static const char front[] =
    "\n"
    "module Zwang_<system>\n"
    "\n"
    "using LinearAlgebra\n"
    "\n"
    "const COORDINATES = String[<coordinates>]\n"
    "const SPEEDS = String[<speeds>]\n"
    "const CONDITIONS = String[<conditions>]\n"
    "const RESIDUALS = String[<residuals>]\n"
    "const SIDES = String[<sides>]\n"
    "const OUTPUTS = String[<outputs>]\n"
    "\n"
    "# After a change of some, `follow!` lets those follow that the model defines by others.\n"
    "Base.@kwdef mutable struct Parameters\n"
    "=parameters\n"
    "?i     near::Vector{Float64} = Float64[<near>]\n"
    "end\n"
    "\n"
    "function follow!(p)\n"
    "=follow\n"
    "    return p\n"
    "end\n"
    "\n"
    "start() = Float64[<start>]\n";

static const char derivative[] =
    "\n"
    "?s function derivative(t, y, p)\n"
    "?s     rate = zeros(<y>)\n"
    "?l function equations(t, y, p)\n"
    "?i function equations(t, y, x, p)\n"
    "?n     rate, matrix, right = zeros(<n>), zeros(<u> * <u>), zeros(<u>)\n"
    "=rates\n"
    "?s     return rate\n"
    "?n     return rate, permutedims(reshape(matrix, <u>, <u>)), right\n"
    "end\n"
    "?l \n"
    "?l function derivative(t, y, p)\n"
    "?l     rate, matrix, right = equations(t, y, p)\n"
    "?l     return [rate; (matrix \\ right)[1:<k>]]\n"
    "?l end\n"
    "?i \n"
    "?i # Rates, then multipliers, by Newton's method from p.near; not numbers where it does not "
    "arrive.\n"
    "?i function stationary(t, y, p)\n"
    "?i     x, former = copy(p.near), Inf\n"
    "?i     rate = zeros(<n>)\n"
    "?i     for round in 1:50\n"
    "?i         rate, matrix, right = equations(t, y, x, p)\n"
    "?i         step = matrix \\ right\n"
    "?i         change, size = maximum(abs.(step)), maximum(abs.(x))\n"
    "?i         # Rounding: steps that no longer become smaller.\n"
    "?i         if former <= 1e-10 * (1 + size) && change >= former / 2\n"
    "?i             return rate, x\n"
    "?i         end\n"
    "?i         x = x - step\n"
    "?i         if change <= 1e-13 * size\n"
    "?i             return rate, x\n"
    "?i         end\n"
    "?i         former = change\n"
    "?i     end\n"
    "?i     return rate, fill(NaN, <u>)\n"
    "?i end\n"
    "?i \n"
    "?i function derivative(t, y, p)\n"
    "?i     rate, x = stationary(t, y, p)\n"
    "?i     return [rate; x[1:<k>]]\n"
    "?i end\n"
    "?i \n"
    "?i # After every step: the branch is followed from here on; false where it has ended.\n"
    "?i function follow_branch!(t, y, p)\n"
    "?i     x = stationary(t, y, p)[2]\n"
    "?i     found = all(isfinite, x)\n"
    "?i     if found\n"
    "?i         p.near = x\n"
    "?i     end\n"
    "?i     return found\n"
    "?i end\n"
    "\n"
    "function derivative_along(t, y, direction, p)\n"
    "?s     change = zeros(<y>)\n"
    "?l     change, matrix, right = zeros(<n>), zeros(<u> * <u>), zeros(<u>)\n"
    "?i     x = stationary(t, y, p)[2]\n"
    "?i     change, right = zeros(<n>), zeros(<u>)\n"
    "=slopes\n"
    "?s     return change\n"
    "?l     _, whole, known = equations(t, y, p)\n"
    "?l     right -= permutedims(reshape(matrix, <u>, <u>)) * (whole \\ known)\n"
    "?l     return [change; (whole \\ right)[1:<k>]]\n"
    "?i     step = equations(t, y, x, p)[2] \\ right\n"
    "?i     return [change; -step[1:<k>]]\n"
    "end\n"
    "\n"
    "function jacobian(t, y, p)\n"
    "    columns = zeros(<y>, <y>)\n"
    "    for j in 1:<y>\n"
    "        direction = zeros(<y>)\n"
    "        direction[j] = 1\n"
    "        columns[:, j] = derivative_along(t, y, direction, p)\n"
    "    end\n"
    "    return columns\n"
    "end\n";

static const char motion[] =
    "\n"
    "function motion(t, y, p)\n"
    "    rate = derivative(t, y, p)\n"
    "    v, a, l = rate[1:<n>], zeros(<n>), zeros(<m>)\n"
    "=accelerations\n"
    "?m     b, rest = zeros(<m> * <n>), zeros(<n>)\n"
    "?m =reactions\n"
    "?m     b = reshape(b, <n>, <m>)\n"
    "?w     l = b \\ rest\n"
    "?h     # Some conditions follow from the others: of all multipliers the least.\n"
    "?d     # Some conditions follow from the others and are left out.\n"
    "?h     kept, left = [<kept>], [<left>]\n"
    "?d     kept = [<kept>]\n"
    "?h     parts = b[:, kept] \\ b[:, left]\n"
    "?h     l[kept] = (I + parts * parts') \\ (b[:, kept] \\ rest)\n"
    "?h     l[left] = parts' * l[kept]\n"
    "?d     l[kept] = b[:, kept] \\ rest\n"
    "    return v, a, l\n"
    "end\n"
    "\n"
    "function quantities(t, y, p)\n"
    "    v, a, l = motion(t, y, p)\n"
    "    residual, out = zeros(<r>), zeros(<o>)\n"
    "=quantities\n"
    "    found = Dict{String, Float64}()\n"
    "?e     found[\"energy\"] = energy\n"
    "    for i in eachindex(RESIDUALS)\n"
    "        found[\"residual.\" * RESIDUALS[i]] = residual[i]\n"
    "    end\n"
    "    for i in eachindex(OUTPUTS)\n"
    "        found[OUTPUTS[i]] = out[i]\n"
    "    end\n"
    "    return found\n"
    "end\n"
    "?c \n"
    "?c # What y misses of the conditions that integration lets drift, and how that changes with "
    "y.\n"
    "?c function drift(t, y, p)\n"
    "?c     miss, slope = zeros(<c>), zeros(<c> * <y>)\n"
    "?c =drifts\n"
    "?c     return miss, permutedims(reshape(slope, <y>, <c>))\n"
    "?c end\n"
    "?c \n"
    "?c # y moved the least onto these conditions.\n"
    "?c function project(t, y, p)\n"
    "?c     former = Inf\n"
    "?c     for round in 1:50\n"
    "?c         miss, slope = drift(t, y, p)\n"
    "?c         step = slope \\ miss\n"
    "?c         change = maximum(abs.(step))\n"
    "?c         if !(change < former / 2)\n"
    "?c             break\n"
    "?c         end\n"
    "?c         y, former = y - step, change\n"
    "?c     end\n"
    "?c     return former <= 1e-9 * (1 + maximum(abs.(y))) ? y : fill(NaN, <y>)\n"
    "?c end\n"
    "?o \n"
    "?o # f, f', f'' of the motion without one-sided conditions, their rows G in the speeds,\n"
    "?op # how their reactions act, P,\n"
    "?o # and the matrix M of the equations for the speeds: multipliers l >= 0 give\n"
    "?o # f'' - G M^-1 P' l (P is G unless it is told).\n"
    "?o function sides(t, y, p)\n"
    "?o     rate = derivative(t, y, p)\n"
    "?o     side, inertia = zeros(<s> * <w>), zeros(<u> * <u>)\n"
    "?o =sides\n"
    "?o     side = permutedims(reshape(side, <w>, <s>))\n"
    "?o     inertia = permutedims(reshape(inertia, <u>, <u>))\n"
    "?op     rows, pushes = side[:, 4:3 + <k>], side[:, 4 + <k>:end]\n"
    "?op     return side[:, 1], side[:, 2], side[:, 3], rows, pushes, inertia\n"
    "?oq     return side[:, 1], side[:, 2], side[:, 3], side[:, 4:end], inertia\n"
    "?o end\n"
    "\n"
    "end\n";

void export_julia(const Exported *exported, Text *source, Text *header)
{
    (void)header;
    comment_head(exported,
                 "A Julia module: p = Parameters(); derivative(t, y, p), jacobian(t, y, p),\n"
                 "motion(t, y, p): velocities, accelerations, multipliers; quantities(t, y, p).",
                 source);
    script_write(exported, front, source);
    script_write(exported, derivative, source);
    script_write(exported, motion, source);
}

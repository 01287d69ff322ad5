// matlab.c: the motion as one MATLAB (or Octave) file, whose function hands out the others.
#include "export/script_impl.h"

static const char *const words[] = {"break",
                                    "case",
                                    "catch",
                                    "classdef",
                                    "continue",
                                    "else",
                                    "elseif",
                                    "end",
                                    "for",
                                    "function",
                                    "global",
                                    "if",
                                    "otherwise",
                                    "parfor",
                                    "persistent",
                                    "return",
                                    "spmd",
                                    "switch",
                                    "try",
                                    "while",
                                    "until",
                                    "do",
                                    "unwind_protect",
                                    "endif",
                                    "endfor",
                                    "endfunction",
                                    "endwhile",
                                    "endswitch",
                                    NULL};

// The first function is named after the system: none of the others may be, nor what they call.
static const char *const calls[] = {"parameters",
                                    "follow",
                                    "start",
                                    "derivative",
                                    "derivative_along",
                                    "jacobian",
                                    "motion",
                                    "drift",
                                    "quantities",
                                    "project",
                                    "follow_branch",
                                    "sides",
                                    "equations",
                                    "zeros",
                                    "signals",
                                    "rate_now",
                                    "stationary",
                                    "sin",
                                    "cos",
                                    "tan",
                                    "asin",
                                    "acos",
                                    "atan",
                                    "atan2",
                                    "sinh",
                                    "cosh",
                                    "tanh",
                                    "exp",
                                    "log",
                                    "sqrt",
                                    "abs",
                                    "sign",
                                    "min",
                                    "max",
                                    "power",
                                    "Inf",
                                    "NaN",
                                    "pinv",
                                    "eye",
                                    "numel",
                                    "all",
                                    "isfinite",
                                    "struct",
                                    "f",
                                    "p",
                                    "y",
                                    "t",
                                    "rate",
                                    "matrix",
                                    "right",
                                    "change",
                                    "columns",
                                    "v",
                                    "a",
                                    "l",
                                    "b",
                                    "rest",
                                    "residual",
                                    "out",
                                    "energy",
                                    "miss",
                                    "slope",
                                    "former",
                                    "step",
                                    "side",
                                    "inertia",
                                    "x",
                                    "size",
                                    "round",
                                    "j",
                                    "kept",
                                    "left",
                                    "parts",
                                    "example",
                                    "valid",
                                    "midpoint",
                                    "limits",
                                    "choice",
                                    "rate_inside",
                                    "first",
                                    "part",
                                    "extrapolated",
                                    "stop",
                                    "print_row",
                                    "error",
                                    "fprintf",
                                    "find",
                                    "isempty",
                                    "cell",
                                    "ending",
                                    "off",
                                    "last",
                                    "now",
                                    "next",
                                    "count",
                                    "h",
                                    "s",
                                    "ratio",
                                    "names",
                                    "wrong",
                                    "until",
                                    "row",
                                    "over",
                                    "good",
                                    "found",
                                    "cone",
                                    "table_piece",
                                    "table_column",
                                    "all_tables",
                                    "floor",
                                    NULL};

const Language export_matlab_language = {
    .tongue = {.indent = "    ",
               .definition = "    ",
               .end = ";",
               .words = {{"pow", "power"},
                         {"fabs", "abs"},
                         {"fmin", "min"},
                         {"fmax", "max"},
                         {"real_sign", "sign"},
                         {"HUGE_VAL", "Inf"},
                         {NULL, NULL}}},
    .open = "(",
    .close = ")",
    .first = 1,
    .comment = "%",
    .words = words,
    .calls = calls,
    .quote = "'",
    .param = {"    p.", " = ", ";\n"},
    .table = {"            {", "[", "]", ", ...\n        ", "{", "}", "}, ...\n"}};

static const char front[] =
    "function f = <system>()\n"
    "    f.parameters = @parameters;\n"
    "    f.follow = @follow;\n"
    "    f.start = @start;\n"
    "?u     f.signals = @signals;\n"
    "?u     f.inputs = {<inputs>};\n"
    "    f.derivative = @derivative;\n"
    "    f.derivative_along = @derivative_along;\n"
    "    f.jacobian = @jacobian;\n"
    "    f.motion = @motion;\n"
    "    f.quantities = @quantities;\n"
    "?c     f.drift = @drift;\n"
    "?c     f.project = @project;\n"
    "?i     f.follow_branch = @follow_branch;\n"
    "?o     f.sides = @sides;\n"
    "?v     f.valid = @valid;\n"
    "    f.example = @example;\n"
    "    f.coordinates = {<coordinates>};\n"
    "    f.speeds = {<speeds>};\n"
    "    f.conditions = {<conditions>};\n"
    "    f.residuals = {<residuals>};\n"
    "    f.side_names = {<sides>};\n"
    "    f.outputs = {<outputs>};\n"
    "end\n"
    "\n"
    "function p = parameters()\n"
    "    p = struct();\n"
    "=parameters\n"
    "?i     p.near = [<near>]';\n"
    "end\n"
    "\n"
    "% After a change of some: those follow that the model defines by others.\n"
    "function p = follow(p)\n"
    "=follow\n"
    "end\n"
    "\n"
    "function y = start()\n"
    "    y = [<start>]';\n"
    "end\n";

static const char tables[] =
    "\n"
    "% How a table goes on beyond its ends (0 not at all, 1 held, 2 repeated), whether it keeps "
    "each\n"
    "% value to the next knot, its knots, and the coefficients of its pieces.\n"
    "function all = all_tables()\n"
    "    persistent kept\n"
    "    if isempty(kept)\n"
    "        kept = { ...\n"
    "=tables\n"
    "        };\n"
    "    end\n"
    "    all = kept;\n"
    "end\n"
    "\n"
    "% The number of the piece with u in it, which has its beginning and not its end.\n"
    "function piece = table_piece(u, number)\n"
    "    kept = all_tables();\n"
    "    table = kept{number + 1};\n"
    "    knots = table{3};\n"
    "    many = numel(knots) - 1;\n"
    "    period = knots(end) - knots(1);\n"
    "    rounds = 0;\n"
    "    piece = NaN;\n"
    "    if ~isfinite(u)\n"
    "        return;\n"
    "    elseif table{1} == 2\n"
    "        rounds = floor((u - knots(1)) / period);\n"
    "        while knots(1) + rounds * period > u\n"
    "            rounds = rounds - 1;\n"
    "        end\n"
    "        while knots(1) + (rounds + 1) * period <= u\n"
    "            rounds = rounds + 1;\n"
    "        end\n"
    "    elseif u < knots(1)\n"
    "        if table{1} == 1\n"
    "            piece = -1;\n"
    "        end\n"
    "        return;\n"
    "    elseif u >= knots(end) && (table{1} == 1 || (table{2} == 1 && u == knots(end)))\n"
    "        piece = many;\n"
    "        return;\n"
    "    elseif u > knots(end)\n"
    "        return;\n"
    "    end\n"
    "    low = 1;\n"
    "    high = many + 1;\n"
    "    while high - low > 1\n"
    "        middle = floor((low + high) / 2);\n"
    "        if knots(middle) + rounds * period <= u\n"
    "            low = middle;\n"
    "        else\n"
    "            high = middle;\n"
    "        end\n"
    "    end\n"
    "    piece = rounds * many + low - 1;\n"
    "end\n"
    "\n"
    "% A coefficient of a piece, or where it starts.\n"
    "function value = table_column(piece, number)\n"
    "    kept = all_tables();\n"
    "    table = kept{floor(number / 8) + 1};\n"
    "    column = number - 8 * floor(number / 8);\n"
    "    knots = table{3};\n"
    "    many = numel(knots) - 1;\n"
    "    rounds = 0;\n"
    "    value = NaN;\n"
    "    if ~isfinite(piece)\n"
    "        return;\n"
    "    elseif table{1} == 2\n"
    "        rounds = floor(piece / many);\n"
    "    end\n"
    "    at = piece - rounds * many;\n"
    "    index = max(at, 0) + 1;\n"
    "    if column == 4\n"
    "        value = knots(index) + rounds * (knots(end) - knots(1));\n"
    "        return;\n"
    "    end\n"
    "    row = table{4}{column + 1};\n"
    "    if isempty(row) || (column > 0 && (at < 0 || at >= many))\n"
    "        value = 0;\n"
    "    else\n"
    "        value = row(index);\n"
    "    end\n"
    "end\n";

static const char derivative[] =
    "?u \n"
    "?u % The inputs u at a time, as the model says.\n"
    "?u function u = signals(t, p)\n"
    "?u     u = zeros(<i>, 1);\n"
    "?u =signals\n"
    "?u end\n"
    "\n"
    "?s function rate = derivative(t, y, <in>p)\n"
    "?s     rate = zeros(<y>, 1);\n"
    "?l function [rate, matrix, right] = equations(t, y, <in>p)\n"
    "?i function [rate, matrix, right] = equations(t, y, x, <in>p)\n"
    "?n     rate = zeros(<n>, 1);\n"
    "?n     matrix = zeros(<u>, <u>);\n"
    "?n     right = zeros(<u>, 1);\n"
    "=rates\n"
    "    % What has no value among the reals is complex here.\n"
    "?s     if ~isreal(rate)\n"
    "?s         rate = NaN(<y>, 1);\n"
    "?s     end\n"
    "?n     if ~isreal(rate) || ~isreal(matrix) || ~isreal(right)\n"
    "?n         rate = NaN(<n>, 1);\n"
    "?n         matrix = NaN(<u>, <u>);\n"
    "?n         right = NaN(<u>, 1);\n"
    "?n     end\n"
    "?n     matrix = matrix.';\n"
    "end\n"
    "?l \n"
    "?l function rate = derivative(t, y, <in>p)\n"
    "?l     [v, matrix, right] = equations(t, y, <in>p);\n"
    "?l     x = matrix \\ right;\n"
    "?l     rate = [v; x(1:<k>)];\n"
    "?l end\n"
    "?i \n"
    "?i % Rates, then multipliers, by Newton's method from p.near; not numbers where it does not "
    "arrive.\n"
    "?i function [rate, x] = stationary(t, y, <in>p)\n"
    "?i     x = p.near;\n"
    "?i     former = Inf;\n"
    "?i     for round = 1:50\n"
    "?i         [rate, matrix, right] = equations(t, y, x, <in>p);\n"
    "?i         step = matrix \\ right;\n"
    "?i         change = max(abs(step));\n"
    "?i         size = max(abs(x));\n"
    "?i         % Rounding: steps that no longer become smaller.\n"
    "?i         if former <= 1e-10 * (1 + size) && change >= former / 2\n"
    "?i             return;\n"
    "?i         end\n"
    "?i         x = x - step;\n"
    "?i         if change <= 1e-13 * size\n"
    "?i             return;\n"
    "?i         end\n"
    "?i         former = change;\n"
    "?i     end\n"
    "?i     x = NaN(<u>, 1);\n"
    "?i end\n"
    "?i \n"
    "?i function rate = derivative(t, y, <in>p)\n"
    "?i     [v, x] = stationary(t, y, <in>p);\n"
    "?i     rate = [v; x(1:<k>)];\n"
    "?i end\n"
    "?i \n"
    "?i % After every step: the branch is followed from here on; `found` is false where it has "
    "ended.\n"
    "?i function [p, found] = follow_branch(t, y, <in>p)\n"
    "?i     [v, x] = stationary(t, y, <in>p);\n"
    "?i     found = all(isfinite(x));\n"
    "?i     if found\n"
    "?i         p.near = x;\n"
    "?i     end\n"
    "?i end\n"
    "\n"
    "function change = derivative_along(t, y, direction, <in>p)\n"
    "?s     change = zeros(<y>, 1);\n"
    "?n     change = zeros(<n>, 1);\n"
    "?l     matrix = zeros(<u>, <u>);\n"
    "?n     right = zeros(<u>, 1);\n"
    "?i     [v, x] = stationary(t, y, <in>p);\n"
    "=slopes\n"
    "?l     [v, whole, known] = equations(t, y, <in>p);\n"
    "?l     step = whole \\ (right - matrix.' * (whole \\ known));\n"
    "?l     change = [change; step(1:<k>)];\n"
    "?i     [v, whole, unused] = equations(t, y, x, <in>p);\n"
    "?i     step = whole \\ right;\n"
    "?i     change = [change; -step(1:<k>)];\n"
    "end\n"
    "\n"
    "function columns = jacobian(t, y, <in>p)\n"
    "    columns = zeros(<y>, <y>);\n"
    "    for j = 1:<y>\n"
    "        direction = zeros(<y>, 1);\n"
    "        direction(j) = 1;\n"
    "        columns(:, j) = derivative_along(t, y, direction, <in>p);\n"
    "    end\n"
    "end\n";

static const char motion[] =
    "\n"
    "function [v, a, l] = motion(t, y, <in>p)\n"
    "    rate = derivative(t, y, <in>p);\n"
    "    v = rate(1:<n>);\n"
    "    a = zeros(<n>, 1);\n"
    "    l = zeros(<m>, 1);\n"
    "=accelerations\n"
    "?m     b = zeros(<n>, <m>);\n"
    "?m     rest = zeros(<n>, 1);\n"
    "?mb     [rate, x] = stationary(t, y, <in>p);\n"
    "?m =reactions\n"
    "?w     l = b \\ rest;\n"
    "?h     % Some conditions follow from the others: of all multipliers the least.\n"
    "?d     % Some conditions follow from the others and are left out.\n"
    "?h     kept = [<kept>];\n"
    "?h     left = [<left>];\n"
    "?d     kept = [<kept>];\n"
    "?h     parts = b(:, kept) \\ b(:, left);\n"
    "?h     l(kept) = (eye(numel(kept)) + parts * parts') \\ (b(:, kept) \\ rest);\n"
    "?h     l(left) = parts' * l(kept);\n"
    "?d     l(kept) = b(:, kept) \\ rest;\n"
    "end\n"
    "\n"
    "function [energy, residual, out] = quantities(t, y, <in>p)\n"
    "    [v, a, l] = motion(t, y, <in>p);\n"
    "    residual = zeros(<r>, 1);\n"
    "    out = zeros(<o>, 1);\n"
    "=quantities\n"
    "end\n"
    "?c \n"
    "?c % What y misses of the conditions that integration lets drift, and how that changes with "
    "y.\n"
    "?c function [miss, slope] = drift(t, y, <in>p)\n"
    "?c     miss = zeros(<c>, 1);\n"
    "?c     slope = zeros(<y>, <c>);\n"
    "?c =drifts\n"
    "?c     slope = slope';\n"
    "?c end\n"
    "?c \n"
    "?c % y moved the least onto these conditions.\n"
    "?c function y = project(t, y, <in>p)\n"
    "?c     former = Inf;\n"
    "?c     for round = 1:50\n"
    "?c         [miss, slope] = drift(t, y, <in>p);\n"
    "?c         step = pinv(slope) * miss;\n"
    "?c         change = max(abs(step));\n"
    "?c         if ~(change < former / 2)\n"
    "?c             break;\n"
    "?c         end\n"
    "?c         y = y - step;\n"
    "?c         former = change;\n"
    "?c     end\n"
    "?c     if ~(former <= 1e-9 * (1 + max(abs(y))))\n"
    "?c         y = NaN(<y>, 1);\n"
    "?c     end\n"
    "?c end\n"
    "?o \n"
    "?o % f, f', f'' of the motion without one-sided conditions, their rows G in the speeds,\n"
    "?o % the matrix M of the equations for the speeds,\n"
    "?op % and how the reactions act, P:\n"
    "?o % multipliers l >= 0 give f'' - G M^-1 P' l (P is G unless it is told).\n"
    "?op function [f, fdot, phi0, rows, inertia, pushes] = sides(t, y, <in>p)\n"
    "?oq function [f, fdot, phi0, rows, inertia] = sides(t, y, <in>p)\n"
    "?o     rate = derivative(t, y, <in>p);\n"
    "?o     side = zeros(<w>, <s>);\n"
    "?o     inertia = zeros(<u>, <u>);\n"
    "?o =sides\n"
    "?o     f = side(1, :)';\n"
    "?o     fdot = side(2, :)';\n"
    "?o     phi0 = side(3, :)';\n"
    "?o     rows = side(4:3 + <k>, :)';\n"
    "?op     pushes = side(4 + <k>:end, :)';\n"
    "?o     inertia = inertia.';\n"
    "?o end\n"
    "?v \n"
    "?x % What is at most 0 as long as the code is valid.\n"
    "?x function over = limits(t, y, <in>p)\n"
    "?x     over = zeros(<v>, 1);\n"
    "?x =validity\n"
    "?x end\n"
    "?x \n"
    "?v % False once something happened that this code does not follow.\n"
    "?v function good = valid(t, y, <in>p)\n"
    "?v     good = true;\n"
    "?x     over = limits(t, y, <in>p);\n"
    "?x     good = all(over(1:<s>) <= 1e-9 * max(abs(y))) && all(over(1 + <s>:end) <= 0);\n"
    "?r     [v, a, l] = motion(t, y, <in>p);\n"
    "?f     cone = zeros(<f>, 1);\n"
    "?f =cones\n"
    "?f     good = good && all(cone <= 1e-9 * max(abs(l)));\n"
    "?g     good = good && all(l([<held>]) >= -1e-9 * max(abs(l)));\n"
    "?v end\n";

// Gragg's midpoint rule, extrapolated, as in the example in C.
static const char example[] =
    "\n"
    "?u % Under the inputs of the model.\n"
    "function rate = rate_now(t, y, p)\n"
    "    rate = derivative(t, y, <then>p);\n"
    "end\n"
    "\n"
    "?t % The determinant of conditions and speeds, but for its sign.\n"
    "?t function left = choice(t, y, p)\n"
    "?t     over = limits(t, y, <then>p);\n"
    "?t     left = over(end);\n"
    "?t end\n"
    "?t \n"
    "?t % The rate inside a step that begins where that is `first`. Where it is less than a "
    "quarter or\n"
    "?t % more than four times this, the step is too long: there is no rate, so that none crosses "
    "a\n"
    "?t % place where it vanishes or has a pole.\n"
    "?t function rate = rate_inside(t, y, first, p)\n"
    "?t     rate = rate_now(t, y, p);\n"
    "?t     part = choice(t, y, p) / first;\n"
    "?t     if ~(part >= 0.25 && part <= 4)\n"
    "?t         rate = rate * NaN;\n"
    "?t     end\n"
    "?t end\n"
    "?t \n"
    "% From t over h by `count` steps of the midpoint rule (Gragg 1965).\n"
    "function ending = midpoint(t, y, h, count, p)\n"
    "    step = h / count;\n"
    "?t     first = choice(t, y, p);\n"
    "    last = y;\n"
    "    now = y + step * rate_now(t, y, p);\n"
    "    for s = 1:count - 1\n"
    "?j         next = last + 2 * step * rate_now(t + s * step, now, p);\n"
    "?t         next = last + 2 * step * rate_inside(t + s * step, now, first, p);\n"
    "        last = now;\n"
    "        now = next;\n"
    "    end\n"
    "?j     ending = (last + now + step * rate_now(t + h, now, p)) / 2;\n"
    "?t     ending = (last + now + step * rate_inside(t + h, now, first, p)) / 2;\n"
    "end\n"
    "\n"
    "% The same for more and more steps, extrapolated: the end, and its error against what is\n"
    "% allowed, which is infinite where the end is not finite.\n"
    "function [ending, off] = extrapolated(t, y, h, p)\n"
    "    parts = cell(1, 8);\n"
    "    for j = 1:8\n"
    "        parts{j} = midpoint(t, y, h, 2 * j, p);\n"
    "        for s = j - 1:-1:1\n"
    "            ratio = j / s;\n"
    "            parts{s} = parts{s + 1} + (parts{s + 1} - parts{s}) / (ratio * ratio - 1);\n"
    "        end\n"
    "    end\n"
    "    ending = parts{1};\n"
    "    off = max(abs(parts{1} - parts{2}) ./ (<tolerance> * (1 + abs(y))));\n"
    "    if ~all(isfinite([parts{1}; parts{2}]))\n"
    "        off = Inf;\n"
    "    end\n"
    "end\n"
    "\n"
    "% Ends the example: why there is nothing beyond t.\n"
    "function stop(t, y, p)\n"
    "    names = regexprep({<coordinates>, <speeds>}, '^(.*,.*)$', '\"$1\"');\n"
    "    wrong = find(~isfinite(y) | ~isfinite(rate_now(t, y, p)), 1);\n"
    "    if isempty(wrong)\n"
    "        error('zwang:stop', ['<system>: cannot go on from t = %.17g: no step from there has ' "
    "...\n"
    "              'a finite end within the tolerance, or the next row would take millions of ' "
    "...\n"
    "              'them'], t);\n"
    "    end\n"
    "    error('zwang:stop', '<system>: cannot go on from t = %.17g: the rate of %s is not finite "
    "there', ...\n"
    "          t, names{wrong});\n"
    "end\n"
    "\n"
    "function print_row(t, y, p)\n"
    "    if ~all(isfinite([y; rate_now(t, y, p)]))\n"
    "        stop(t, y, p);\n"
    "    end\n"
    "    fprintf('%.17g', t);\n"
    "    fprintf(',%.17g', y);\n"
    "?e     fprintf(',%.17g', quantities(t, y, <then>p));\n"
    "    fprintf('\\n');\n"
    "end\n"
    "\n"
    "% Integrates from the start and prints rows; an error where something is not finite.\n"
    "function example()\n"
    "    p = parameters();\n"
    "    y = start();\n"
    "    t = 0;\n"
    "    step = <every>;\n"
    "    row = 0;\n"
    "    fprintf('t');\n"
    "    names = {<coordinates>, <speeds>};\n"
    "    fprintf(',%s', names{:});\n"
    "?e     fprintf(',energy');\n"
    "    fprintf('\\n');\n"
    "    print_row(t, y, p);\n"
    "    while t < <to>\n"
    "        row = row + 1;\n"
    "        goal = row * <every>;\n"
    "        if goal >= <to> * (1 - 1e-12)\n"
    "            goal = <to>;\n"
    "        end\n"
    "        mark = t;\n"
    "        tried = 0;\n"
    "        while t < goal\n"
    "            last = t + step >= goal;\n"
    "            h = step;\n"
    "            if last\n"
    "                h = goal - t;\n"
    "            end\n"
    "            [ending, off] = extrapolated(t, y, h, p);\n"
    "            if off <= 1\n"
    "                y = ending;\n"
    "                t = t + h;\n"
    "                if last\n"
    "                    t = goal;\n"
    "                end\n"
    "?c                 y = project(t, y, <then>p);\n"
    "?i                 [p, found] = follow_branch(t, y, <then>p);\n"
    "?i                 if ~found\n"
    "?i                     stop(t, y, p);\n"
    "?i                 end\n"
    "?v                 if ~valid(t, y, <then>p)\n"
    "?v                     error('zwang:stop', '<system>: before t = %.17g <end>', t);\n"
    "?v                 end\n"
    "            end\n"
    "            if ~last || off > 1\n"
    "                step = h * min(3, max(0.2, 0.9 * max(off, 1e-12)^(-1 / 15)));\n"
    "            end\n"
    "            if ~(t + step / 1000 > t) || ~all(isfinite(y))\n"
    "                stop(t, y, p);\n"
    "            end\n"
    "            tried = tried + 1;\n"
    "            if mod(tried, 1000) == 0\n"
    "                if goal - t > 1000 * (t - mark)\n"
    "                    stop(t, y, p);\n"
    "                end\n"
    "                mark = t;\n"
    "            end\n"
    "        end\n"
    "        print_row(t, y, p);\n"
    "    end\n"
    "end\n";

void export_matlab(const Exported *exported, Text *source, Text *header)
{
    (void)header;
    script_head(
        exported,
        "A MATLAB (or Octave) file: keep it under the name of its first function. Then\n"
        "f = NAME(); p = f.parameters(); rate = f.derivative(t, y, <in>p);\n"
        "[velocities, accelerations, multipliers] = f.motion(t, y, <in>p);\n"
        "[energy, residuals, outputs] = f.quantities(t, y, <in>p); f.jacobian(t, y, <in>p).\n"
        "f.example() integrates from the start and prints rows.",
        source);
    script_write(exported, front, source);
    if (exported->model->tables.count > 0)
        script_write(exported, tables, source);
    script_write(exported, derivative, source);
    script_write(exported, motion, source);
    script_write(exported, example, source);
}

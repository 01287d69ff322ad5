% compare.m: exported MATLAB files against the values that exported C has given (values.txt).
1;
function compare(model, what, found, expected, within)
    scale = max([abs(expected(:)); 1e-300]);
    if !all(abs(found(:) - expected(:)) <= within * scale)
        printf("%s: %s differs\n", model, what);
        disp([found(:), expected(:)]);
        exit(1);
    end
end

function [part, values] = take(values, count)
    part = values(1:count);
    values = values(count + 1:end);
end

warning("off", "all"); % the files are not named after their functions
addpath(".");
file = fopen("values.txt");
count = 0;
while ischar(line = fgetl(file))
    values = sscanf(line, "%g");
    model = sprintf("model_%d", values(1));
    size = values(2); n = values(3); m = values(4); drifts = values(5); sides = values(6);
    t = values(7);
    values = values(8:end);
    [y, values] = take(values, size);
    [rate, values] = take(values, size);
    [jacobian, values] = take(values, size^2);
    [rest, values] = take(values, n + m);
    [miss, values] = take(values, drifts);
    f = feval(model);
    p = f.parameters();
    compare(model, "derivative", f.derivative(t, y, p), rate, 1e-14);
    compare(model, "jacobian", f.jacobian(t, y, p), reshape(jacobian, size, size)', 1e-12);
    [v, a, l] = f.motion(t, y, p);
    compare(model, "accelerations and multipliers", [a; l], rest, 1e-10);
    if drifts > 0
        compare(model, "drift", [f.drift(t, y, p); 1], [miss; 1], 1e-14);
        compare(model, "projection", [f.drift(t, f.project(t, y, p), p); 1], [0 * miss; 1], 1e-13);
    end
    if sides > 0
        [g, gdot, phi0, rows, inertia] = f.sides(t, y, p);
        compare(model, "sides", [g, gdot, phi0]', values, 1e-13);
    end
    [energy, residual, out] = f.quantities(t, y, p);
    count += 1;
end
printf("%d files\n", count);
if count >= str2double(argv(){end})
    fclose(fopen("compared", "w"));
end

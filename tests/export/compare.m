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

warning("off", "all"); % the files are not named after their functions
addpath(".");
file = fopen("values.txt");
count = 0;
while ischar(line = fgetl(file))
    values = sscanf(line, "%g");
    model = sprintf("model_%d", values(1));
    size = values(2); n = values(3); m = values(4); t = values(5);
    values = values(6:end);
    y = values(1:size);
    rate = values(size + 1:2 * size);
    jacobian = reshape(values(2 * size + 1:2 * size + size^2), size, size)';
    rest = values(2 * size + size^2 + 1:end);
    f = feval(model);
    p = f.parameters();
    compare(model, "derivative", f.derivative(t, y, p), rate, 1e-13);
    compare(model, "jacobian", f.jacobian(t, y, p), jacobian, 1e-12);
    [v, a, l] = f.motion(t, y, p);
    compare(model, "accelerations and multipliers", [a; l], rest, 1e-10);
    [energy, residual, out] = f.quantities(t, y, p);
    count += 1;
end
printf("%d files\n", count);
if count < 25
    exit(1);
end

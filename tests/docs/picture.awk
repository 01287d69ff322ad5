# picture.awk WANT GOT: exits 0 where two SVG files are one picture: the same marks in the same
# order, no coordinate further off than a reader could see.
function next_number(line)
{
    return match(line, /[0-9]+(\.[0-9]+)?/)
}

function same(want, got,    a, b, la, lb, off)
{
    while (next_number(want)) {
        a = RSTART
        la = RLENGTH
        if (!next_number(got))
            return 0
        b = RSTART
        lb = RLENGTH
        if (substr(want, 1, a - 1) != substr(got, 1, b - 1))
            return 0
        off = substr(want, a, la) - substr(got, b, lb)
        if (off > 0.1 || off < -0.1)
            return 0
        want = substr(want, a + la)
        got = substr(got, b + lb)
    }
    return want == got
}

FILENAME == ARGV[1] { want[++wanted] = $0; next }
{ got[++given] = $0 }
END {
    if (wanted != given || wanted == 0)
        exit 1
    for (i = 1; i <= wanted; i++)
        if (want[i] != got[i] && !same(want[i], got[i]))
            exit 1
    exit 0
}

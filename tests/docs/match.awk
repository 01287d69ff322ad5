# match.awk WANT GOT: exits 0 where GOT fits WANT: … is any text, a line of … any lines, and a line
# of WANT that begins with ↪ belongs to the one before it.
function fits(want, got,    parts, count, i, at)
{
    if (want == got)
        return 1
    count = split(want, parts, "…")
    if (count < 2 || substr(got, 1, length(parts[1])) != parts[1])
        return 0
    got = substr(got, length(parts[1]) + 1)
    for (i = 2; i < count; i++) {
        at = index(got, parts[i])
        if (at == 0)
            return 0
        got = substr(got, at + length(parts[i]))
    }
    at = length(got) - length(parts[count])
    return at >= 0 && substr(got, at + 1) == parts[count]
}

FILENAME == ARGV[1] && sub(/^ *↪/, "") { want[wanted] = want[wanted] $0; next }
FILENAME == ARGV[1] { want[++wanted] = $0; next }
{ got[++given] = $0 }
END {
    j = 1
    for (i = 1; i <= wanted; i++) {
        if (want[i] == "…") {
            if (i == wanted)
                exit 0
            while (j <= given && !fits(want[i + 1], got[j]))
                j++
        } else if (j > given || !fits(want[i], got[j++])) {
            exit 1
        }
    }
    exit j != given + 1
}

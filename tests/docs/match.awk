# match.awk WANT GOT: exits 0 where GOT fits WANT: … is any text, a line of … any lines, and a line
# of WANT that begins with ↪ belongs to the one before it. Where else lines are broken, and how wide
# gaps are, does not count: both follow the length of numbers.
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

function joined(text, line,    whole)
{
    if (line == "…")
        return text "…"
    whole = !sub(/^ *↪/, "", line)
    gsub(/[ \t]+/, " ", line)
    sub(/ $/, "", line)
    if (!whole)
        return text line
    sub(/^ /, "", line)
    return text (text ~ /…$/ || text == "" || line == "" ? "" : " ") line
}

FILENAME == ARGV[1] { want = joined(want, $0); next }
{ got = joined(got, $0) }
END { exit !fits(want, got) }

# match.awk WANT GOT: exits 0 where GOT fits WANT: … is any text, a line of … any lines, and a line
# of WANT that begins with ↪ belongs to the one before it. Where WANT has a …, it does not count where
# else lines are broken and how wide gaps are: both follow the length of numbers. Else lines are the
# same.
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

# A line as it is, but for blanks at its end.
function exact(text, line)
{
    if (sub(/^ *↪/, "", line))
        return text line
    sub(/[ \t]+$/, "", line)
    return text "\n" line
}

FILENAME == ARGV[1] { want = joined(want, $0); want_lines = exact(want_lines, $0); next }
{ got = joined(got, $0); got_lines = exact(got_lines, $0) }
END { exit !(want ~ /…/ ? fits(want, got) : want_lines == got_lines) }

# links.awk PAGE: prints for each link ](TARGET) to something in the repository, outside of code:
# PAGE, the line, the file from the root, and the anchor, with tabs between them.
function resolve(target,    parts, count, i, path, folder)
{
    folder = FILENAME
    if (!sub(/\/[^\/]*$/, "", folder))
        folder = ""
    count = split((folder == "" ? "" : folder "/") target, parts, "/")
    path = ""
    for (i = 1; i <= count; i++)
        if (parts[i] == "..")
            sub(/\/?[^\/]*$/, "", path)
        else if (parts[i] != "." && parts[i] != "")
            path = path (path == "" ? "" : "/") parts[i]
    return path
}

/^```/ { fenced = !fenced; next }
fenced || /^    / { next }
{
    text = $0
    gsub(/`[^`]*`/, "code", text)
    while (match(text, /\]\([^)]+\)/)) {
        target = substr(text, RSTART + 2, RLENGTH - 3)
        text = substr(text, RSTART + RLENGTH)
        if (target ~ /^[a-z]+:/)
            continue
        anchor = ""
        if (at = index(target, "#")) {
            anchor = substr(target, at + 1)
            target = substr(target, 1, at - 1)
        }
        print FILENAME "\t" FNR "\t" (target == "" ? FILENAME : resolve(target)) "\t" anchor
    }
}

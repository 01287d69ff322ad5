# sources.awk: the commands of docs/sources.md, each once, and what each row looks for.
function plain(cell) {
    gsub(/^ +| +$/, "", cell)
    if (cell ~ /^`.*`$/) cell = substr(cell, 2, length(cell) - 2)
    return cell
}
/^\| / && !/^\| (---|number )/ {
    count = split(substr($0, 3), cell, / \| /)
    sub(/ \|$/, "", cell[4])
    command = plain(cell[3])
    rows++
    if (command == "opinion" || command == "not yet") {
        other[command]++
        next
    }
    shown++
    at = index(command, " --equation ")
    key = at ? substr(command, 1, at) : command
    if (!(key in known)) {
        known[key] = ++commands
        text[commands] = key
    }
    if (at) text[known[key]] = text[known[key]] substr(command, at)
    print known[key] "\t" NR "\t" plain(cell[4]) > (work "/rows")
}
END {
    for (i = 1; i <= commands; i++) print text[i] > (work "/commands")
    printf "%d lines of the sources: %d shown and found, %d opinions, %d not yet shown.\n", rows, shown, other["opinion"], other["not yet"] > (work "/count")
}

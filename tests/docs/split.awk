# split.awk: the steps of a page. With into=FOLDER each is written there, numbered: N.file and
# N.name, or N.cmd, N.want and N.line. With from=FOLDER the page is printed with N.want of it.
function next_step()
{
    step = sprintf("%s/%04d", into != "" ? into : from, ++steps)
}

function copy_wanted(    line)
{
    while ((getline line < (step ".want")) > 0)
        print line
    close(step ".want")
}

/^```/ {
    if (inside != "") {
        inside = ""
    } else if ($0 ~ /^```console/) {
        inside = "console"
    } else if (match($0, /file=[^ ]+/)) {
        inside = "file"
        next_step()
        if (into != "") {
            print substr($0, RSTART + 5, RLENGTH - 5) > (step ".name")
            printf "" > (step ".file")
        }
    } else {
        inside = "other"
    }
    if (from != "")
        print
    next
}

inside == "console" && (continued || /^\$ /) {
    if (!continued) {
        next_step()
        if (into != "") {
            print FNR > (step ".line")
            printf "" > (step ".want")
        }
    }
    if (into != "")
        print continued ? $0 : substr($0, 3) > (step ".cmd")
    else
        print
    continued = /\\$/ # the command goes on in the next line
    if (from != "" && !continued)
        copy_wanted()
    next
}

inside == "console" {
    if (into != "")
        print > (step ".want")
    next
}

inside == "file" && into != "" { print > (step ".file") }
from != "" { print }

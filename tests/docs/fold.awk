# fold.awk: lines of more than 100 columns are broken, between words where there are any. What goes on
# begins with ↪, as match.awk reads it. Bytes that continue a letter take no column.
function columns(text)
{
    gsub(/[\200-\277]/, "", text)
    return length(text)
}

{
    start = ""
    while (columns(start $0) > 100) {
        # the last blank that leaves at most 100 columns before it; else the last byte that begins a letter
        cut = 0
        for (i = 1; i <= length($0) && columns(start substr($0, 1, i)) <= 100; i++)
            if (substr($0, i + 1, 1) == " " && substr($0, 1, i) !~ /^ *$/)
                cut = i
        if (!cut) {
            cut = i - 1
            while (substr($0, cut + 1, 1) ~ /[\200-\277]/)
                cut--
        }
        print start substr($0, 1, cut)
        $0 = substr($0, cut + 1)
        start = "    ↪"
    }
    print start $0
}

# wide.awk PAGE: prints the lines of code blocks that are wider than 100 columns, formulas left out.
# Bytes that continue a letter take no column.
/^```/ { inside = inside ? "" : $0; next }
inside ? inside !~ /^```math/ : /^    / {
    line = $0
    gsub(/[\200-\277]/, "", line)
    if (length(line) > 100)
        print FNR ": " length(line) " columns: " $0
}

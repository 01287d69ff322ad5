# anchors.awk PAGE: prints PAGE#ANCHOR for each heading, as forges make anchors: small letters,
# hyphens for spaces, no other signs, and a number behind one that was there before.
/^```/ { fenced = !fenced; next }
!fenced && /^#+ / {
    text = tolower($0)
    sub(/^#+ +/, "", text)
    gsub(/[][!"#$%&'()*+,.\/:;<=>?@\\^`{|}~]/, "", text)
    gsub(/ /, "-", text)
    print FILENAME "#" text (seen[text]++ ? "-" seen[text] - 1 : "")
}

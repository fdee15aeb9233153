#!/bin/sh
# Draws two results of `tips verify --json` as one SVG: the share of each layer's output bits that differ after a shift.
#     tools/verify_picture.sh breaking.json exact.json > picture.svg
set -eu
if [ $# -ne 2 ]; then
    echo "usage: verify_picture.sh FIRST.json SECOND.json > PICTURE.svg" >&2
    exit 2
fi

# One line per layer: file, pool, shifts, name, share. The JSON has one field a line.
shares() {
    awk -v file="$1" '
        function value() { v = $0; sub(/^[^:]*: */, "", v); sub(/,$/, "", v); gsub(/"/, "", v); return v }
        /^ *"layers": \[/ { inside = 1 }
        !inside && /^ *"pool":/ { pool = value() }
        !inside && /^ *"shifts":/ { shifts = value() }
        inside && /^ *"name":/ { name = value() }
        inside && /^ *"channels":/ { c = value() }
        inside && /^ *"height":/ { h = value() }
        inside && /^ *"width":/ { w = value() }
        inside && /^ *"differing_bits":/ { print file, pool, shifts, name, value() / (c * h * w * 32 * shifts) }
    ' "$2"
}

{ shares 1 "$1"; shares 2 "$2"; } | awk '
    { pool[$1] = $2; shifts = $3; share[$1, $4] = $5 }
    $1 == 1 { name[++n] = $4 }
    function text(x, y, size, anchor, words) {
        printf "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, size, anchor, words
    }
    function line(x1, y1, x2, y2, colour) {
        printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour
    }
    function bar(x, y, width, height, colour, words) {
        printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">", x, y, width, height, colour
        printf "<title>%s</title></rect>\n", words
    }
    function about(file, i) { return name[i] ", " pool[file] ": " sprintf("%.1f %%", 100 * share[file, name[i]]) }
    END {
        if (!n) { print "verify_picture.sh: no layers found; are these outputs of tips verify --json?" > "/dev/stderr"; exit 1 }
        left = 56; top = 64; wide = 720; tall = 180; bottom = top + tall; step = wide / n; most = 0.5
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 320\" width=\"800\" height=\"320\" font-family=\"sans-serif\" fill=\"#222\">\n"
        print "<rect width=\"800\" height=\"320\" fill=\"#fff\"/>"
        text(left, 22, 15, "start", "Output bits that differ after the input is shifted, layer by layer, over " shifts " circular shifts")
        bar(left, 36, 12, 12, "#d1652a", pool[1]); text(left + 18, 46, 13, "start", pool[1])
        bar(left + 150, 36, 12, 12, "#1f6fb2", pool[2]); text(left + 168, 46, 13, "start", pool[2])
        for (i = 0; i <= 5; i++) {
            y = bottom - tall * i / 5
            line(left, y, left + wide, y, i ? "#ddd" : "#222")
            text(left - 6, y + 4, 11, "end", i * 10 " %")
        }
        for (i = 1; i <= n; i++) {
            x = left + (i - 1) * step
            for (f = 1; f <= 2; f++) {
                if (!((f, name[i]) in share)) continue
                s = share[f, name[i]]; if (s > most) s = most
                height = tall * s / most
                # No difference at all is a dash on the axis: there is something, and it is zero.
                if (height < 2) bar(x + (f - 1) * step / 2 + 0.5, bottom - 2, step / 2 - 1, 2, f == 1 ? "#d1652a" : "#1f6fb2", about(f, i))
                else bar(x + (f - 1) * step / 2 + 0.5, bottom - height, step / 2 - 1, height, f == 1 ? "#d1652a" : "#1f6fb2", about(f, i))
            }
            if (i == 1 || i == n || (name[i] ~ /pool[0-9]*$/ && name[i] !~ /downsample|avgpool/)) {
                line(x + step / 2, bottom, x + step / 2, bottom + 8, "#222")
                text(x + step / 2, bottom + 22, 11, i == n ? "end" : "middle", name[i])
            }
        }
        text(left + wide / 2, bottom + 48, 12, "middle", "layers, from the input to the answer")
        print "</svg>"
    }'

#!/bin/sh
# check_rooms.sh TREE: who may include whom, below TREE. Prints what is wrong and fails if anything is.
# - A room includes only those that tests/house/rooms.txt allows, and rooms never form a cycle.
# - Headers *_parts.h are a room's own and are included there alone.
# - Some libraries are known to one file only.
set -eu
rooms=$(cd "$(dirname "$0")" && pwd)/rooms.txt
cd "$1"

find src cli include -name '*.[ch]' | sort | xargs awk -v rooms="$rooms" '
BEGIN {
    while ((getline line <rooms) > 0) {
        if (line ~ /^#/ || line !~ /:/) continue
        room = line
        sub(/:.*/, "", room)
        sub(/^[^:]*: */, "", line)
        may[room] = line
        order[++n_rooms] = room
    }
    only["dnnl.h"] = only["dnnl_types.h"] = only["dnnl_config.h"] = only["dnnl_version.h"] = "src/engine/engine_dnnl.c"
    only["mpi.h"] = "src/train/comm_mpi.c"
    only["cairo.h"] = "src/chart/pen_cairo.c"
}

function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }

function room_of(path,    part) {
    split(path, part, "/")
    return part[1] == "src" ? part[2] : part[1]
}

function is_allowed(from, name,    n, i, entry, part) {
    split(name, part, "/")
    n = split(may[from], entry, " ")
    for (i = 1; i <= n; i++) if (entry[i] == part[1] || entry[i] == name) return 1
    return 0
}

# Takes away rooms that include no room that is left, until none is left or all that are left lie on cycles.
function find_cycles(    i, j, left, removed, free) {
    for (i = 1; i <= n_rooms; i++) left[order[i]] = 1
    do {
        removed = 0
        for (i = 1; i <= n_rooms; i++) {
            if (!left[order[i]]) continue
            free = 1
            for (j = 1; j <= n_rooms; j++) if (left[order[j]] && (order[i], order[j]) in edge) free = 0
            if (free) { left[order[i]] = 0; removed = 1 }
        }
    } while (removed)
    for (i = 1; i <= n_rooms; i++)
        for (j = 1; j <= n_rooms; j++)
            if (left[order[i]] && left[order[j]] && (order[i], order[j]) in edge) {
                printf "cycle: %s includes %s (%s)\n", order[i], order[j], edge[order[i], order[j]]
                bad = 1
            }
}

FNR == 1 {
    n = split(FILENAME, part, "/")
    base = part[n]
    if (base ~ /\.c$/) {
        if (base in seen) complain("the name " base " is taken by " seen[base])
        seen[base] = FILENAME
    }
    from = room_of(FILENAME)
    if (!(from in may) && from != "include") complain("the room " from " is not in tests/house/rooms.txt")
}

/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    match($0, /[<"][^>"]*[>"]/)
    quote = substr($0, RSTART, 1)
    name = substr($0, RSTART + 1, RLENGTH - 2)
    to = name
    sub(/\/.*/, "", to)
    count++
    if ((name in only) && FILENAME != only[name]) complain(name " belongs to " only[name])
    if (from == "include") {
        if (quote == "\"") complain("public headers include <tips/...> and the system only, not \"" name "\"")
    } else if (quote == "\"" && name !~ /\//) {
        if (from != "cli" && name !~ /\.(def|inc)$/) complain("write \"" from "/" name "\", relative to src")
    } else if (quote == "\"" && to != from) {
        if (!((from, to) in edge)) edge[from, to] = FILENAME ":" FNR
        if (name ~ /_parts\.h$/) complain("\"" name "\" is the own of the room " to)
        else if (!is_allowed(from, name)) complain(from " may not include \"" name "\"")
    }
}

END {
    if (!count) { print "no #include was read"; bad = 1 }
    find_cycles()
    exit bad
}'

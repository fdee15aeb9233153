#!/bin/sh
# Reads every #include and checks who may include whom: the lower never knows the upper, neighbours do not know each other.
set -eu
cd "${SOURCE_DIR:-$(dirname "$0")/..}"

find src cli include -name '*.[ch]' | sort | xargs awk '
BEGIN {
    may["core"] = ""
    may["tensor"] = "core"
    may["engine"] = "core tensor"
    may["layer"] = "core tensor engine net/node.h net/builder.h net/emit.h"
    may["pool"] = "core tensor engine layer net/node.h net/builder.h net/emit.h"
    may["net"] = "core tensor engine layer pool"
    may["arch"] = "core net layer pool"
    may["data"] = "core tensor"
    may["train"] = "core tensor net arch pool data exchange metric"
    may["metric"] = "core tensor net arch layer pool"
    may["attack"] = may["report"] = "core tensor net arch pool"
    may["exchange"] = may["convert"] = "core tensor net arch layer pool"
    may["run"] = "core tensor engine layer pool net arch data train metric attack exchange convert report"
    may["cli"] = "run core/option.h core/json.h core/text_table.h"
    only["dnnl.h"] = only["dnnl_types.h"] = only["dnnl_config.h"] = only["dnnl_version.h"] = "src/engine/engine_dnnl.c"
    only["mpi.h"] = "src/train/comm_mpi.c"
    only["cairo.h"] = "src/report/pen_cairo.c"
}

function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }

function folder_of(path,    part) {
    split(path, part, "/")
    return part[1] == "src" ? part[2] : part[1]
}

function is_allowed(from, name,    n, i, entry, part) {
    split(name, part, "/")
    if (part[1] == from) return 1
    n = split(may[from], entry, " ")
    for (i = 1; i <= n; i++) if (entry[i] == part[1] || entry[i] == name) return 1
    return 0
}

FNR == 1 {
    n = split(FILENAME, part, "/")
    base = part[n]
    if (base ~ /\.c$/) {
        if (base in seen) complain("the name " base " is taken by " seen[base])
        seen[base] = FILENAME
    }
    from = folder_of(FILENAME)
    if (!(from in may) && from != "include") complain("the folder " from " has no rule here")
}

/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    match($0, /[<"][^>"]*[>"]/)
    quote = substr($0, RSTART, 1)
    name = substr($0, RSTART + 1, RLENGTH - 2)
    count++
    if ((name in only) && FILENAME != only[name]) complain(name " belongs to " only[name])
    if (from == "include") {
        if (quote == "\"") complain("public headers include <tips/...> and the system only, not \"" name "\"")
    } else if (quote == "\"") {
        if (name !~ /\//) {
            if (from != "cli" && name !~ /\.(def|inc)$/) complain("write \"" from "/" name "\", relative to src")
        } else if (!is_allowed(from, name)) {
            complain(from " may not include \"" name "\"")
        }
    }
}

END {
    if (!count) { print "no #include was read"; bad = 1 }
    exit bad
}'

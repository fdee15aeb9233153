#!/bin/sh
# What the rows of docs/results/data say of the paper's claims, as src/study/paper_results.def has it:
#     tools/paper_results.sh > paper_results.new && mv paper_results.new src/study/paper_results.def
set -eu
cd "$(dirname "$0")/.."
echo '/* TIPS_PAPER_RESULT(label, claim, better, worse, paired, value, low, high): made by tools/paper_results.sh of docs/results/data. */'
"${TIPS:-build/tips}" paper --json docs/results/data | awk '
    function value() { v = $0; sub(/^[^:]*: */, "", v); sub(/,$/, "", v); return v }
    function number() { v = value(); return v == "null" ? "NAN" : sprintf("%.4f", v) }
    /^      "label":/ { label = value(); here = 0 }
    /^      "here": \[/ { here = 1; claim = -1 }
    here && /"claim":/ { claim++ }
    here && /"better":/ { better = value() }
    here && /"worse":/ { worse = value() }
    here && /"paired":/ { paired = value() }
    here && /"value":/ { of = number() }
    here && /"low":/ { low = number() }
    here && /"high":/ { if (of != "NAN") printf "TIPS_PAPER_RESULT(%s, %d, %s, %s, %s, %s, %s, %s)\n", label, claim, better, worse, paired, of, low, number() }
'

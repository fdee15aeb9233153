#!/usr/bin/env bash
# Whether every row of a study's second table is in the first one, but for the seconds of training: same_rows.sh ALL.csv SOME.csv
set -euo pipefail
all=${1:?usage: same_rows.sh ALL.csv SOME.csv} some=${2:?usage: same_rows.sh ALL.csv SOME.csv}
rows() { sed 's/,[^,]*\(,[^,]*\)$/\1/' "$1" | sort; } # the seconds are the last column but one
count=$(($(wc -l <"$some") - 1))
[ "$count" -gt 0 ] || { echo "$some: has no rows"; exit 1; }
other=$(comm -13 <(rows "$all") <(rows "$some"))
if [ -n "$other" ]; then
    echo "$(wc -l <<<"$other") of $count rows of $some are not in $all:"
    echo "$other"
    exit 1
fi
echo "all $count rows of $some are in $all"

#!/bin/sh
# No line of C is longer than 120 columns. Characters count, in any locale: a bare system has none that knows UTF-8.
set -u
LC_ALL=C
export LC_ALL
cd "${SOURCE_DIR:?the source directory}" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Bytes 128 to 191 go on with a character that another byte began.
long_lines() {
    awk '{ line = $0; gsub(/[\200-\277]/, "", line) }
         length(line) > 120 { print FILENAME ":" FNR ": " substr($0, 1, 140) }' "$@"
}

{
    printf 'x%.0s' $(seq 118)
    printf '\303\251\342\202\254\n' # 120 columns, 123 bytes
    printf '%s\303\251\342\202\254\n' "$(printf 'x%.0s' $(seq 119))"
} >"$work/sample.c"
[ "$(long_lines "$work/sample.c" | cut -d : -f 2)" = 2 ] || { echo "lines are counted wrongly"; exit 1; }

find include src cli tests examples bench -name '*.[ch]' >"$work/files"
# shellcheck disable=SC2046 # no path of the tree has a space
long_lines $(cat "$work/files") >"$work/long"
cat "$work/long"
[ ! -s "$work/long" ]

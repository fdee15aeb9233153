#!/bin/sh
# The documentation against the command: operators and options have their pages, commands their manual, links and flags exist.
set -u
tips=${TIPS:?the path of the command}
build=${BUILD_DIR:?the build directory}
cd "${SOURCE_DIR:-$(dirname "$0")/../..}" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

pages() {
    find . -name '*.md' -not -path './.git/*' -not -path './build*' -not -path './report/*' -not -path './runs/*' | sort
}

# Every operator has a page, and the page names each of its options and their values.
"$tips" list pools --json | awk '
    function value() { v = $0; sub(/^[^:]*: */, "", v); sub(/,$/, "", v); gsub(/"/, "", v); return v }
    /^ *"name":/ { name = value(); if (inside) option = name; else { pool = name; print pool } }
    /^ *"options": \[/ { inside = 1 }
    inside && /^ *\]/ { inside = 0 }
    inside && /^ *"range":/ { print pool, option, value() }
' >"$work/pools"
[ "$(wc -l <"$work/pools")" -ge 11 ] || complain "tips list pools --json: hardly any operators were read"
while read -r pool option range; do
    page=docs/pools/$pool.md
    if [ ! -f "$page" ]; then
        complain "$page is missing"
        continue
    fi
    grep -q "(\(docs/pools/\)\{0,1\}$pool\.md)" docs/pools/README.md || complain "docs/pools/README.md does not link to $pool.md"
    [ -n "$option" ] || continue
    row=$(grep "^| \`$option\` |" "$page" | cut -d '|' -f 3)
    if [ -z "$row" ]; then
        complain "$page does not describe the option $option"
        continue
    fi
    case $range in
    *'|'*)
        for choice in $(echo "$range" | tr '|' ' '); do
            echo "$row" | grep -qw -- "$choice" || complain "$page: option $option also takes $choice"
        done
        ;;
    *) echo "$row" | grep -qF "$range" || complain "$page: option $option takes $range" ;;
    esac
done <"$work/pools"

# Every layer is in the table of layers.
"$tips" list layers --json | sed -n 's/^      "name": "\(.*\)",$/\1/p' >"$work/layers"
[ -s "$work/layers" ] || complain "tips list layers --json: no layers were read"
while read -r layer; do
    grep -q "^| \`$layer\` |" docs/layers.md || complain "docs/layers.md has no row for $layer"
done <"$work/layers"

# Every metric is in the table of metrics.
"$tips" list metrics --json | sed -n 's/^      "name": "\(.*\)",$/\1/p' >"$work/metrics"
[ "$(wc -l <"$work/metrics")" -ge 19 ] || complain "tips list metrics --json: hardly any metrics were read"
while read -r metric; do
    grep -q "\`$metric\`" docs/eval.md || complain "docs/eval.md does not mention the metric $metric"
done <"$work/metrics"

# Every norm and optimiser is in its table, with its options.
check_table() {
    "$tips" list "$1" --json | awk '
        function value() { v = $0; sub(/^[^:]*: */, "", v); sub(/,$/, "", v); gsub(/"/, "", v); return v }
        /^      "name":/ { name = value(); print name }
        /^          "name":/ { print name, value() }
    ' >"$work/rows"
    [ -s "$work/rows" ] || complain "tips list $1 --json: nothing was read"
    while read -r name option; do
        row=$(grep "^| \`$name\` |" "$2")
        [ -n "$row" ] || complain "$2 has no row for $name"
        [ -z "$option" ] || echo "$row" | grep -qF "\`$option\`" || complain "$2: the row of $name does not name $option"
    done <"$work/rows"
}
check_table norms docs/norms.md
check_table optimizers docs/training.md
check_table tasks docs/tasks.md

# Every command has a manual page and is mentioned.
sed -n 's/^CLI_COMMAND(cli_\([a-z]*\).*/\1/p' cli/commands.def | sed 's/_command$//' >"$work/commands"
[ -s "$work/commands" ] || complain "cli/commands.def: no commands were read"
while read -r command; do
    [ -s "$build/man/tips-$command.1" ] || complain "the manual page man/tips-$command.1 was not made"
    grep -q "tips $command" README.md || complain "README.md does not mention tips $command"
    grep -q "tips-$command(1)" docs/README.md || complain "docs/README.md does not mention the manual page tips-$command(1)"
    "$tips" help "$command" >"$work/help-$command" || complain "tips help $command failed"
done <"$work/commands"
for target in demo test bench; do
    grep -q "make $target" README.md || complain "README.md does not mention make $target"
done

# Links lead to files. Code is left out: blocks, indented lines and spans.
pages | while read -r page; do
    awk -v page="$page" '
        /^```/ { fenced = !fenced; next }
        fenced || /^    / { next }
        {
            gsub(/`[^`]*`/, "code")
            while (match($0, /\]\([^)]*\)/)) {
                print page, substr($0, RSTART + 2, RLENGTH - 3)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' "$page"
done >"$work/links"
[ -s "$work/links" ] || complain "no links were found in *.md"
while read -r page link; do
    case $link in
    http://* | https://* | mailto:*) continue ;;
    esac
    path=${link%%#*}
    file=$page
    if [ -n "$path" ]; then file=$(dirname "$page")/$path; fi
    if [ ! -e "$file" ]; then
        complain "$page: the link $link leads nowhere"
        continue
    fi
    (cd "$(dirname "$file")" && printf '%s/%s\n' "$(pwd -P)" "$(basename "$file")") >>"$work/linked"
    case $link in
    *'#'*)
        # The anchor of a heading: lower case, dashes for blanks.
        sed -n 's/^##* *//p' "$file" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' | grep -qx -- "${link#*#}" ||
            complain "$page: there is no heading for $link"
        ;;
    esac
done <"$work/links"

# Every page below docs is linked from somewhere.
pages | grep '^\./docs/' >"$work/docs"
while read -r page; do
    path=$(cd "$(dirname "$page")" && pwd -P)/$(basename "$page")
    grep -qxF "$path" "$work/linked" || complain "$page is linked from nowhere"
done <"$work/docs"

# Flags in examples exist.
pages | while read -r page; do
    awk -v page="$page" '
        { gsub(/`/, "\n    ") }
        {
            n = split($0, part, "\n")
            for (i = 1; i <= n; i++) {
                if (part[i] !~ /^ *tips [a-z]+ .*--/) continue
                sub(/ #.*/, "", part[i])
                words = split(part[i], word, " ")
                for (w = 3; w <= words; w++) if (word[w] ~ /^--[a-z]/) { sub(/[=),.;].*/, "", word[w]); print page, word[2], word[w] }
            }
        }' "$page"
done | sort -u >"$work/flags"
[ -s "$work/flags" ] || complain "no flags were found in examples"
while read -r page command flag; do
    [ -f "$work/help-$command" ] || { complain "$page: there is no command tips $command"; continue; }
    grep -q -- "^  \(-[a-z], \)\{0,1\}$flag\( \|\$\)" "$work/help-$command" || complain "$page: tips $command has no $flag"
done <"$work/flags"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# Figures that pages show, made again by recipes.
#
#     tools/figures.sh                     what there is: name, page, how long it takes, and whether it is of today's sources
#     tools/figures.sh NAME...             makes them and puts them into their pages
#     tools/figures.sh --check [NAME...]   those that are older than what they depend on; no failure
#     tools/figures.sh --compare NAME...   whether the pages say what the recipes print today
#
# tools/figures/NAME.sh prints Markdown. Lines at its top say `# page:` where it belongs, `# sources:` the files and folders that it depends
# on, `# takes:` how long it takes ("3 seconds") and, if need be, `# needs:` data. It ends with 77 where something is missing. In the page the
# block lies between two comments:
#     <!-- figures NAME: tools/figures.sh NAME; sources 0123456789ab -->
#     <!-- end of figures NAME -->
# The number is of the contents of the sources and the recipe. TIPS is the command (build/tips); a folder of data is TIPS_DATA (../shared/data).
set -u
cd "$(dirname "$0")/.." || exit 1
export TIPS="${TIPS:-$PWD/build/tips}" TIPS_DATA="${TIPS_DATA:-$PWD/../shared/data}" OMP_WAIT_POLICY=passive LC_ALL=C
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
    echo "$*" >&2
    failures=$((failures + 1))
}

# said NAME KEY: what a recipe says of itself.
said() { sed -n "1,/^[^#]/s/^# $2: *//p" "tools/figures/$1.sh"; }

recipes() {
    for file in tools/figures/*.sh; do
        [ -f "$file" ] && basename "$file" .sh
    done
}

# Pages with blocks: all but what is made.
pages() { find . -name '*.md' -not -path './.git/*' -not -path './build*' -not -path './report/*' -not -path './runs/*' | sort; }

# number NAME: of the sources' names and contents.
number() {
    # Words are paths, and may be patterns.
    # shellcheck disable=SC2046
    find $(said "$1" sources) "tools/figures/$1.sh" -type f | sort -u | xargs sha256sum | sha256sum | cut -c 1-12
}

# stamp NAME: the number that the page has; nothing without a block.
stamp() { sed -n "s/^<!-- figures $1:.* sources \([0-9a-f]*\) -->\$/\1/p" "$(said "$1" page)" 2>/dev/null; }

# block NAME: what the page says.
block() { sed "1,/^<!-- figures $1:/d;/^<!-- end of figures $1 -->\$/,\$d" "$(said "$1" page)" | sed '1{/^$/d}'; }

check_recipe() {
    [ -f "tools/figures/$1.sh" ] || { complain "tools/figures/$1.sh: there is no such recipe; there are: $(recipes | tr '\n' ' ')"; return 1; }
    for key in page sources takes; do
        [ -n "$(said "$1" "$key")" ] || { complain "tools/figures/$1.sh: say '# $key: ...' at its top"; return 1; }
    done
    for path in $(said "$1" sources); do
        [ -e "$path" ] || { complain "tools/figures/$1.sh: there is no $path, which it names as a source"; return 1; }
    done
    page=$(said "$1" page)
    [ "$(grep -c "^<!-- figures $1:" "$page" 2>/dev/null)" = 1 ] && [ "$(grep -c "^<!-- end of figures $1 -->\$" "$page")" = 1 ] ||
        { complain "$page: it should have one block 'figures $1', between two comments (tools/figures.sh)"; return 1; }
}

# Blocks that no recipe makes.
check_blocks() {
    pages | xargs grep -H '^<!-- figures ' | sed 's/^\(.*\):<!-- figures \([^: ]*\).*/\1 \2/' >"$work/blocks"
    while read -r page name; do
        [ -f "tools/figures/$name.sh" ] && [ "./$(said "$name" page)" = "$page" ] || complain "$page: no recipe makes its block '$name'"
    done <"$work/blocks"
}

# make NAME: what it prints, in $work/made.
make_block() {
    sh "tools/figures/$1.sh" >"$work/made"
    code=$?
    [ $code -ne 77 ] || { echo "$1: cannot be made here" >&2; return 77; }
    [ $code -eq 0 ] && [ -s "$work/made" ] || { complain "tools/figures/$1.sh: exit code $code"; return 1; }
}

put_block() {
    make_block "$1" || return
    page=$(said "$1" page)
    awk -v made="$work/made" -v name="$1" -v number="$(number "$1")" '
        index($0, "<!-- end of figures " name " -->") == 1 { inside = 0 }
        !inside && index($0, "<!-- figures " name ":") != 1 { print }
        index($0, "<!-- figures " name ":") == 1 {
            print "<!-- figures " name ": tools/figures.sh " name "; sources " number " -->\n"
            while ((getline line < made) > 0) print line
            inside = 1
        }' "$page" >"$work/page" && cat "$work/page" >"$page"
}

compare_block() {
    make_block "$1" || return
    block "$1" >"$work/said"
    diff "$work/said" "$work/made" >"$work/difference" && return
    complain "$(said "$1" page): figures $1 are other ones today; 'tools/figures.sh $1' puts them in"
    cat "$work/difference" >&2
}

age() { if [ "$(stamp "$1")" = "$(number "$1")" ]; then echo current; else echo older; fi; }

check_age() { [ "$(age "$1")" = current ] || echo "$(said "$1" page): figures $1 are older than their sources ($(said "$1" takes): tools/figures.sh $1)"; }

list_one() { printf '%-18s %-28s %-16s %s\n' "$1" "$(said "$1" page)" "$(said "$1" takes)" "$(age "$1")"; }

action=put_block
case ${1-} in
--check) action=check_age; shift ;;
--compare) action=compare_block; shift ;;
-*) sed -n '2,/^set/s/^# \{0,1\}//p' tools/figures.sh; exit 2 ;;
'') action=list_one ;;
esac
if [ $# -eq 0 ]; then
    check_blocks
    # shellcheck disable=SC2046
    set -- $(recipes)
fi
for name; do
    check_recipe "$name" && "$action" "$name"
done
[ "$failures" -eq 0 ]

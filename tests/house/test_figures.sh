#!/bin/sh
# Figures in pages: each block has its recipe and each recipe its block, the check sees what changed, and recipes of a few seconds print what
# the pages say.
. "$(dirname "$0")/../support/expect.sh"

# run CODE PATTERN ARGUMENTS...: tools/figures.sh of the copy.
run() {
    code=$1
    pattern=$2
    shift 2
    sh "$copy/tools/figures.sh" "$@" >"$work/output" 2>&1
    got=$?
    [ "$got" -eq "$code" ] && { [ -z "$pattern" ] || grep -q -- "$pattern" "$work/output"; } || complain "figures.sh $*: exit code $got (wanted $code), wanted: $pattern
$(cat "$work/output")"
}

(cd "$source" && sh tools/figures.sh --check) >"$work/check" || complain "$(cat "$work/check")"
[ "$(grep -c . "$work/check")" -eq 0 ] || cat "$work/check" # which are older: to be known, no failure

# Controls, in a copy with one recipe of its own.
copy=$work/copy
mkdir -p "$copy/tools/figures" "$copy/docs" "$copy/src"
cp "$source/tools/figures.sh" "$copy/tools"
cat >"$copy/tools/figures/one.sh" <<'RECIPE'
# page: docs/a.md
# sources: src
# takes: 1 second
cat src/numbers
RECIPE
echo '| 1 | 2 |' >"$copy/src/numbers"
printf 'Before.\n\n<!-- figures one: -->\nold\n<!-- end of figures one -->\n\nBehind.\n' >"$copy/docs/a.md"
run 0 'docs/a.md: figures one are older' --check
run 1 'are other ones today' --compare one
run 0 '' one
run 0 '^one .*current' 
[ "$(tr '\n' ' ' <"$copy/docs/a.md")" = "Before.  <!-- figures one: tools/figures.sh one; sources $(sed -n 's/.*sources \([0-9a-f]*\) -->/\1/p' "$copy/docs/a.md") -->\
  | 1 | 2 | <!-- end of figures one -->  Behind. " ] || complain "the page is $(cat "$copy/docs/a.md")"
run 0 '' --compare one
run 0 '' --check
[ ! -s "$work/output" ] || complain "what is current is said to be older: $(cat "$work/output")"
echo '| 1 | 3 |' >"$copy/src/numbers"
run 0 'docs/a.md: figures one are older than their sources (1 second' --check
run 1 '< | 1 | 2 |' --compare one
run 0 '' one
mv "$copy/src/numbers" "$copy/src/renamed"
run 0 'figures one are older' --check
run 1 'exit code 1' one
grep -q '| 1 | 3 |' "$copy/docs/a.md" || complain "a recipe that fails changed the page"
mv "$copy/src/renamed" "$copy/src/numbers"
cp "$copy/tools/figures/one.sh" "$copy/tools/figures/two.sh"
run 1 "docs/a.md: it should have one block 'figures two'" --check
rm "$copy/tools/figures/two.sh"
sed -i 's/^# sources: src$/# sources: src nowhere/' "$copy/tools/figures/one.sh"
run 1 'there is no nowhere' --check
mv "$copy/tools/figures/one.sh" "$work/one.sh"
run 1 "docs/a.md: no recipe makes its block 'one'" --check

# What takes a few seconds is made, and compared. The sanitizers round otherwise, and other processors are slow.
if [ "${TIPS_TEST_BRIEF:-0}" = 0 ]; then
    for recipe in "$source"/tools/figures/*.sh; do
        grep -q '^# takes: [0-9] seconds\{0,1\}$' "$recipe" && ! grep -q '^# varies:' "$recipe" || continue
        (cd "$source" && sh tools/figures.sh --compare "$(basename "$recipe" .sh)") >"$work/output" 2>&1
        got=$?
        [ $got -eq 0 ] || complain "$(cat "$work/output")"
    done
fi
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

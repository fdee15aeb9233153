#!/bin/sh
# Recipes of figures that take up to a minute print what the pages say; test_figures.sh has the quick ones.
. "$(dirname "$0")/../support/expect.sh"
[ "${TIPS_TEST_BRIEF:-0}" = 0 ] || exec sh "$(dirname "$0")/../support/lack.sh" "the sanitizers round otherwise"
for recipe in "$source"/tools/figures/*.sh; do
    grep -q '^# takes: [0-9][0-9] seconds$' "$recipe" && ! grep -q '^# varies:' "$recipe" || continue
    (cd "$source" && sh tools/figures.sh --compare "$(basename "$recipe" .sh)") >"$work/output" 2>&1 || complain "$(cat "$work/output")"
done
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

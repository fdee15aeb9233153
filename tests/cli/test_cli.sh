#!/bin/sh
# The command line by its texts and exit codes: help, version, and mistakes.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

expect 0 '^tips [0-9]*\.[0-9]*\.[0-9]*$' --version
expect 0 '^built with ' --version
expect 0 '^Usage: tips COMMAND' --help
expect 0 '^Usage: tips COMMAND' -h
expect 0 '^Usage: tips COMMAND' help
expect 2 '^Usage: tips COMMAND'
for command in train compare study paper report audit convert export verify eval predict info init cost bench data list completion help; do
    expect 0 "^  $command\( \|$\)" help
    expect 0 "^Usage: tips $command" help "$command"
    expect 0 "^Usage: tips $command" "$command" --help
    expect 0 "^Usage: tips $command" "$command" some words -h
    expect 0 '^Exit codes:' "$command" --help
    expect 0 "^.TH TIPS-$(echo "$command" | tr '[:lower:]' '[:upper:]') 1" help --man "$command"
done
expect 0 '^.TH TIPS 1' help --man

expect 2 "unknown command 'verfiy'; did you mean 'verify'?" verfiy
expect 2 "unknown command 'elephant'" elephant
expect 2 "unknown flag '--frobnicate'" --frobnicate
expect 2 "unknown flag '--elephantine'" help --elephantine
expect 2 "unknown flag '--mann'; did you mean '--man'?" help --mann
expect 2 "flags are written with two dashes" help -man
expect 2 "no command 'elephant' to help with" help elephant
expect 2 "'list' is one word too many" help verify list
expect 2 "man: 'maybe' is not true or false; it takes true|false" help --man=maybe
expect 2 "takes no value" help --no-man=true
expect 0 '^Usage: tips COMMAND' help --no-man
expect 2 "there is no command '--man'" help -- --man

expect 2 'it takes pools|archs|layers|norms|optimizers|tasks|attacks|corruptions|metrics' list zebra
expect 2 "did you mean 'metrics'?" list metric
expect 0 '^standard_worst_consistency  *%  *higher  *heat map  *pictures that keep' list metrics
expect 0 '^(every):before  *none|max|' list pools
expect 0 '^msb  *%  *neither  *MSB  *maximum-sampling bias' list metrics
expect 0 '^exact  *yes/no  *higher  *verifier ' list metrics
expect 0 '"name": "circular_flip_probability"' list metrics --json

# Values of options: checked on the commands that have a --size.
for command in verify eval predict info init cost bench; do
    "$tips" help "$command" | grep -q '^  --size ' || continue
    expect 2 "tips $command: --size: '999999' is out of range; it takes " "$command" --size 999999
    expect 2 "tips $command: --size: '-5' is out of range; it takes " "$command" --size=-5
    expect 2 "tips $command: --size: 'big' is not a " "$command" --size big
    expect 2 "tips $command: --size needs a value" "$command" --size
    expect 2 "unknown flag '--sizze'; did you mean '--size'?" "$command" --sizze 32
    expect 2 "Try 'tips $command --help'" "$command" --sizze 32
done

# No line of help is wider than a terminal, as far as words can be broken.
for command in train compare study report audit convert export verify eval predict info init cost bench data list help; do
    "$tips" help "$command" | awk -v name="$command" '
        /^Examples:/ { exit }
        length($0) > 80 && NF > 3 { print "tips help " name ": a line of " length($0) " columns: " $0; bad = 1 }
        END { exit bad }' || failures=$((failures + 1))
done

# Errors go to standard error, help to standard output.
[ -z "$("$tips" verfiy 2>/dev/null)" ] || { echo "an error was printed to standard output"; failures=$((failures + 1)); }
[ -z "$("$tips" --help 2>&1 >/dev/null)" ] || { echo "help was printed to standard error"; failures=$((failures + 1)); }
if [ -w /dev/full ]; then
    "$tips" --help >/dev/full 2>/dev/null && { echo "a full disk went unnoticed"; failures=$((failures + 1)); }
fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

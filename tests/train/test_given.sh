#!/bin/sh
# What was given is known apart from its value: in config.json, when a run goes on, and in the command that a report names.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data='shapes:size=16,train=40,test=20,classes=2'
quietly() { "$@" >"$work/stdout" 2>"$work/stderr" || complain "$*: $(cat "$work/stderr")"; }
given_in() { tr -d ' \n' <"$1/config.json" | sed 's/.*"given":\[\([^]]*\)\].*/\1/'; }

# 0.05 is the default of --lr, but not that of AdamW, which is 0.001.
quietly "$tips" train --data "$data" --arch tiny --epochs 2 --optimizer adamw --lr 0.05 --out "$work/run"
list=$(given_in "$work/run")
[ "$list" = '"data","out","arch","epochs","optimizer","lr"' ] || complain "config.json says that $list was given"
quietly "$tips" train --resume --out "$work/run"
[ "$list" = "$(given_in "$work/run")" ] || complain "a run that went on says $(given_in "$work/run")"

if built_with yaml; then
    printf 'arch: tiny\nlr: 0.05\nepochs: 1\ndata: "%s"\n' "$data" >"$work/recipe.yaml"
    quietly "$tips" train "$work/recipe.yaml" --optimizer adamw --out "$work/recipe"
    given_in "$work/recipe" | grep -q '"lr"' || complain "a recipe's default is not given: $(given_in "$work/recipe")"
fi
quietly "$tips" report "$work/run" --evaluate --examples 0 --figures none --out "$work/page.html"
grep -q -e '--optimizer adamw.*--lr 0.05' -e '--lr 0.05.*--optimizer adamw' "$work/page.html" ||
    complain "the command of the run leaves --lr out: $(grep -o 'tips train[^<]*' "$work/page.html" | head -1)"

# A flag of pictures without a picture is refused at its default too.
for flag in '--pad black' '--place corner' '--filter smooth' '--stretch no' '--fit 0' '--picture 0' '--stride 0'; do
    # shellcheck disable=SC2086 # two words
    "$tips" verify --arch tiny --size 16 --shifts 1 $flag >"$work/stdout" 2>"$work/stderr" &&
        complain "verify takes $flag, which changes nothing"
    grep -q -e "${flag% *}" "$work/stderr" || complain "verify $flag: $(cat "$work/stderr")"
done
exit "$((failures > 0))"

#!/bin/sh
# docs/adding-a-task.md to the letter: a task in one file and one line trains, evaluates, compares, reports, verifies and audits.
set -u
[ -z "${ASAN_OPTIONS-}" ] || { echo "skipped: the same without sanitizers says as much"; exit 77; }
. "${SOURCE_DIR:?the source directory}/tests/support/guide.sh"

follow docs/adding-a-task.md src/task/centre.c src/task/tasks.def
[ "$(diff src/task/tasks.def "$source/src/task/tasks.def" | grep -c '^[<>]')" -eq 1 ] ||
    complain "tasks.def was changed by more than a line"
configure
compile src/task/centre.c
compile src/task/tasks.c
link_command
cd "$work" || exit 1
some=shapes:size=16,objects=1,test=200
data=$some,train=8000
small="--arch tiny --pool max --width 8 --optimizer adamw --lr 0.003 --data"

# number KEY FILE: the number or the value of the figure under a key of a JSON file.
number() { tr -d ' \n' <"$2" | sed -E "s/.*\"$1\":(\{\"value\":)?([-0-9.e+]*).*/\2/"; }

expect 0 '^centre  *the place of the first thing' list tasks
expect 0 '^centre:within  *0.01..100  *1 ' list tasks
expect 2 "did you mean 'centre'?" train --task center --data $data --out no
expect 2 'within' verify --task centre:within=0

# The error falls below what is had by answering the middle (3 px), and chooses the best model.
# shellcheck disable=SC2086 # a list of words
"$tips" train --task centre $small $data --epochs 4 --out one >"$work/log" 2>&1 || give_up "training fails" "$work/log"
grep -q '^best epoch.* error [0-9.]* px' "$work/log" || blame "training does not end with its error" "$work/log"
awk -F'"val_error":' '{ split($2, v, "[,}]"); if (NR == 1 || v[1] < least) least = v[1]; best[NR] = v[1] == least; said[NR] = /"best":true/ }
    END { for (i = 1; i <= NR; i++) if (best[i] != said[i]) exit 1; exit !(NR == 4 && least < 2.5) }' one/log.jsonl ||
    blame "the error does not fall, or does not choose the best model" one/log.jsonl
expect 0 '^task  *centre' info one/best.safetensors
expect 0 '"task": "centre"' info one/best.safetensors --json

# A training that was killed goes on to the same bits.
few="--task centre $small $some,train=1000 --epochs 3"
# shellcheck disable=SC2086
"$tips" train $few --out whole >"$work/log" 2>&1 || blame "training fails" "$work/log"
# shellcheck disable=SC2086
"$tips" train $few --save-every 0.0001 --out killed >/dev/null 2>&1 &
pid=$!
while [ ! -s killed/log.jsonl ] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
"$tips" train --out killed --resume >"$work/log" 2>&1 || blame "training cannot be resumed" "$work/log"
for file in best.safetensors last.safetensors; do
    cmp -s whole/$file killed/$file || blame "a resumed training leaves another $file" "$work/log"
done

# Evaluated with the shift undone: what the untrained network does not reach.
"$tips" eval --model one/best.safetensors --data $data --grid-images 4 --json >eval.json 2>"$work/log" ||
    blame "evaluation fails" "$work/log"
for key in '"task": "centre"' '"near"' '"standard_consistency"' '"worst_consistency"' '"msb"'; do
    grep -q "$key" eval.json || blame "the evaluation lacks $key" eval.json
done
awk "BEGIN { exit !($(number error eval.json) < 2.7) }" || complain "the error is $(number error eval.json) px"
"$tips" init --task centre:within=8 --arch tiny --width 8 --size 16 -o random.safetensors >"$work/log" 2>&1 &&
    "$tips" eval --model random.safetensors --data $data --no-msb --json >random.json 2>"$work/log" ||
    blame "a network of random weights cannot be evaluated" "$work/log"
awk "BEGIN { exit !($(number error random.json) > 2.7) }" ||
    complain "an untrained network errs by $(number error random.json) px only"
expect 0 'error of the centre' eval --task centre --arch tiny --size 16 --data $data --no-msb --limit 20

expect 3 'breaks is flat\.' verify --task centre --arch tiny --pool tips-exact --size 16 --quiet
expect 0 'error <= 100 .* yes' audit one/best.safetensors --data $data --require 'error<=100' --quiet
expect 3 'error <= 0.001 .* NO' audit one/best.safetensors --data $data --require 'error<=0.001' --quiet
expect 1 'centre' predict --model one/best.safetensors "$source/tests/images/colour.ppm"

# Several operators side by side, and a page of them with answers drawn over the pictures.
# shellcheck disable=SC2086
expect 0 'error' compare --task centre $small $some,train=1000 --pool max,tips-exact --epochs 1 --out both
expect 0 'page.html: 2 runs' report both -o page.html --examples 2
drawn=''
if built_with png; then drawn='([0-9.-]*,.[0-9.-]*) alt="the.answer".src="data:image/png'; fi
for text in '>error,.px' 'id="examples"' $drawn; do
    grep -q "$text" page.html || complain "the page lacks: $text"
done

# Data that cannot tell where things are.
mkdir -p folder/train/a folder/train/b
for class in a b; do
    for i in 1 2 3; do cp "$source/tests/images/colour.ppm" folder/train/$class/$i.ppm; done
done
expect 1 'boxes' train --task centre --arch tiny --size 16 --data folder --val-split 0.3 --out none --epochs 1

expect 0 'img/s\|images' bench step --task centre --arch tiny --size 16 --batch 4 --steps 1
if built_with protobuf-c; then expect 0 'onnx' export --model one/best.safetensors -o centre.onnx; fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# tips train and tips compare from the outside: kill -9 and Ctrl-C change no bit, a full disk keeps the checkpoint, recipes,
# mistakes.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data='shapes:size=16,train=200,test=40,classes=4'

epochs=${EPOCHS:-2}
rounds=${ROUNDS:-3}
options="--data $data --arch tiny --batch 8 --epochs $epochs --threads 2"
# shellcheck disable=SC2086 # the options are words
train() { "$tips" train $options "$@"; }
without_time() { sed 's/,"time":{[^}]*}//' "$1"; }

same_run() {
    for file in best.safetensors last.safetensors; do
        cmp "$work/$1/$file" "$work/$2/$file" || complain "$2: $file is not that of a run that never stopped"
    done
    without_time "$work/$1/log.jsonl" >"$work/log-a"
    without_time "$work/$2/log.jsonl" >"$work/log-b"
    cmp "$work/log-a" "$work/log-b" || complain "$2: the log is not that of a run that never stopped"
}

# A run that is left alone: quiet on standard error, its result on standard output, every file in place.
start=$(date +%s%N)
train --out "$work/whole" >"$work/stdout" 2>"$work/stderr" || complain "training failed: $(cat "$work/stderr")"
took=$((($(date +%s%N) - start) / 1000000))
[ ! -s "$work/stderr" ] || complain "training is not quiet: $(cat "$work/stderr")"
grep -q 'best epoch [1-9][0-9]*: accuracy' "$work/stdout" || complain "no result was printed"
for file in best.safetensors last.safetensors checkpoint.safetensors log.jsonl config.json; do
    [ -s "$work/whole/$file" ] || complain "$file was not written"
done
[ "$(wc -l <"$work/whole/log.jsonl")" -eq "$epochs" ] || complain "log.jsonl does not have a line per epoch"

# The same again is the same.
train --out "$work/again" >/dev/null || complain "training again failed"
same_run whole again

# kill -9 at random moments; --resume goes on, or begins if there is no checkpoint yet. All moments together are less than
# the run takes, so that they meet it at work; a run that was faster than the first one begins anew, with earlier ones.
hits=0
round=0
while [ "$hits" -lt "$rounds" ] && [ "$round" -lt $((8 * rounds)) ]; do
    round=$((round + 1))
    # shellcheck disable=SC2086
    "$tips" train $options --out "$work/killed" --resume --save-every 0.001 >/dev/null 2>&1 &
    pid=$!
    sleep "$(awk -v most="$((took / rounds))" -v round="$round$$" 'BEGIN { srand(round); printf "%.3f", rand() * most / 1000 }')"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    if [ $? -eq 137 ]; then
        hits=$((hits + 1))
    else
        rm -rf "$work/killed"
        took=$((took * 2 / 3))
    fi
    for file in "$work"/killed/*.safetensors; do
        [ ! -e "$file" ] || "$tips" info "$file" >/dev/null || complain "$file is broken after kill -9"
    done
done
[ "$hits" -eq "$rounds" ] || complain "only $hits of $rounds kills met a run at work"
train --out "$work/killed" --resume >/dev/null || complain "going on after kill -9 failed"
same_run whole killed
left=$(find "$work/killed" -name '.*.tmp' | wc -l)
[ "$left" -eq 0 ] || complain "$left temporary files are left after kill -9"

# Ctrl-C: the step is finished, all is saved, 130. The options are those the run began with.
# shellcheck disable=SC2086
"$tips" train $options --epochs 200 --out "$work/stopped" >/dev/null 2>"$work/stderr" &
pid=$!
while [ ! -e "$work/stopped/checkpoint.safetensors" ]; do sleep 0.1; done
kill -INT "$pid"
wait "$pid"
code=$?
[ "$code" -eq 130 ] || complain "Ctrl-C: exit code $code"
grep -q 'interrupted in epoch' "$work/stderr" || complain "Ctrl-C: not said: $(cat "$work/stderr")"

# A full disk: an error, and the checkpoint before it is whole.
cp -r "$work/stopped" "$work/full"
(
    ulimit -f 40
    "$tips" train --out "$work/full" --resume --save-every 0.0001 >/dev/null 2>"$work/stderr"
)
code=$?
[ "$code" -eq 1 ] || complain "a full disk: exit code $code"
grep -q 'safetensors' "$work/stderr" || complain "a full disk: not said: $(cat "$work/stderr")"
cmp "$work/stopped/checkpoint.safetensors" "$work/full/checkpoint.safetensors" || complain "a full disk: the checkpoint changed"
"$tips" train --out "$work/full" --resume >/dev/null 2>&1 &
pid=$!
sleep 0.5
kill -TERM "$pid" 2>/dev/null
wait "$pid"
code=$?
[ "$code" -eq 130 ] || complain "going on after a full disk: exit code $code"

# Recipes: flags come before them, mistakes name the line.
"$tips" train --help >"$work/help"
if "$tips" train "$source/recipes/shapes-tiny.yaml" --data "$data" --train-limit 64 --epochs 1 --out "$work/recipe" \
    >"$work/output" 2>&1; then
    grep -q '"epochs": 1,' "$work/recipe/config.json" || complain "a flag did not come before the recipe"
    grep -q '"schedule": "cosine"' "$work/recipe/config.json" || complain "the recipe was not read"
    for recipe in "$source"/recipes/*.yaml; do
        case $recipe in */study-*) continue ;; esac # grids, which tips study reads
        expect 1 'no-such-data' train "$recipe" --data "$work/no-such-data" --out "$work/none"
    done
    # What the paper prints of its experiments: network, epochs, step size, size of the pictures, and the same for all.
    while read -r name arch count step size; do
        for line in "arch: $arch" "epochs: $count" "step-size: $step" "size: $size" 'batch: 64' 'lr: 0.05' 'momentum: 0.9' \
            'weight-decay: 1e-4' 'schedule: step' 'alpha: 0.35' 'eps: 0.4'; do
            grep -qx "$line" "$source/recipes/$name.yaml" || complain "recipes/$name.yaml does not say '$line'"
        done
    done <<END
cifar10 resnet18 250 50 32
food101 resnet50 80 25 224
oxford102 resnet50 70 20 224
tiny-imagenet resnet101 480 180 64
imagenet resnet101 90 30 224
END
    printf 'epochs: 2\nlearning: 3\n' >"$work/bad.yaml"
    expect 2 "bad.yaml:2: unknown key 'learning'" train "$work/bad.yaml" --out "$work/none"
    printf 'epocs: 2\n' >"$work/bad.yaml"
    expect 2 "did you mean 'epochs'?" train "$work/bad.yaml" --out "$work/none"
    printf 'epochs: many\n' >"$work/bad.yaml"
    expect 2 "bad.yaml:1: epochs: 'many' is not a whole number" train "$work/bad.yaml" --out "$work/none"
    printf 'epochs: [1, 2]\n' >"$work/bad.yaml"
    expect 1 'bad.yaml:1: a recipe of one run holds single values' train "$work/bad.yaml" --out "$work/none"
    printf 'epochs: 1\nepochs: 2\n' >"$work/bad.yaml"
    expect 1 "bad.yaml:2: 'epochs' is given twice" train "$work/bad.yaml" --out "$work/none"
    printf 'epochs: "1\n' >"$work/bad.yaml"
    expect 1 'bad.yaml:' train "$work/bad.yaml" --out "$work/none"
    expect 1 'cannot be read' train "$work/missing.yaml" --out "$work/none"
elif grep -q libyaml "$work/output"; then
    echo "this build has no libyaml: recipes are not tested"
else
    complain "a recipe failed: $(cat "$work/output")"
fi

# Starting from a model: its network is taken over unless told otherwise.
"$tips" train --data "$data" --init "$work/whole/best.safetensors" --epochs 1 --batch 8 --pool max --out "$work/init" \
    >"$work/output" 2>&1 || complain "--init failed: $(cat "$work/output")"
grep -q '^tiny with max,' "$work/output" || complain "--init did not take the network over, or not the flag: $(cat "$work/output")"

# --freeze moves the operators' parameters and nothing else.
train --init "$work/whole/best.safetensors" --epochs 1 --freeze --out "$work/frozen" >"$work/output" 2>&1 ||
    complain "--freeze failed: $(cat "$work/output")"
moved_by_freezing "$work/whole/best.safetensors" "$work/frozen/last.safetensors"
expect 2 'leaves nothing to train' train --data "$data" --init "$work/init/best.safetensors" --freeze --out "$work/none"

# Mistakes.
expect 2 'say where the models go: --out DIR' train --data "$data"
expect 2 'holds a run already: go on with it by --resume' train --data "$data" --out "$work/whole"
expect 2 '--arch was tiny when the run' train --out "$work/whole" --resume --arch resnet18
expect 2 "unknown flag '--epoch'; did you mean '--epochs'?" train --epoch 3
expect 2 "unknown pooling operator 'tipsy'" train --data "$data" --pool tipsy --out "$work/none"
expect 1 'cannot be made' train --data "$data" --arch tiny --out "$work/whole/log.jsonl/below"

# Comparing: every operator in its folder; the same command again repeats nothing.
# Ctrl-C leaves the runs that are done, marked as a part.
"$tips" compare --data "$data" --arch tiny --batch 8 --epochs 8 --limit 5 --threads 1 --pool max,aps,tips-exact --seeds 9 \
    --out "$work/part" >"$work/part.txt" 2>&1 &
process=$!
while [ ! -e "$work/part/max/seed-1/result.json" ] && kill -0 $process 2>/dev/null; do sleep 0.1; done
kill -INT $process
wait $process
[ $? -eq 130 ] || complain "tips compare: Ctrl-C does not end it with 130"
grep -q 'Interrupted: [0-9]* of 27 runs are done' "$work/part.txt" || complain "tips compare: Ctrl-C shows no part: $(cat "$work/part.txt")"
grep -q '^max ' "$work/part.txt" || complain "tips compare: Ctrl-C does not show what is done"
grep -q '"interrupted": true' "$work/part/compare.json" || complain "compare.json is not marked as a part"

# A comparison names its operators, each once; one class is nothing to learn.
alone="--data $data --arch tiny --epochs 1 --batch 8"
expect 2 'say which operators to compare: --pool' compare $alone --out "$work/nothing"
expect 2 'names the operator max twice' compare $alone --pool max,aps,max --out "$work/nothing"
expect 2 'names the operator aps twice' compare $alone --pool aps,aps:p=2 --out "$work/nothing"
expect 2 "has one class, 'disc'" train $alone --classes-limit 1 --out "$work/nothing"
expect 2 "has one class, 'disc'" compare $alone --classes-limit 1 --pool max,aps --out "$work/nothing"
[ ! -e "$work/nothing/checkpoint.safetensors" ] || complain "a refused run began"

compare() { "$tips" compare --data "$data" --arch tiny --batch 8 --epochs 1 --limit 20 --out "$work/compare" "$@"; }
compare --pool max,tips-exact --seeds 2 >"$work/first" 2>"$work/stderr" || complain "tips compare failed: $(cat "$work/stderr")"
grep -q '^tips-exact .* 100.00 ± 0.00' "$work/first" || complain "tips-exact is not consistent: $(cat "$work/first")"
[ -s "$work/compare/max/seed-2/result.json" ] || complain "tips compare: no result.json"
[ -s "$work/compare/compare.json" ] || complain "tips compare: no compare.json"
rm "$work/compare/max/seed-2/result.json"
compare --pool max,tips-exact --seeds 2 >"$work/second" 2>&1 || complain "tips compare again failed: $(cat "$work/second")"
cmp "$work/first" "$work/second" || complain "tips compare again gives another result"
# Runs at once give what runs one after the other with as many threads each give, and a run that fails is told.
for jobs in 1 2; do
    "$tips" compare --data "$data" --arch tiny --batch 8 --epochs 1 --limit 20 --grid-images 2 --pool max,aps,tips-exact \
        --threads "$jobs" --jobs "$jobs" --out "$work/jobs-$jobs" >"$work/jobs-$jobs.txt" 2>&1 || complain "tips compare --jobs $jobs failed: $(cat "$work/jobs-$jobs.txt")"
done
cmp "$work/jobs-1.txt" "$work/jobs-2.txt" || complain "tips compare --jobs 2 gives another table"
for pool in max aps tips-exact; do
    cmp "$work/jobs-1/$pool/seed-1/best.safetensors" "$work/jobs-2/$pool/seed-1/best.safetensors" ||
        complain "tips compare --jobs 2 trains another $pool"
done
# Ctrl-C, which a terminal sends to the whole group: both runs save and end.
setsid "$tips" compare --data "$data" --arch tiny --batch 8 --epochs 200 --pool max,aps --jobs 2 --out "$work/jobs-ended" >"$work/output" 2>&1 &
pid=$!
for run in max aps; do
    for _ in $(seq 600); do
        [ -e "$work/jobs-ended/$run/seed-1/config.json" ] && break
        sleep 0.1
    done
done
sleep 0.5
kill -INT "-$pid"
wait "$pid"
code=$?
[ $code -eq 130 ] && grep -q 'the same command goes on' "$work/output" || complain "interrupting two jobs: exit code $code, $(cat "$work/output")"
for run in max aps; do
    "$tips" info "$work/jobs-ended/$run/seed-1/checkpoint.safetensors" >/dev/null || complain "the job of $run did not save when it was interrupted"
done
expect 1 'not a finite number' compare --data "$data" --arch tiny --batch 8 --epochs 1 --lr 1e6 --pool max,aps --jobs 2 --out "$work/jobs-bad"

expect 2 'was 1 when the run' compare --data "$data" --arch tiny --batch 8 --epochs 2 --limit 20 --pool max --out "$work/compare"
expect 2 "unknown pooling operator 'tipsy'" compare --data "$data" --pool max,tipsy --out "$work/none"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

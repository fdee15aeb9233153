#!/bin/sh
# A small U-Net learns masks of generated shapes with max and with tips-exact: both find them, the second keeps its answer under every
# circular shift, and more of it than the first where black comes in.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"
LEAST_MIOU=80
data=shapes:size=48,classes=2,train=480,test=200

learn() {
    "$tips" train --arch unet --backbone resnet18 --width 8 --pool "$1" --data "$data" --size 48 --crop 6 --task segment:loss=both --epochs 28 --batch 8 \
        --optimizer adamw --lr 0.005 --schedule cosine --alpha 0 --threads 1 --out "$work/$1" >"$work/$1.log" 2>&1 || { cat "$work/$1.log"; return 1; }
    "$tips" eval --model "$work/$1/last.safetensors" --data "$data" --pairs 8 --no-msb --grid-images 0 --threads 1 --json >"$work/$1.json"
}

# figure POOL NAME: in percent
figure() {
    awk -v name="\"$2\":" '$1 == name { found = 1 } found && $1 == "\"value\":" { sub(",", "", $2); print $2; exit }' "$work/$1.json"
}

# at_least VALUE BOUND WHAT
at_least() {
    awk -v value="$1" -v bound="$2" 'BEGIN { exit !(value != "" && value + 0 >= bound + 0) }' || complain "$3: $1, wanted at least $2"
}

learn max &
learn tips-exact || complain "tips-exact does not train"
wait $! || complain "max does not train"
for pool in max tips-exact; do
    echo "$pool: mIoU $(figure $pool miou), consistency $(figure $pool standard_consistency) standard, $(figure $pool circular_consistency) circular"
    at_least "$(figure $pool miou)" $LEAST_MIOU "mIoU with $pool"
done
at_least "$(figure tips-exact circular_consistency)" 100 "circular consistency with tips-exact"
at_least 99.99 "$(figure max circular_consistency)" "circular consistency with max, from above"
at_least "$(figure tips-exact standard_consistency)" "$(figure max standard_consistency)" "standard consistency with tips-exact, against max"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

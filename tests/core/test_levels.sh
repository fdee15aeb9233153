#!/bin/sh
# The kernels of every level that the processor runs: the same answers but for rounding, one file format, exactness and repeatable
# training at each, and what is said about the choice.
set -u
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"
unset TIPS_ISA ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA
cd "$work" || exit 1

used() { "$tips" --version | sed -n 's/.*kernels: \([a-z0-9]*\),.*/\1/p'; }
best=$(used)
levels=
for level in baseline avx2 avx512 neon generic; do
    ! TIPS_ISA=$level "$tips" --version >/dev/null 2>&1 || levels="$levels $level"
done
case " $levels " in *" $best "*) ;; *) complain "the best level, '$best', is not among:$levels" ;; esac

# What is said.
lower=
for level in $levels; do
    TIPS_ISA=$level
    export TIPS_ISA
    [ "$(used)" = "$level" ] || complain "TIPS_ISA=$level gives $(used)"
    if [ "$level" = "$best" ]; then
        expect 0 "kernels: $level, because TIPS_ISA=$level\$" --version
    else
        lower="$lower $level"
        expect 0 "kernels: $level, because TIPS_ISA=$level; this [a-z]* has $best\$" --version
    fi
    expect 0 "\"level\": \"$level\"" bench step --arch tiny --size 8 --batch 1 --steps 1 --json
done
unset TIPS_ISA
# shellcheck disable=SC2086 # a list of words
set -- $lower
case $# in
0) expect 0 "kernels: $best, the " --version ;;
1) expect 0 "kernels: $best, the best this [a-z]* has ($1 is also there)\$" --version ;;
*) expect 0 "kernels: $best, the best this [a-z]* has (.* and $1 are also there)\$" --version ;;
esac
for wrong in avx1024 AVX2 ''; do
    TIPS_ISA=$wrong
    export TIPS_ISA
    if [ -z "$wrong" ]; then
        expect 0 "kernels: $best, the " --version
    else
        expect 2 "TIPS_ISA is '$wrong'.*$best.*unset it" --version
        expect 2 "TIPS_ISA is '$wrong'.*$best.*unset it" verify --alone --pool max --size 8
    fi
done
unset TIPS_ISA

# A model made at the best level, and what each level makes of it. Kernels of all kinds: 24 channels fill no block of 16.
"$tips" init --arch tiny --pool tips-exact --lpf 3 --width 24 --classes 5 --size 16 -o model.safetensors >log 2>&1 ||
    complain "no model: $(cat log)"
awk 'BEGIN { printf "P6\n16 16\n255\n"; for (i = 0; i < 768; i++) printf "%c", 33 + (i * 37 + i * i * 11) % 90 }' >picture.ppm
scores() { "$tips" predict --model "$1" --top 5 --json picture.ppm | tr ',{}' '\n\n\n' | grep '"probability"\|"class"'; }
alike() {
    [ -s "$1" ] && paste -d' ' "$1" "$2" | sed 's/[^0-9.e -]//g' |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (NF != 2 || d > 1e-4) bad = 1 } END { exit bad }'
}
scores model.safetensors >scores.best
for level in $levels; do
    TIPS_ISA=$level
    export TIPS_ISA
    scores model.safetensors >scores."$level"
    alike scores.best scores."$level" || complain "$level answers otherwise: $(tr '\n' ' ' <scores."$level")"
    "$tips" init --arch tiny --pool tips-exact --lpf 3 --width 24 --classes 5 --size 16 -o "$level".safetensors >log 2>&1
    cmp -s model.safetensors "$level".safetensors || complain "$level draws other weights, or writes them otherwise"
    expect 0 '^Exact: 0 differing bits' verify --model model.safetensors --quiet
    expect 3 'fixed grid' verify --alone --pool max --size 16 --quiet
    for run in one two; do
        "$tips" train --arch tiny --width 12 --pool tips-exact --data shapes:size=16,train=64,test=16 --epochs 1 --batch 16 \
            --out "$level-$run" >log 2>&1 || complain "$level does not train: $(cat log)"
    done
    cmp -s "$level-one/last.safetensors" "$level-two/last.safetensors" || complain "$level does not train to the same bits twice"
done

# Trained at one, used at another.
for level in $levels; do
    for other in $levels; do
        TIPS_ISA=$level scores "$other-one/last.safetensors" >scores.other
        TIPS_ISA=$other scores "$other-one/last.safetensors" >scores.own
        alike scores.own scores.other || complain "what $other trained, $level answers otherwise"
    done
done

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

# The verdict on every operator, with the shifts under which the answer is another one.
# page: README.md
# sources: src/verify src/pool src/norm src/layer src/net src/arch cli/cmd_verify.c
# takes: 30 seconds
set -u
# The level of the figures: kernels that most x86-64 machines have.
export TIPS_ISA=avx2

# row OPERATOR TEXT
row() {
    "$TIPS" verify --arch resnet18 --width 16 --pool "$1" --quiet >"$out"
    code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || exit 1
    page=docs/pools/${1%%:*}.md
    layer=$(sed -n 's/^Not exact: the first layer that breaks is \(.*\)\.$/\1/p' "$out")
    reason=$(sed -n 's/^Reason (\(.*\)): .*/\1/p' "$out")
    changes=$(sed -n 's/^The answer changes under \([0-9]*\) of.*/\1/p' "$out")
    verdict='not exact'
    [ "$code" -ne 0 ] || verdict='**exact**, 0 differing bits'
    printf '| [`%s`](%s)%s | %s | %s | %s | %s%s |\n' "$1" "$page" "$2" "$verdict" "$layer" "$reason" "${changes:-0}" "$shifts" |
        sed 's-|  |-| |-g;s-|  |-| |-g'
    shifts=
}

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
"$TIPS" verify --alone --pool max --channels 1 --size 4 --quiet >"$out" 2>&1
[ $? -eq 3 ] || { echo "this processor has no AVX2" >&2; exit 77; }
echo '| operator | verdict | first layer that breaks | reason | other answer under |'
echo '|---|---|---|---|---:|'
shifts=' shifts'
row stride ''
row max ''
row avg ''
row blur ''
row ddac ''
row aps ''
row aps:choice=channel ''
row lps ''
row tips ", the paper's text"
row tips:anchor=norm ''
row tips-official ', its code'
row tips-exact ', the default'
row none ''

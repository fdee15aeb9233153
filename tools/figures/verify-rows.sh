# Three rows of the table of a network that breaks.
# page: docs/verify.md
# sources: src/verify src/pool src/norm src/layer src/net src/arch cli/cmd_verify.c cli/verify_print.c
# takes: 2 seconds
# varies: in the last digits, by processor and compiler
set -u
export TIPS_ISA=avx2
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
"$TIPS" verify --arch resnet18 --width 16 --pool max --shifts 64 >"$out"
[ $? -eq 3 ] || { echo "this processor has no AVX2" >&2; exit 77; }
printf '    TIPS_ISA=avx2 tips verify --arch resnet18 --width 16 --pool max --shifts 64\n\n'
sed -n '/^layer /p;/^-----/p;/^layer2\.0\.relu1 /p;/^layer2\.0\.pool /p;/^layer2\.0\.conv2 /p' "$out" | sed 's/^/    /'
echo
echo "(Three of its $(sed '1,/^-----/d;/^$/,$d' "$out" | grep -c .) rows.)"

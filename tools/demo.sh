#!/bin/sh
# Trains the same small network with four pooling operators, measures how much their answers depend on where the picture
# lies, and writes a report. The second time it shows what is there.
set -eu
tips=${TIPS:-build/tips}
out=${DEMO_OUT:-$(dirname "$tips")/demo}
here=$(cd "$(dirname "$0")/.." && pwd)
# Threads that wait without spinning: a demo should not suffer from other programs on the machine.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
cores=$(nproc 2>/dev/null || echo 2)
jobs=$((cores < 4 ? cores : 4))
began=$(date +%s)

say() { printf '\n%s\n' "$*" | fold -s -w 100 | sed 's/ *$//'; }

# show ARGUMENTS...: runs the command, and says what it was.
show() {
    printf '\n$ tips %s\n' "$*"
    "$tips" "$@"
}

say "A vision network should give the same answer wherever the picture lies. Most do not. Here a small ResNet learns" \
    "Fashion-MNIST with four pooling operators, and is asked again with every picture moved by a few pixels."
show compare "$here/recipes/fashion-small.yaml" --pool max,aps,tips,tips-exact --jobs "$jobs" \
    --grid-images 40 --verbose --out "$out"
show report "$out" --out "$out/report.html"

say "Circular shifts bring back at one side what leaves at the other: there tips-exact and aps are exact, bit by bit." \
    "In a standard shift new pixels come in, and no operator can be exact; the table shows both. A verifier names the" \
    "layer that breaks:"
show verify --model "$out/max/seed-1/best.safetensors" --shifts 64 --quiet || [ $? -eq 3 ]
show verify --model "$out/tips-exact/seed-1/best.safetensors" --shifts 64 --quiet

say "$(($(date +%s) - began)) seconds. The report: $out/report.html"

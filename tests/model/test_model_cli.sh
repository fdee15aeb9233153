#!/bin/sh
# Model files on the command line: init, info and verify, and what they say about files that do not fit.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

model=$work/model.safetensors
golden=$source/tests/golden/torchvision_resnet18.safetensors

expect 0 "model.safetensors: [0-9]* parameters$" init --arch tiny --pool tips-exact --size 16x24 --classes 7 --lpf 3 --out "$model"
expect 0 '^architecture  tiny$' info "$model"
expect 0 '^options       width 8, cifar stem, 2 downsampling layers, circular padding$' info "$model"
expect 0 '^operator      tips-exact after LPF-3$' info "$model"
expect 0 '^input         3x16x24, mean 0.5 0.5 0.5, deviation 0.25 0.25 0.25$' info "$model"
expect 0 '^classes       7$' info "$model"
expect 0 '^parameters    [0-9]* trainable, [0-9]* statistics$' info "$model"
expect 0 '^layer1.0.conv1.weight *8x8x3x3  F32 *2304$' info "$model"
expect 0 '"pool": "tips-exact"' info --json "$model"
"$tips" init --arch resnet18 --width 8 --size 32 --pool aps --others -1 --other-pool blur --stem-kernel 5 --out "$work/others.safetensors" >/dev/null || complain "tips init failed"
expect 0 '^operator      aps, in the last 1 downsampling layer blur$' info "$work/others.safetensors"
expect 0 '^options       width 8, cifar stem, first convolution 5x5, ' info "$work/others.safetensors"
expect 0 '"others": -1,' info --json "$work/others.safetensors"
expect 0 '"other_pool": "blur",' info --json "$work/others.safetensors"
expect 0 '"stem_kernel": 5,' info --json "$work/others.safetensors"
expect 0 '"width": 24,' info --json "$model"
expect 0 '^Exact: 0 differing bits' verify --model "$model" --shifts 32 --quiet
expect 0 '^tiny, pool tips-exact after LPF-3, circular padding, input 3x16x24, ' verify --model "$model" --shifts 4

# The same weights from the same seed, byte for byte; another operator takes the rest of them.
"$tips" init --arch tiny --pool tips-exact --size 16x24 --classes 7 --lpf 3 --out "$work/again.safetensors" >/dev/null
cmp -s "$model" "$work/again.safetensors" || { echo "init is not deterministic"; failures=$((failures + 1)); }
expect 0 'tensors loaded, 0 kept fresh, [0-9]* of the file not used' init --arch tiny --pool max --classes 7 --weights "$model" --out "$work/max.safetensors"
expect 0 'tensors loaded, [0-9]* kept fresh' init --arch tiny --pool aps --classes 3 --skip-classifier --weights "$model" --out "$work/aps.safetensors"
expect 3 '^Not exact: .*layer2.0.pool' verify --model "$work/max.safetensors" --shifts 8 --quiet

# torchvision's weights, on their own network and with another operator.
set -- --arch resnet18 --width 4 --stem imagenet --size 64 --weights "$golden" --shifts 4 --quiet
expect 3 'padding' verify "$@" --pool stride --padding zero
expect 0 '^Exact' verify "$@" --pool aps
expect 1 "tensor 'fc.weight' has shape (10, 32), the network takes (11, 32)" verify "$@" --classes 11
expect 0 'metadata      source = torchvision' info "$golden"
expect 0 '^bn1.num_batches_tracked *scalar  I64 *8$' info "$golden"
expect 0 '"model": null' info --json "$golden"

# Mistakes.
expect 2 'name a .safetensors or .onnx file' info
expect 2 'one word too many' info "$model" "$model"
expect 1 'absent: it cannot be opened: No such file' info "$work/absent"
expect 1 'not a regular file' info "$work"
expect 2 '--out FILE is missing' init --arch tiny
expect 1 'No such file or directory' init --arch tiny --out "$work/absent/model.safetensors"
expect 1 'does not say of which network' verify --model "$golden"
expect 2 'one or the other' verify --model "$model" --weights "$model"
expect 2 'takes no file' verify --weights "$model" --alone
head -c 1000 "$model" >"$work/short.safetensors"
expect 1 'truncated' info "$work/short.safetensors"
expect 1 'truncated' verify --model "$work/short.safetensors"
if [ -w /dev/full ]; then
    "$tips" info "$model" >/dev/full 2>/dev/null && { echo "a full disk went unnoticed"; failures=$((failures + 1)); }
fi

# A disk that is full keeps the old model.
if ulimit -f 2>/dev/null >/dev/null; then
    (
        trap '' XFSZ
        ulimit -f 8
        "$tips" init --arch tiny --pool tips-exact --width 32 --out "$model" >"$work/output" 2>&1
    )
    grep -q 'model.safetensors: could not be written: File too large' "$work/output" || { echo "no word of the full disk:"; cat "$work/output"; failures=$((failures + 1)); }
    cmp -s "$model" "$work/again.safetensors" || { echo "the old model is gone"; failures=$((failures + 1)); }
fi

# A real file from elsewhere, where it is at hand.
foreign=$source/../shared/data/models/resnet20-cifar10.safetensors
if [ -f "$foreign" ]; then
    expect 0 '^tensors       97, 1084392 bytes$' info "$foreign"
    expect 0 '^metadata      source = ' info "$foreign"
    expect 1 'does not say of which network' verify --model "$foreign"
else
    echo "no resnet20-cifar10.safetensors: not tried"
fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

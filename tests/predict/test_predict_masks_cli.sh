#!/bin/sh
# tips predict of masks by what it prints and writes.
. "$(dirname "$0")/../support/expect.sh"
cd "$work" || exit 1

picture() { # NAME WIDTH HEIGHT: a picture whose pixels are drawn from a counter
    { printf 'P6\n%d %d\n255\n' "$2" "$3"; awk -v n=$(($2 * $3 * 3)) 'BEGIN { for (i = 0; i < n; i++) printf "%c", 33 + (i * i / 7 + i) % 90 }'; } >"$1"
}
mkdir frames
for i in 1 2 10; do picture "frames/f$i.ppm" 40 30; done
picture one.ppm 20 50

"$tips" init --arch unet --width 8 --size 32 --classes 3 --pool tips-exact --out unet.safetensors >/dev/null || complain "tips init failed"
"$tips" init --arch tiny --width 8 --size 32 --pool max --out tiny.safetensors >/dev/null || complain "tips init failed"

expect 0 'one.ppm *50x20 *[012] *[0-9.]* %' predict --model unet.safetensors one.ppm
expect 0 'mean over 64 standard shifts' predict --model unet.safetensors one.ppm --stability
expect 0 'mean over 3 standard shifts' predict --model unet.safetensors one.ppm --stability --stability-shifts 3
expect 0 '"share": ' predict --model unet.safetensors one.ppm --json
expect 0 '"mask": null' predict --model unet.safetensors one.ppm --json
expect 0 'f1.ppm *f2.ppm *0, 0 *900 *0.00 %' predict --model unet.safetensors --sequence frames
expect 0 'f2.ppm *f10.ppm *2, -1 *812 ' predict --model unet.safetensors --sequence frames --motion 2,-1
expect 0 'mean over 2 steps' predict --model unet.safetensors --sequence frames
expect 1 "is not DY,DX in whole pixels, and as a file: No such file" predict --model unet.safetensors --sequence frames --motion 2,half
expect 2 'there is no sequence' predict --model unet.safetensors one.ppm --motion 1,1
expect 2 '--out is for models that answer with masks' predict --model tiny.safetensors one.ppm --out out
expect 2 '--motion is for models that answer with masks' predict --model tiny.safetensors --sequence frames --motion 1,1
expect 0 'flips 0 times in 3 frames' predict --model tiny.safetensors --sequence frames

if built_with png; then
    expect 0 'Masks and overlays: out/masks/one.png, out/overlays/one.png and 3 more of each' \
        predict --model unet.safetensors one.ppm --sequence frames --out out --logits scores.npy
    for file in masks/one masks/f1 masks/f10 overlays/f2 flicker; do [ -s "out/$file.png" ] || complain "out/$file.png was not written"; done
    head -c 128 scores.npy | grep -aq "'shape': (4, 3, 32, 32)" || complain "the scores are of another shape"
    expect 0 '"map": "out/flicker.png"' predict --model unet.safetensors --sequence frames --out out --json
    cp one.ppm out/masks/given.png
    expect 2 'out/masks/given.png lies in out/masks, where files are written' predict --model unet.safetensors out/masks/given.png --out out
    expect 2 'is where files are written' predict --model unet.safetensors --sequence out/masks --out out
    expect 2 'is where files are written' predict --model unet.safetensors --sequence frames --out frames
else
    expect 1 'this build writes no PNG' predict --model unet.safetensors one.ppm --out out
fi

exit "$failures"

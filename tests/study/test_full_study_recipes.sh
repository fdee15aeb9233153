#!/bin/sh
# Every study among the recipes, in a tiny form, to its end: all models are there, and every analysis has its figures.
. "$(dirname "$0")/../support/expect.sh"
built_with yaml || { echo "this build has no libyaml: studies are not tested"; exit 77; }
for recipe in "$source"/recipes/study-*.yaml; do
    name=$(basename "$recipe" .yaml)
    set -- --set data=shapes:size=32,train=24,test=10,classes=2 --set epochs=2 --seeds 1 --set train-limit=24 --set batch=8
    case $name in study-correlation | study-archs) ;; *) set -- "$@" --set width=4 ;; esac
    case $name in study-cifar10 | study-*imagenet | study-food101 | study-oxford102) set -- "$@" --set arch=resnet18 --set size=32 --set resize=0 --set stem=cifar ;; esac
    case $name in study-kvasir | study-voc | study-cityscapes) set -- "$@" --set size=32 ;; esac
    case $name in study-correlation-masks) set -- "$@" --set size=32 --set network=unet --set epochs=1 ;; esac
    case $name in study-tiny-imagenet-small) set -- "$@" --set classes-limit=0 ;; esac
    case $name in study-boxes) set -- "$@" --set data=shapes:size=64,train=24,test=10,classes=2 --set size=64 --set epochs=1 ;; esac
    case $name in study-contrast) set -- "$@" --set pretrain.epochs=1 --set pretrain.batch=8 ;; esac
    case $name in study-correlation) set -- "$@" --set network=mobilenet_v1 ;; esac
    if ! "$tips" study "$recipe" "$@" --limit 8 --jobs 2 --threads 2 --out "$work/$name" >"$work/output" 2>&1; then
        complain "$name: $(tail -5 "$work/output")"
        continue
    fi
    analyses=$(grep -c 'kind:' "$recipe") figures=$(find "$work/$name/figures" -name '*.svg' | sed 's|.*/||; s|-.*||' | sort -u | wc -l)
    [ "$analyses" -eq "$figures" ] || complain "$name: $analyses analyses, figures of $figures"
    echo "$name: $(tail -1 "$work/output")"
done
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# The page of an audit, of each task: pictures whose answer changes with both answers, what was measured and how, words that are true
# of the task, names of classes, and a command that makes it again.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

# says PAGE TEXT... and lacks PAGE TEXT...: fixed strings.
says() {
    page=$1
    shift
    for text; do grep -qF -- "$text" "$work/$page.html" || complain "the page of the $page lacks: $text"; done
}
lacks() {
    page=$1
    shift
    for text; do grep -qF -- "$text" "$work/$page.html" && complain "the page of the $page says: $text"; done
}

# audit PAGE ARGUMENTS...: makes a page, and its JSON.
audit() {
    page=$1
    shift
    "$tips" audit "$@" --threads 1 --json --report "$work/$page.html" >"$work/$page.json" 2>"$work/errors" ||
        { complain "tips audit $* failed"; cat "$work/errors"; }
}

# again PAGE: runs the command of the page; the page is to be the same, byte by byte.
again() {
    sed -n 's/^<pre><code>//p' "$work/$1.html" | sed 's/&amp;/\&/g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/'"'"'/g' >"$work/command"
    case $(cat "$work/command") in "tips audit "*) ;; *) complain "the command of the $1 is: $(cat "$work/command")" ;; esac
    cp "$work/$1.html" "$work/before.html"
    sh -c "tips() { \"$tips\" \"\$@\"; }; $(cat "$work/command")" >/dev/null 2>&1
    cmp -s "$work/before.html" "$work/$1.html" || complain "the command of the $1 makes another page: $(cat "$work/command")"
    command=$(sed 's/ --report .*//' "$work/command")
    grep '"command"' "$work/$1.json" | grep -qF "\"$command\"" || [ "$command" != "${command#*[\"\\]}" ] ||
        complain "the command in the JSON of the $1 is not that of the page: $command"
}

# A classifier: with random weights its answers flip; 'labels' names its outputs in another order than the data.
"$tips" init --arch tiny --pool max --size 16 --classes 10 --seed 3 --out "$work/classifier.safetensors" >/dev/null 2>&1 || complain "tips init failed"
audit classifier "$work/classifier.safetensors" --data shapes:test=40 --limit 12 --pairs 2 --shifts 3 --grid-images 2 --require 'accuracy>=0, msb<=100' --place corner
says classifier 'class="flips"' '<h2 id="examples">Pictures whose answer flips</h2>' '>before</text>' '>after</text>' 'labelled ' '&#160;%</small>' \
    ' px ' '<th scope="col">network</th>' 'threshold</th>' 'none: the class with the largest output'
lacks classifier 'under one model and not under another' 'tips eval' 'of the pixels' 'boxes that'
says classifier 'normalisation</th><td class="words">mean ' ' of pixels in 0..1, ' 'size of pictures</th>' '16 x 16 pixels (height x width), red, green, blue' \
    'Percent of the pictures whose number stands above each column' 'black comes in at the border' ' --place corner' ' --shifts 3'
lacks classifier ' --threads' ' --seed 1' ' --limit 0'
again classifier
grep -q '"border": "black"' "$work/classifier.json" || complain "the JSON does not say what comes in at the border"

# Grey around pictures is what comes in, and the page says so.
audit grey "$work/classifier.safetensors" --data shapes:test=20 --limit 4 --shifts none --grid-images 0 --fit 8192 --pad grey
says grey 'grey (114 of 255)' 'with grey (114) around them'
lacks grey 'black comes in'
grep -q '"border": "grey"' "$work/grey.json" || complain "the JSON says that something else than grey comes in"
audit crops "$work/classifier.safetensors" --data shapes:test=20 --limit 4 --shifts none --grid-images 0 --protocol adobe
says crops 'what lies beside the input' ' --protocol adobe'
lacks crops 'black comes in'

# Names by --labels, whatever their order: an example says what the output is called.
"$tips" data info shapes --json | sed -n 's/^ *"name": "\(.*\)",$/\1/p' | sort -r >"$work/reversed"
audit labelled "$work/classifier.safetensors" --data shapes:test=40 --limit 4 --shifts none --grid-images 0 --labels "$work/reversed"
again labelled

# Masks.
"$tips" init --task segment --arch unet --pool max --size 32 --classes 4 --channels 3 --out "$work/masks.safetensors" >/dev/null 2>&1 || complain "tips init failed"
audit masks "$work/masks.safetensors" --data shapes:classes=3,test=12 --limit 4 --shifts none --grid-images 0
says masks 'of the pixels flicker (change their class)' 'At a shift of one pixel, ' 'consistency and fidelity are percent of the pixels' 'Pixels that keep their class' \
    'none: of each pixel the class with the largest output' 'where the answers differ' '% same</small>'
lacks masks 'Percent of the pictures' 'of the answers' 'boxes that'
again masks
sed -n '/"per_class"/,/]/p' "$work/masks.json" | grep -q '"name": "disc"' || complain "the classes of masks have no names"

# Boxes.
"$tips" init --task detect:shown=0.01 --arch retinanet --pool max --size 64 --width 4 --classes 3 --channels 3 --out "$work/boxes.safetensors" >/dev/null 2>&1 || complain "tips init failed"
audit boxes "$work/boxes.safetensors" --data shapes:size=64,classes=3,objects=2,test=8 --limit 2 --shifts none --grid-images 0 --set-shifts 2
says boxes 'consistency and fidelity are percent of the boxes' 'jitter is in pixels' 'Boxes that stay' 'score to be shown</th><td class="words">0.01' 'IoU to be suppressed'
lacks boxes 'Percent of the pictures' 'of the answers'
again boxes
sed -n '/"per_class"/,/]/p' "$work/boxes.json" | grep -q '"name": "disc"' || complain "the classes of boxes have no names"
grep -q '"set_levels"' "$work/boxes.json" || complain "the JSON of boxes has no figures of one pixel"
if grep -q '"vanishing": {' "$work/boxes.json"; then says boxes 'of the boxes vanish or appear'; fi

# A detector that shows nothing keeps nothing.
"$tips" init --task detect --arch retinanet --pool max --size 64 --width 4 --classes 3 --channels 3 --out "$work/silent.safetensors" >/dev/null 2>&1 || complain "tips init failed"
audit silent "$work/silent.safetensors" --data shapes:size=64,classes=3,test=4 --limit 2 --shifts none --grid-images 0 --set-shifts 2
says silent 'shows no box on any of the pictures'
lacks silent 'keeps its answer' '100&#160;% of the boxes'

# Every table can be moved on a narrow screen.
for page in classifier masks boxes; do
    tr '\n' ' ' <"$work/$page.html" | sed 's/<div class="[a-z ]*scroll[a-z ]*"[^>]*> *<table//g' | grep -q '<table' && complain "a table of the $page stands in nothing that scrolls"
done

[ $failures -eq 0 ] || exit 1

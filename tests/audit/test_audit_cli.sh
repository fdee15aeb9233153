#!/bin/sh
# tips audit by what it prints: exit codes, JSON beside that of tips eval, JUnit XML, the page, labels, a published network.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
shared=$source/../shared/data

# well_formed FILE: by whatever reads XML here.
well_formed() {
    if command -v xmllint >/dev/null; then
        xmllint --noout "$1"
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
    else
        echo "Nothing here reads XML: $1 is not checked."
    fi
}

model=$work/a\&b.safetensors # a name that has to be escaped
"$tips" init --arch tiny --pool tips-exact --size 16 --classes 10 --out "$model" >/dev/null 2>&1 || complain "tips init failed"
few="--data shapes --limit 12 --threads 1 --quiet"

# Exit codes.
expect 0 '^Exact' audit "$model" $few
expect 0 'circular_consistency == 100 *100.00  yes' audit "$model" $few --require 'circular_consistency==100' --require exact,invariant
expect 3 'accuracy > 100 .*NO' audit "$model" $few --shifts none --require 'circular_consistency>=100; accuracy>100'
# The verdict comes first, then the requirements, then the figures, then why; every layer only if asked for.
some="--data shapes:size=16 --limit 8 --threads 1"
expect 3 'accuracy > 99 .*NO' audit "$model" $some --require 'accuracy>99,invariant'
grep -v 'forward passes\|^$' "$work/output" | head -n 1 | grep -q '^FAILED: 1 of 2 requirements\.$' || complain "a failed audit does not begin with its verdict"
awk '/^required /{r=NR} /^metric /{m=NR} /^Circular shifts of/{v=NR} END{exit !(r && m && v && r < m && m < v)}' "$work/output" ||
    complain "requirements, figures and verifier are not in this order"
! grep -q '^conv1 ' "$work/output" || complain "layers are shown without --verbose"
expect 0 '^PASSED: 1 requirement\.$' audit "$model" $some --require exact
expect 0 '^conv1 .*yes$' audit "$model" $some --verbose
"$tips" init --arch tiny --pool max --size 16 -o "$work/max.safetensors" >/dev/null 2>&1
expect 0 '^breaks by itself .*layers behind it$' audit "$work/max.safetensors" $some
expect 0 '^layer2.0.pool .* [1-9][0-9]* of 34$' audit "$work/max.safetensors" $some
expect 0 '"behind": "layer2.0.pool"' audit "$work/max.safetensors" $some --json
# Layers that downsample behind it are named too, and the last line says what can be done for such a network.
expect 0 '^Hidden behind: 2 further layers that downsample and would break by themselves too: layer3.0.pool (max, 2x2), layer3.0.downsample.pool (max, 2x2)\.$' audit "$work/max.safetensors" $some
expect 0 '"hidden_stride": \[' audit "$work/max.safetensors" $some --json
expect 0 '^What helps: An operator that follows the picture.* tips train --init .*max.safetensors --pool tips-exact --data shapes:size=16 --out DIR$' \
    audit "$work/max.safetensors" $some
expect 0 '^What helps: Its operator follows the picture already; .* --shift standard --data ' audit "$model" $some
expect 0 '"next": "Its operator' audit "$model" $some --json
"$tips" audit "$model" $some --report "$work/next.html" >/dev/null 2>&1
grep -q 'Its operator follows the picture already' "$work/next.html" || complain 'the page does not say what helps'
foreign=$source/tests/fuzz/corpus/onnx/block13.onnx
if "$tips" info "$foreign" >/dev/null 2>&1; then
    some="--data shapes:size=16,classes=3 --limit 8 --threads 1"
    expect 0 'What helps: Cameras that move .* tips convert .*block13.onnx --range 0..1 --lpf 3 --padding keep --data shapes' \
        audit "$foreign" --range 0..1 $some
    expect 0 'ask for no other; for exactness under circular shifts use circular padding' audit "$foreign" $some
    ! grep -q 'Recommended: --padding circular\|; use circular' "$work/output" || complain "audit advises circular padding for cameras that move"
    "$tips" convert "$foreign" --padding keep -o "$work/kept.safetensors" >/dev/null
    expect 0 'What helps: Tune it, .* tips train --init .*kept.safetensors --data' audit "$work/kept.safetensors" $some
    boxes=$source/tests/fuzz/corpus/onnx/boxes-yolo8.onnx
    expect 0 'What helps: Operators cannot be put into a detector of an ONNX file.* tips predict --model .* --boxes yolo8 --sequence FRAMES$' \
        audit "$boxes" --boxes yolo8 --data shapes:size=16,classes=2 --limit 4 --threads 1 --set-shifts 0
fi
expect 2 "did you mean 'standard_fidelity'" audit "$model" $few --require 'standard_fidelty>=1'
expect 2 'which --shifts none leaves out' audit "$model" $few --shifts none --require exact
expect 2 'which --no-msb leaves out' audit "$model" $few --no-msb --require 'msb<50'
expect 2 'name the model' audit $few
expect 2 'name the pictures' audit "$model"
expect 2 'one word too many' audit "$model" "$model" $few
expect 2 'range' audit "$model" $few --range 0..7
expect 1 'nothing.onnx' audit "$work/nothing.onnx" $few
expect 0 'under all 9 shifts' audit "$model" --data shapes --limit 12 --threads 1 --shifts 4 --require 'circular_worst_consistency==100'

# What tips eval prints, and more.
"$tips" audit "$model" $few --grid-images 3 --pairs 2 --json --junit "$work/junit.xml" --report "$work/page.html" \
    --require 'accuracy>=0,accuracy>100' >"$work/audit.json"
[ $? = 3 ] || complain "tips audit --json does not exit with 3"
"$tips" eval --model "$model" $few --grid-images 3 --pairs 2 --json >"$work/eval.json" || complain "tips eval failed"
for file in audit eval; do
    sed '/"time": {/,$d; /"command":/d' "$work/$file.json" >"$work/$file.part" # each says its own command
done
[ -s "$work/eval.part" ] || complain "tips eval printed nothing"
cmp "$work/audit.part" "$work/eval.part" || complain "the JSON of audit does not begin with that of eval"
for key in verify requirements differing_bits layers verify_picture ok; do
    grep -q "\"$key\":" "$work/audit.json" || complain "the JSON has no $key"
done

# A folder that names no split is taken whole, by audit and by eval, classes without pictures included.
for class in 0 1 2 3 4 5 6 7 8 9; do
    mkdir -p "$work/folder/$class"
    [ "$class" = 4 ] || for copy in 1 2; do cp "$source/tests/images/colour.ppm" "$work/folder/$class/$copy.ppm"; done
done
expect 0 ", all, 18 pictures" audit "$model" --data "$work/folder" --threads 1 --shifts none
expect 0 ', all, 18 pictures' eval --model "$model" --data "$work/folder" --whole --threads 1 --quiet
expect 0 "all, 18 pictures" eval --model "$model" --data "$work/folder" --threads 1 --quiet
expect 0 "all, 18 pictures" audit "$model" --data "$work/folder" --threads 1 --shifts none
expect 0 '"command": "tips audit .*/folder .*--whole' audit "$model" --data "$work/folder" --whole --threads 1 --shifts none --quiet --json
expect 0 '"command": "tips audit .*/folder --shifts none",$' audit "$model" --data "$work/folder" --threads 1 --shifts none --quiet --json
expect 1 "class 4, '4', has no training pictures" eval --split val --model "$model" --data "$work/folder" --threads 1 --quiet
cp "$source/tests/images/colour.ppm" "$work/folder/4/1.ppm"
expect 0 ', val, 2 pictures' eval --split val --model "$model" --data "$work/folder" --threads 1 --quiet

# Attacked and corrupted pictures stand on the page, with the figures of the JSON, and in its command.
"$tips" audit "$model" $few --shifts none --grid-images 0 --attack fgsm:eps=1/255+4/255 --corrupt fog --json --report "$work/attacked.html" >"$work/attacked.json" 2>/dev/null ||
    complain "tips audit --attack --report failed"
if command -v xmllint >/dev/null 2>&1; then xmllint --noout "$work/attacked.html" || complain "the page with attacks is no XML"; fi
for text in '<td>fgsm_linf_4_255</td>' '<td>fog_5</td>' 'not comparable with' '>Error by severity<' '>fgsm linf<' ' --attack fgsm:eps=1/255+4/255 --corrupt fog'; do
    grep -qF -- "$text" "$work/attacked.html" || complain "the page with attacks lacks $text"
done
grep -q 'id="attacks"' "$work/page.html" && complain "a page without attacks has a table of them"
mean=$(sed -n '/"fog":/,/}/s/^ *"error": \([0-9.]*\),*$/\1/p' "$work/attacked.json" | head -1)
[ -n "$mean" ] && grep -qF "<td>$(printf '%.2f' "$mean")</td>" "$work/attacked.html" || complain "the mean error of fog, $mean, is not on the page"

# JUnit and page.
well_formed "$work/junit.xml" || complain "the JUnit file is not well-formed"
grep -q '<testsuites tests="3" failures="1" errors="0" skipped="0"' "$work/junit.xml" || complain "the JUnit file counts otherwise"
grep -q 'a&amp;b.safetensors' "$work/junit.xml" || complain "the name of the model is not escaped"
grep -q '<failure message="required accuracy &gt; 100, got ' "$work/junit.xml" || complain "the failure has no message"
well_formed "$work/page.html" || complain "the page is not well-formed"
for anchor in requirements layers maps commands; do
    grep -q "id=\"$anchor\"" "$work/page.html" || complain "the page has no $anchor"
done
expect 1 'nowhere' audit "$model" $few --shifts none --junit "$work/nowhere/junit.xml"

# Results depend on neither batch nor threads.
for setting in "3 1" "16 2"; do
    set -- $setting
    "$tips" audit "$model" --data shapes --limit 12 --quiet --batch "$1" --threads "$2" --json | grep -v seconds >"$work/run-$1"
done
cmp -s "$work/run-3" "$work/run-16" || complain "batch and threads change the result"

# Labels: by name, whatever their order; numbers that do not fit are told.
"$tips" data info shapes --json | sed -n 's/^ *"name": "\(.*\)",$/\1/p' >"$work/names"
said='seconds\|command\|"by"\|"guessed"' # but for who says which is which
if [ "$(wc -l <"$work/names")" = 10 ]; then
    "$tips" audit "$model" $few --shifts none --json --labels "$work/names" | grep -v "$said" >"$work/labelled"
    "$tips" audit "$model" $few --shifts none --json | grep -v "$said" >"$work/ordered"
    cmp -s "$work/labelled" "$work/ordered" || complain "labels in their own order change the result"
    sort -r "$work/names" >"$work/reversed"
    expect 0 'required' audit "$model" $few --shifts none --labels "$work/reversed" --require 'circular_consistency==100'
    sed '1s/.*/zebra/' "$work/names" >"$work/wrong"
    expect 2 'has no class' audit "$model" $few --labels "$work/wrong"
    head -n 9 "$work/names" >"$work/short"
    expect 1 'has 9 names, the model 10 outputs' audit "$model" $few --labels "$work/short"
else
    complain "the names of the classes were not read"
fi
"$tips" init --arch tiny --pool max --size 16 --classes 12 --out "$work/twelve.safetensors" >/dev/null 2>&1
expect 1 'which is which? --labels' audit "$work/twelve.safetensors" $few

# Somebody's network: its published accuracy on the first 2000 test pictures. Sanitizers, which take many times as long,
# see a few of them.
pictures=2000 wanted='accuracy>=91.6,accuracy<=91.7'
[ -z "${ASAN_OPTIONS-}" ] || pictures=60 wanted='accuracy>=80'
if [ -f "$shared/models/resnet20-cifar10.onnx" ] && "$shared/get-cifar10" "$work/cifar" >/dev/null 2>&1; then
    test=$work/cifar/cifar-10-batches-bin/test_batch.bin
    head -c $((pictures * 3073)) "$test" >"$work/first" && mv "$work/first" "$test"
    "$tips" audit "$shared/models/resnet20-cifar10.onnx" --data "$work/cifar" --no-msb --grid-images 0 --shifts 4 --quiet \
        --require "$wanted" >"$work/output" 2>&1
    code=$?
    if grep -q 'without ONNX' "$work/output"; then
        echo "This build does not read ONNX: the published network is left out."
    elif [ $code -ne 0 ]; then
        complain "the accuracy of ResNet-20 is not the published one"
        cat "$work/output"
    fi
else
    echo "There is no ../shared/data: the published network is left out."
fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

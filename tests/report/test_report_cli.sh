#!/bin/sh
# tips report from the outside: a page from runs of train and compare, its numbers, its files, its mistakes.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"
data='shapes:size=16,train=200,test=40,classes=4'

# A page is XML, refers to nothing outside, and is small.
check_page() {
    if command -v xmllint >/dev/null 2>&1; then
        xmllint --noout "$1" 2>"$work/xml" || complain "$1 is not well-formed: $(head -3 "$work/xml")"
    fi
    ! grep -n 'https\{0,1\}:\|src=\|url(' "$1" || complain "$1 refers to something outside"
    ! grep -o 'href="[^"]\{0,20\}' "$1" | grep -v 'href="data:image/png' || complain "$1 has links"
    [ "$(wc -c <"$1")" -lt 3000000 ] || complain "$1 is large"
    ! grep -q 'nan\|inf"' "$1" || complain "$1 shows what is not a number"
}

cd "$work" || exit 1
options="--data $data --arch tiny --batch 8 --epochs 2 --threads 2"
# shellcheck disable=SC2086 # the options are words
"$tips" compare $options --pool max,tips-exact --out both >/dev/null 2>stderr || complain "tips compare failed: $(cat stderr)"
# shellcheck disable=SC2086
"$tips" train $options --pool aps --val-set test --out one >/dev/null 2>stderr || complain "tips train failed: $(cat stderr)"

# Training leaves its curves, atomically.
# The table has the margins of one seed, of a run as of its file.
"$tips" compare $options --pool max,tips-exact --out both >shown 2>&1 || complain "a comparison that is done is not shown again"
grep -Eq '^max  *[0-9.]+ ± [0-9.]+  ' shown || complain "the table of one seed has no margins: $(cat shown)"
grep -q '± half of the 95 % interval over them, one seed' shown || complain "the margins are not explained"
grep -q '"margin": *{' both/max/seed-1/result.json || complain "result.json has no margins"
for file in curves.svg eval.json; do [ -s "both/max/seed-1/$file" ] || complain "tips compare leaves no $file"; done
[ -s one/curves.svg ] || complain "tips train leaves no curves.svg"
[ -z "$(find . -name '.*.tmp')" ] || complain "temporary files are left"
if command -v xmllint >/dev/null 2>&1; then xmllint --noout one/curves.svg || complain "curves.svg is no XML"; fi

# Of two models on the same pictures: the difference, by pictures that one gets right and the other does not, and its interval around it.
# pictures POOL KEY: the run's pictures, a 1 or a 0 each.
pictures() { sed -n '/"per_picture": {/,/}/s/^ *"'"$2"'": "\([01]*\)".*/\1/p' "both/$1/seed-1/eval.json"; }
# differences FILE: "KEY value low high" of what is there.
differences() {
    awk '/"differences": \{/ { inside = 1; next }
        inside && /": \{/ { key = $1; gsub(/[":]/, "", key) }
        inside && /"(value|low|high)":/ { sub(/,$/, ""); line = line " " $2 }
        inside && /"high":/ { print key line; line = "" }
        inside && /"runs": \[/ { exit }' "$1"
}
differences both/compare.json >differences
for key in accuracy standard_consistency standard_fidelity circular_consistency circular_fidelity; do
    printf '%s\n%s\n' "$(pictures max $key)" "$(pictures tips-exact $key)" | awk -v key=$key '
        { rows[NR] = $0 }
        END {
            n = length(rows[1])
            for (i = 1; i <= n; i++) { d = substr(rows[2], i, 1) - substr(rows[1], i, 1); sum += d }
            if (n != 40 || length(rows[2]) != n) print key ": " n " pictures"
            printf "%s %.6f\n", key, 100 * sum / n
        }' >expected
    grep "^$key " differences | awk '{ printf "%s %.6f\n", $1, $2; if (!($3 < $2 && $2 < $4 && $3 >= -100 && $4 <= 100)) print "not around it:", $0 }' |
        cmp -s - expected || complain "the difference of $key is $(grep "^$key " differences), wanted $(cat expected)"
done
grep -q '^tips-exact - max  *40  *[+-][0-9.]* ([+-][0-9.]* to [+-][0-9.]*)' shown || complain "the table of differences is not shown: $(cat shown)"
"$tips" eval --model both/max/seed-1/best.safetensors,both/tips-exact/seed-1/best.safetensors --data $data --json >eval.json 2>stderr || complain "tips eval of two: $(cat stderr)"
[ "$(grep -c '"differences": {' eval.json)" -eq 1 ] && grep -q '"from": "both/max/seed-1/best.safetensors"' eval.json || complain "tips eval --json has no differences"
"$tips" eval --model both/max/seed-1/best.safetensors,both/max/seed-1/best.safetensors --data $data >same 2>&1
grep -q '+0.00 (-[0-9.]* to +[0-9.]*)' same || complain "a model is told from itself, or nothing is said: $(cat same)"

# A page of a comparison: every number of the table is that of eval.json.
expect 0 'page.html: 2 runs' report both -o page.html
check_page page.html
for pool in max tips-exact; do
    for key in accuracy standard_consistency circular_consistency standard_fidelity circular_fidelity msb; do
        number=$(awk -v key="\"$key\": {" 'index($0, key) { getline; sub(/.*: /, ""); sub(/,$/, ""); print; exit }' both/$pool/seed-1/eval.json)
        [ -n "$number" ] || complain "eval.json has no $key"
        grep "<tr><th scope=\"row\" data-value=\"$pool\">" page.html | grep -q "<td data-value=\"$number\">" ||
            complain "$key of $pool is $number, but not in the table"
    done
done
for text in 'Circular exactness is not standard-shift exactness' 'prefers-color-scheme:dark' '@media print' 'tips compare --pool max,tips-exact' \
    'under every circular shift that was tried' 'id="maps"' 'id="msb"' 'id="training"' 'id="sizes"' 'id="examples"' '<title id='; do
    grep -q "$text" page.html || complain "the page does not say: $text"
done

# The command on the page trains the same models: the options are all there.
command=$(sed -n 's/.*<code>\(tips compare .*\)$/\1/p' page.html | sed 's/&#39;/'"'"'/g')
(eval "set -- $command" && shift && "$tips" "$@" --out again >/dev/null 2>&1) || complain "the command of the page fails: $command"
cmp -s both/max/seed-1/best.safetensors again/max/seed-1/best.safetensors || complain "the command of the page trains another model: $command"

grep -q 'tips compare .*--data ' page.html || complain "the command of the page lacks the data: $command"

# Defaults of a task are defaults too: a detector has another optimiser, batch and rate than the table.
"$tips" train --task detect --arch retinanet --pool max --size 64 --width 4 --data shapes:size=64,classes=2,objects=1,train=4,test=2 --epochs 1 --threads 1 \
    --out boxes >/dev/null 2>&1 || complain "a detector cannot be trained"
"$tips" report boxes -o boxes.html --figures none --examples 0 >/dev/null 2>&1 || complain "a detector has no page"
grep -q '<code>tips train --data .* --task detect .*--epochs 1' boxes.html || complain "the command of a detector is not on its page"
for option in optimizer lr batch schedule clip weight-decay; do
    grep -q "<code>tips train .* --$option " boxes.html && complain "the command of a detector says the default of --$option"
done
for pool in max tips-exact; do
    grep -A1 "$pool, standard</title>" page.html | grep -q "$pool, circular</title>" || complain "the heat maps of $pool are not side by side"
done
[ "$(grep -v 'command\|model\|seconds' both/max/seed-1/eval.json)" = "$(grep -v 'command\|model\|seconds' again/max/seed-1/eval.json)" ] ||
    complain "the command of the page measures something else: $command"

# The figures, as SVG and PNG.
[ "$(find page-figures -name '*.svg' | wc -l)" -ge 13 ] || complain "there are few figures: $(ls page-figures)"
if grep -q 'as SVG and PNG' output; then
    [ "$(find page-figures -name '*.png' | wc -l)" -eq "$(find page-figures -name '*.svg' | wc -l)" ] || complain "figures lack their PNG"
    [ -s one/curves.png ] || complain "tips train leaves no curves.png"
else
    grep -q 'lacks cairo' output || complain "that PNG is missing is not said"
fi
for figure in page-figures/*.svg; do
    if command -v xmllint >/dev/null 2>&1; then xmllint --noout "$figure" || complain "$figure is no XML"; fi
done
"$tips" report both -o none.html --figures none --examples 0 --quiet || complain "--figures none fails"
[ ! -e none-figures ] || complain "--figures none writes figures"
grep -q 'examples 0' none.html || complain "--examples 0 is not said"

# A run without an evaluation, chosen on the test set: said, and done if asked for.
expect 0 'one is not evaluated: tips eval --model one/best.safetensors' report both one -o three.html --examples 2
check_page three.html
grep -q 'chosen on the test pictures' three.html || complain "that a model was chosen on the test pictures is not said"
expect 0 '"evaluated": 1' report both one -o three.html --evaluate --limit 30 --json --search 40
grep -q '"standard_worst_consistency": {' "$work/output" || complain 'the worst case has another name in the JSON of a report'
[ -s one/eval.json ] || complain "--evaluate keeps no eval.json"
check_page three.html
grep -q 'not evaluated on the same number\|Not all runs were evaluated' three.html || complain "different numbers of pictures are not said"

# An evaluation that meets an unreadable picture stops, or leaves it out as it is told to.
for split in train test; do
    mkdir -p "photos/$split/a" "photos/$split/b"
    for i in 1 2 3 4 5 6; do
        cp "$source/tests/images/colour.ppm" "photos/$split/a/$i.ppm"
        cp "$source/tests/images/grey.pgm" "photos/$split/b/$i.pgm"
    done
done
"$tips" train --data photos --arch tiny --pool max --size 16 --batch 4 --epochs 1 --threads 2 --out seen >/dev/null 2>stderr ||
    complain "tips train on photos failed: $(cat stderr)"
printf 'P6 8 6 255\nshort' >photos/test/b/7.ppm
expect 1 'b/7.ppm: cut short' report seen -o seen.html --evaluate --figures none
[ ! -e seen/eval.json ] || complain "an evaluation that failed leaves an eval.json"
expect 0 'seen.html: 1 runs' report seen -o seen.html --evaluate --figures none --on-bad-image skip
grep -q '"skipped": 1,' seen/eval.json || complain "--on-bad-image skip does not reach the evaluation"
grep -q 'on-bad-image skip' seen.html || complain "the page's command does not say --on-bad-image skip"
expect 2 'on-bad-image' report seen -o seen.html --on-bad-image never

# Moved folders, other data, names that are markup.
mkdir 'a <b> & c'
cp -r both 'a <b> & c/both'
expect 0 'markup.html: 2 runs' report 'a <b> & c/both' -o markup.html --title '<script>"&' --examples 1
check_page markup.html
grep -q '&lt;script&gt;&quot;&amp;' markup.html || complain "the title is not escaped"
cp -r one other
sed -i 's/"protocol": "tips"/"protocol": "adobe"/' other/eval.json
expect 0 'different data or by different protocols' report both other -o mixed.html --examples 0
check_page mixed.html

# Models that are gone.
cp -r both gone
rm gone/max/seed-1/best.safetensors
expect 0 'no examples: a model cannot be run: .*best.safetensors' report gone -o gone.html
check_page gone.html

# Mistakes name the file and what is wrong.
expect 2 'name the folders' report -o x.html
expect 1 'nowhere: No such file' report nowhere -o x.html
mkdir empty
expect 1 "empty: is no folder of 'tips train' (it has no config.json) nor" report empty -o x.html
cp -r one bad
echo '{"accuracy": ' >bad/eval.json
expect 1 'bad/eval.json: not valid JSON' report bad -o x.html
echo '{"accuracy": 3}' >bad/eval.json
expect 1 'bad/eval.json: is not what tips eval --json writes' report bad -o x.html
cp both/max/seed-1/eval.json bad/eval.json
expect 1 'bad/eval.json: is of a network with max, but the run in this folder has aps' report bad -o x.html
printf '{"epoch":1}\nnonsense\n' >bad/log.jsonl
expect 1 'bad/log.jsonl:2: not valid JSON' report bad -o x.html
echo '[]' >bad/config.json
expect 1 'bad/config.json: is not a JSON object' report bad -o x.html
expect 1 'nowhere/page.html' report both -o nowhere/page.html --figures none --examples 0
expect 2 'one: is named twice' report one one -o x.html
[ ! -e x.html ] || complain "a failed report leaves a page"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# Names that move the cursor, clear the screen or break lines: none of that reaches a terminal or a page, and JSON and XML
# stay valid.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

bad=$(printf 'ev\033[2Jil\nname\302\2332J')
mkdir -p "$work/$bad/$bad" "$work/$bad/other"
for i in 1 2 3 4 5 6; do
    printf 'P6\n2 2\n255\n12312312312%s' "$i" >"$work/$bad/$bad/$bad$i.ppm"
    printf 'P6\n2 2\n255\n45645645645%s' "$i" >"$work/$bad/other/$i.ppm"
done
model="$work/$bad/$bad.safetensors"

# clean: the last output holds no control character but line feeds, and spells the name out.
clean() {
    LC_ALL=C tr -d '\n\011\040-\176\200-\377' <"$work/output" | grep -q . && complain "tips $*: control characters in the output"
    printf '\302\233' >"$work/pattern"
    LC_ALL=C grep -q -F -f "$work/pattern" "$work/output" && complain "tips $*: a control character of two bytes in the output"
    grep -q '^il\|^name' "$work/output" && complain "tips $*: a name breaks a line"
}

spelt='ev\\x1b\[2Jil\\nname\\x9b2J'
check() {
    expect "$@"
    clean "$@"
}
check 0 "$spelt.safetensors: [0-9]* parameters" init --arch tiny --width 8 --size 16 --classes 2 --out "$model"
check 0 "$spelt" data info "$work/$bad"
check 0 "$spelt" eval --model "$model" --data "$work/$bad" --whole --grid-images 0
check 0 "$spelt" predict --model "$model" "$work/$bad/$bad/${bad}1.ppm"
check 0 "$spelt" info "$model"
printf '%s\nother\n' "$(printf 'ev\033[2Jil')" >"$work/labels"
check 0 'ev\\x1b\[2Jil' predict --model "$model" --labels "$work/labels" "$work/$bad/other/1.ppm" --top 2
check 0 "$spelt" audit "$model" --data "$work/$bad" --junit "$work/junit.xml" --report "$work/page.html" --shifts 2 --grid-images 0
check 1 "$spelt" info "$work/$bad/$bad-nothing"
check 1 "$spelt" data info "$work/$bad-nothing"
check 2 "$spelt" "$bad"
check 2 "unknown flag '--$spelt'" eval "--$bad"
check 2 "'$spelt' is one word too many" list pools "$bad"
check 0 "$spelt" train --data "$work/$bad" --arch tiny --width 8 --size 16 --batch 4 --epochs 1 --out "$work/run-$bad" --verbose

if command -v python3 >/dev/null; then
    "$tips" eval --model "$model" --data "$work/$bad" --whole --grid-images 0 --json 2>/dev/null >"$work/eval.json"
    "$tips" data info "$work/$bad" --json >"$work/data.json"
    python3 - "$work" "$bad" <<'END' || complain "JSON or XML is not valid, or a name is lost"
import json, re, sys, xml.etree.ElementTree as tree

work, bad = sys.argv[1:]
assert bad in json.load(open(work + "/eval.json"))["model"]
assert json.load(open(work + "/data.json"))["classes"][0]["name"] == bad
tree.parse(work + "/junit.xml")
for page in "junit.xml", "page.html":
    text = open(work + "/" + page, encoding="utf-8").read()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text), page
END
fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

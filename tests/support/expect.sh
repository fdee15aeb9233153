# Read by the test scripts (. tests/support/expect.sh): counts failures, runs the command and looks at what it says.
# shellcheck shell=sh
tips=${TIPS:?the path of the command}
source=$(cd "${SOURCE_DIR:-$(dirname "$0")/../..}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

# expect CODE PATTERN ARGUMENTS...: both streams together must contain the pattern (a basic regular expression).
expect() {
    code=$1
    pattern=$2
    shift 2
    "$tips" "$@" >"$work/output" 2>&1
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -q -- "$pattern" "$work/output"; then
        complain "tips $*: exit code $got (wanted $code), wanted: $pattern"
        sed 's/^/  | /' "$work/output"
    fi
}

# built_with LIBRARY...: whether the command has all of these optional libraries, by their linker's names.
built_with() {
    for library in "$@"; do
        case " ${TIPS_LIBRARIES-png jpeg webp tiff z archive curl yaml expat cairo protobuf-c} " in *" $library "*) ;; *) return 1 ;; esac
    done
}

# moved_tensors BEFORE AFTER: of two model files, a line "new NAME" for every tensor of the second that is not in the first with the
# same bytes, and "gone NAME" for those that the second lacks.
moved_tensors() {
    python3 - "$1" "$2" <<'END'
import json, struct, sys


def tensors(path):
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    header.pop("__metadata__")
    return {name: data[start + t["data_offsets"][0]:start + t["data_offsets"][1]] for name, t in header.items()}


before, after = (tensors(path) for path in sys.argv[1:])
print(*(f"new {name}" for name in sorted(after) if after[name] != before.get(name)), sep="\n")
print(*(f"gone {name}" for name in sorted(before) if name not in after), sep="\n")
END
}

# moved_by_freezing BEFORE AFTER: of the tensors of two model files, those of pooling operators alone may differ, and some do.
moved_by_freezing() {
    if ! command -v python3 >/dev/null; then
        echo "there is no python3: --freeze is not compared tensor by tensor"
        return
    fi
    moved_tensors "$1" "$2" | grep '^new' >"$work/moved"
    cat "$work/moved"
    [ -s "$work/moved" ] && ! grep -qv '\.pool\.' "$work/moved" || complain "--freeze moved the wrong tensors, or none"
}

# Read by the test scripts (. tests/support/expect.sh): counts failures, runs the command and looks at what it says.
# shellcheck shell=sh
tips=${TIPS:?the path of the command}
source=$(cd "${SOURCE_DIR:-$(dirname "$0")/..}" && pwd)
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

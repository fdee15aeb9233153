# Read by the tests of studies: a study that is ended by kill -9 again and again, against one that never was.
# shellcheck shell=sh

# rows FOLDER: the table without times.
rows() { sed 's/,[^,]*\(,[^,]*\)$/\1/' "$1/study.csv"; }

# kill_and_resume GRID TIMES OPTIONS...: ends the study so often, each time a little later, and lets it go on.
kill_and_resume() {
    grid=$1 times=$2
    shift 2
    "$tips" study "$grid" --out "$work/whole" "$@" >"$work/output" 2>&1 || complain "tips study failed: $(tail -5 "$work/output")"
    # shellcheck disable=SC2034
    for nth in $(seq "$times"); do
        "$tips" study "$grid" --out "$work/killed" "$@" >"$work/output" 2>&1 &
        process=$!
        sleep "0.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"
        sleep "0.$((nth % 4))"
        kill -9 $process 2>/dev/null
        wait $process 2>/dev/null
    done
    "$tips" study "$grid" --out "$work/killed" "$@" >"$work/output" 2>&1 || complain "tips study did not go on: $(tail -5 "$work/output")"
    rows "$work/whole" >"$work/whole.csv"
    rows "$work/killed" >"$work/killed.csv"
    cmp "$work/whole.csv" "$work/killed.csv" || complain "after kill -9 the table is another: $(diff "$work/whole.csv" "$work/killed.csv")"
    for cell in "$work"/whole/cells/*/; do
        cmp "$cell/best.safetensors" "$work/killed/cells/$(basename "$cell")/best.safetensors" || complain "after kill -9 a model is another: $cell"
    done
}

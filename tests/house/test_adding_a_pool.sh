#!/bin/sh
# docs/adding-a-pool.md to the letter: its blocks, put into a copy of the sources, build and do what the page promises.
set -u
source=${SOURCE_DIR:?the source directory}
built=${BUILD_DIR:?the build directory}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive
failures=0

complain() {
    failures=$((failures + 1))
    echo "$1"
    [ $# -lt 2 ] || sed 's/^/  | /' "$2"
}

give_up() {
    complain "$@"
    exit 1
}

cd "$source" || exit 1
tree=$work/tree
mkdir "$tree"
for part in CMakeLists.txt LICENSE *.md cmake include src cli tests docs tools examples; do
    [ ! -e "$part" ] || cp -R "$part" "$tree"
done
cd "$tree" || exit 1

# Blocks: ```LANGUAGE ACTION=FILE, numbered in their order; $work/blocks lists "number action file".
awk -v work="$work" '
    !inside && /^```[a-z]+ (file|append|row)=[^ ]+$/ {
        action = $2
        sub(/=.*/, "", action)
        name = $2
        sub(/^[^=]*=/, "", name)
        inside = 1
        print ++count, action, name >(work "/blocks")
        printf "" >(work "/block-" count)
        next
    }
    inside && /^```$/ { inside = 0; close(work "/block-" count); next }
    inside { print >(work "/block-" count) }' docs/adding-a-pool.md
[ "$(wc -l <"$work/blocks")" -ge 8 ] || give_up "docs/adding-a-pool.md: hardly any blocks were found"
while read -r number action file; do
    block=$work/block-$number
    case $file in
    src/pool/pool_diagonal.c | src/pool/pools.def | docs/*) ;;
    *) give_up "the page changes $file, for which more than pool_diagonal.c and pools.c would have to be compiled" ;;
    esac
    case $action in
    file)
        [ ! -e "$file" ] || give_up "$file exists already"
        cp "$block" "$file"
        ;;
    append)
        [ -e "$file" ] || give_up "there is no $file to append to"
        cat "$block" >>"$file"
        ;;
    row)
        awk -v block="$block" '
            function add() { while ((getline line <block) > 0) print line; done = 1 }
            table && !/^\|/ && !done { add() }
            { table = /^\|/; print }
            END { if (table && !done) add() }' "$file" >"$work/changed" && cp "$work/changed" "$file"
        ;;
    esac
done <"$work/blocks"

# Compiled as CMake would compile the copy, with the settings of the build that is being tested; what the page does not
# touch is linked from there.
settings='TIPS_[A-Z]+|CMAKE_BUILD_TYPE|CMAKE_C_COMPILER|CMAKE_C_FLAGS|CMAKE_C_FLAGS_DEBUG'
sed -nE "s/^($settings):([A-Z]+)=(.*)/set(\\1 \"\\3\" CACHE \\2 \"\")/p" "$built/CMakeCache.txt" >"$work/settings.cmake"
generator='Unix Makefiles'
! command -v ninja >/dev/null 2>&1 || generator=Ninja
build=$tree/build
cmake -S . -B "$build" -G "$generator" -C "$work/settings.cmake" -DBUILD_TESTING=OFF \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log" 2>&1 || give_up "the copy cannot be configured" "$work/log"

# compile FILE: by the command that CMake has for it, which names where the object goes.
compile() {
    command=$(sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build/compile_commands.json" | grep -- " -c $tree/$1\$" |
        sed 's/\\"/"/g')
    [ -n "$command" ] || give_up "the build of the copy does not find $1"
    object=CMakeFiles/tips_objects.dir/$1.o
    mkdir -p "$build/$(dirname "$object")"
    (cd "$build" && eval "$command") >"$work/log" 2>&1 || give_up "$1 cannot be compiled" "$work/log"
    objects="$objects $build/$object"
}

objects=
compile src/pool/pool_diagonal.c
compile src/pool/pools.c
libraries=$(sed -n 's/^Libs.private: //p' "$built/tips.pc")
! grep -q '^TIPS_SANITIZE:BOOL=ON' "$built/CMakeCache.txt" || libraries="$libraries -fsanitize=address,undefined"

# link PROGRAM FILE...: an object comes before the libraries, so its symbols are taken and theirs are not.
link() {
    program=$1
    shift
    # shellcheck disable=SC2086 # lists of words
    "${CC:-cc}" -fopenmp $objects "$@" "$built/libtips.a" $libraries -o "$build/$program" >"$work/log" 2>&1 ||
        give_up "$program cannot be linked" "$work/log"
}

link tips "$built/CMakeFiles/tips_command.dir/cli/main.c.o" "$built/libtips_cli.a"
link contract "$built/CMakeFiles/test_contract_pools.dir/tests/pool/test_contract_pools.c.o" \
    "$built/libtips_test_support.a" -lcmocka
tips=$build/tips

# expect CODE PATTERN ARGUMENTS...: both streams together must contain the pattern.
expect() {
    code=$1
    pattern=$2
    shift 2
    "$tips" "$@" >"$work/log" 2>&1
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -q -- "$pattern" "$work/log"; then
        complain "tips $*: exit code $got (wanted $code), wanted: $pattern" "$work/log"
    fi
}

expect 0 '^diagonal  *-  *-  *-  *-  *mean of the diagonal of each window' list pools
expect 0 '^diagonal:which  *main|anti  *main ' list pools
expect 2 "did you mean 'diagonal'?" verify --pool diagnal
expect 2 'main|anti' verify --pool diagonal:which=both
for pool in diagonal diagonal:which=anti; do
    expect 3 'breaks is pool\.' verify --alone --pool $pool --stride 3x2 --size 12x18 --quiet
    expect 3 'Reason (fixed grid): diagonal' verify --alone --pool $pool --stride 3x2 --size 12x18 --quiet
    expect 3 'breaks is layer2.0.pool\.' verify --arch tiny --pool $pool --lpf 3 --size 16 --shifts 32 --quiet
done
expect 0 '^diagonal ' bench pools --pools avg,diagonal --batch 2 --channels 8 --size 16 --steps 1
expect 0 'diagonal' cost --arch tiny --pool diagonal --batch 1

TIPS_ONLY_POOL=diagonal "$build/contract" >"$work/log" 2>&1 ||
    complain "the contract does not hold" "$work/log"
grep -q 'which=anti\|diagonal: [1-9][0-9]* cases' "$work/log" || complain "the contract was not tested" "$work/log"

# Only what the check of the documentation has to say about the new operator; the rest is its own test's matter.
TIPS=$tips SOURCE_DIR=$tree BUILD_DIR=$build sh tests/house/test_docs.sh >"$work/log" 2>&1
! grep -q diagonal "$work/log" || complain "the new page does not pass" "$work/log"

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

# Sourced by tests that follow a page of docs/ to the letter: its blocks are put into a copy of the sources, what they change
# is compiled, and the rest is linked from the build that is being tested. Needs SOURCE_DIR and BUILD_DIR.
# shellcheck shell=sh
. "${SOURCE_DIR:?the source directory}/tests/support/expect.sh"
built=${BUILD_DIR:?the build directory}

# blame WHAT FILE: a failure, with what a program said about it.
blame() {
    complain "$1"
    sed 's/^/  | /' "$2"
}

# give_up WHAT [FILE]
give_up() {
    complain "$1"
    [ $# -lt 2 ] || sed 's/^/  | /' "$2"
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
cut_blocks() {
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
        inside { print >(work "/block-" count) }' "$1"
    [ "$(wc -l <"$work/blocks")" -ge 8 ] || give_up "$1: hardly any blocks were found"
}

# follow PAGE FILE...: carries out the blocks of a page; it may change these files and docs/.
follow() {
    page=$1
    shift
    cut_blocks "$page"
    while read -r number action file; do
        block=$work/block-$number
        case " $* docs/${file#docs/} " in
        *" $file "*) ;;
        *) give_up "$page changes $file, for which more would have to be compiled than is" ;;
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
}

# Compiled as CMake would compile the copy, with the settings of the build that is being tested; what the page does not
# touch is linked from there.
configure() {
    settings='TIPS_[A-Z]+|CMAKE_BUILD_TYPE|CMAKE_C_COMPILER|CMAKE_C_FLAGS|CMAKE_C_FLAGS_DEBUG'
    sed -nE "s/^($settings):([A-Z]+)=(.*)/set(\\1 \"\\3\" CACHE \\2 \"\")/p" "$built/CMakeCache.txt" >"$work/settings.cmake"
    generator='Unix Makefiles'
    ! command -v ninja >/dev/null 2>&1 || generator=Ninja
    build=$tree/build
    cmake -S . -B "$build" -G "$generator" -C "$work/settings.cmake" -DBUILD_TESTING=OFF \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log" 2>&1 || give_up "the copy cannot be configured" "$work/log"
    objects=
}

# compile FILE: by the commands that CMake has for it, which name where the object goes: one, or for a kernel one for each level.
compile() {
    sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build/compile_commands.json" | grep -- " -c $tree/$1\$" |
        sed 's/\\"/"/g' >"$work/commands"
    [ -s "$work/commands" ] || give_up "the build of the copy does not find $1"
    while IFS= read -r command; do
        object=$(printf '%s\n' "$command" | sed 's/.* -o \([^ ]*\) -c .*/\1/')
        mkdir -p "$build/$(dirname "$object")"
        (cd "$build" && eval "$command") >"$work/log" 2>&1 || give_up "$1 cannot be compiled" "$work/log"
        case $object in
        *_kernels_*) [ -e "$build/levels" ] || objects="$objects $build/$object" ;;
        *) objects="$objects $build/$object" ;;
        esac
    done <"$work/commands"
}

# join_levels: where there are several, kernels are linked as one object for each, as the build does it.
join_levels() {
    [ -e "$build/levels" ] || return 0
    for list in "$build"/levels/*.list; do
        while read -r object; do
            [ -e "$object" ] || object=$built${object#"$build"}
            echo "$object"
        done <"$list" >"$work/list"
        cp "$work/list" "$list"
    done
    sh cmake/levels.sh "$build/levels" >"$work/log" 2>&1 || give_up "the levels cannot be joined" "$work/log"
    "${CC:-cc}" -c "$build/levels/trampolines.S" -o "$build/levels/trampolines.o" || give_up "no trampolines"
    objects="$objects $build/levels/trampolines.o $(echo "$build"/levels/kernels_*.o)"
}

# link PROGRAM FILE...: an object comes before the libraries, so its symbols are taken and theirs are not.
link() {
    program=$1
    shift
    libraries=$(sed -n 's/^Libs.private: //p' "$built/tips.pc")
    ! grep -q '^TIPS_SANITIZE:BOOL=ON' "$built/CMakeCache.txt" || libraries="$libraries -fsanitize=address,undefined"
    # shellcheck disable=SC2086 # lists of words
    "${CC:-cc}" -fopenmp $objects "$@" "$built/libtips.a" $libraries -o "$build/$program" >"$work/log" 2>&1 ||
        give_up "$program cannot be linked" "$work/log"
}

# link_command: the command, as $tips.
link_command() {
    link tips "$built/CMakeFiles/tips_command.dir/cli/main.c.o" "$built/libtips_cli.a"
    tips=$build/tips
}

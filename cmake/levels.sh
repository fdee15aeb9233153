#!/bin/sh
# levels.sh FOLDER: makes one set of kernels out of several, in FOLDER.
#
# In: levels, their names, and for each LEVEL.list, its objects, a line each. Out: kernels_LEVEL.o, all of a level's objects in one, with
# every function f renamed to f__LEVEL, and trampolines.S with
#   - f, for each of these functions, which jumps to where its slot points; hidden if it is internal, tips__f,
#   - storage for each datum d that a level defines as d__LEVEL, which is what TIPS_ROW(d) makes of its name
#     (src/core/level.h): all levels and everybody else mean this one d,
#   - tips__level_parts, from which src/core/level_start.c fills slots and storage with those of one level.
# Functions inside a level call each other directly. Tools: LD, NM, OBJCOPY from the environment.
set -eu
LC_ALL=C
export LC_ALL
folder=$1
# shellcheck disable=SC2046 # a list of words
set -- $(cat "$folder/levels")
first=$1

give_up() {
    echo "levels.sh: $*" >&2
    exit 1
}

# Global names a level defines: functions, and data as "name size in hex".
list_names() {
    level=$1
    # shellcheck disable=SC2046 # a list of words; paths of a build have no spaces
    "${LD:-ld}" -r -o "$folder/joined_$level.o" $(cat "$folder/$level.list")
    "${NM:-nm}" -g --defined-only -S "$folder/joined_$level.o" >"$folder/$level.names"
    awk '$(NF - 1) ~ /^[TW]$/ { print $NF }' "$folder/$level.names" | sort >"$folder/$level.functions"
    # Locks that clang makes for OpenMP are common to everything it compiles.
    awk '$(NF - 1) !~ /^[TW]$/ && $NF !~ /^\.gomp_critical_user_/ { print $NF, $2, $(NF - 1) }' "$folder/$level.names" |
        sort >"$folder/$level.globals"
    stray=$(awk -v end="__$level" 'substr($1, length($1) - length(end) + 1) != end || NF != 3 || $3 == "C" { printf " %s", $1 }' \
        "$folder/$level.globals")
    [ -z "$stray" ] || give_up "kernels define data that other files can see, and each level would have its own:$stray." \
        "Make it static, or spell its name TIPS_ROW(name) where it is defined (src/core/level.h)."
    sed "s/__$level / /" "$folder/$level.globals" | awk '{ print $1, $2 }' >"$folder/$level.rows"
}

# What is called by one name must be there, and as large, at each level.
compare_names() {
    for part in functions rows; do
        cmp -s "$folder/$first.$part" "$folder/$1.$part" ||
            give_up "$first and $1 do not define the same $part:" \
                "$(diff "$folder/$first.$part" "$folder/$1.$part" | grep '^[<>]' | head -n 5 | tr '\n' ' ')"
    done
}

rename() {
    awk -v end="__$1" '{ print $1, $1 end }' "$folder/$1.functions" >"$folder/$1.renames"
    "${OBJCOPY:-objcopy}" --redefine-syms="$folder/$1.renames" "$folder/joined_$1.o" "$folder/kernels_$1.o"
}

print_trampolines() {
    echo '/* Made by cmake/levels.sh. */'
    printf '#ifdef __CET__\n#include <cet.h>\n#else\n#define _CET_ENDBR\n#endif\n\t.text\n'
    awk '{
        printf "\t.p2align 4\n\t.globl %s\n\t.type %s, @function\n%s:\n\t.cfi_startproc\n\t_CET_ENDBR\n", $1, $1, $1
        if ($1 ~ /^tips__/) printf "\t.hidden %s\n", $1
        printf "\tjmp *slots+%d(%%rip)\n\t.cfi_endproc\n\t.size %s, .-%s\n", 8 * (NR - 1), $1, $1
    }' "$folder/$first.functions"
}

print_storage() {
    printf '\t.bss\n\t.p2align 6\nslots:\n\t.skip %d\n' $((8 * $(wc -l <"$folder/$first.functions")))
    while read -r name size; do
        case $name in tips__*) printf '\t.hidden %s\n' "$name" ;; esac
        printf '\t.p2align 6\n\t.globl %s\n\t.type %s, @object\n\t.size %s, %d\n%s:\n\t.skip %d\n' \
            "$name" "$name" "$name" $((0x$size)) "$name" $((0x$size))
    done <"$folder/$first.rows"
}

# What src/core/level_start.c has as tips_level_part: where to, how many bytes, and from where at each level.
print_parts() {
    printf '\t.section .data.rel.ro,"aw"\n\t.p2align 3\n'
    for level in "$@"; do
        echo "functions_$level:"
        sed "s/.*/\t.quad &__$level/" "$folder/$level.functions"
    done
    printf '\t.globl tips__level_parts\n\t.hidden tips__level_parts\n\t.type tips__level_parts, @object\ntips__level_parts:\n'
    printf '\t.quad slots, %d' $((8 * $(wc -l <"$folder/$first.functions")))
    printf ', functions_%s' "$@"
    while read -r name size; do
        printf '\n\t.quad %s, %d' "$name" $((0x$size))
        for level in "$@"; do printf ', %s__%s' "$name" "$level"; done
    done <"$folder/$first.rows"
    printf '\n\t.quad 0, 0'
    for level in "$@"; do printf ', 0'; done
    # Whoever links a function out of an archive needs what fills its slot.
    printf '\n\t.quad tips__level\n\t.size tips__level_parts, .-tips__level_parts\n'
    printf '\t.section .note.GNU-stack,"",@progbits\n'
}

for level in "$@"; do
    list_names "$level"
    compare_names "$level"
    rename "$level"
done
{
    print_trampolines
    print_storage
    print_parts "$@"
} >"$folder/trampolines.S.new"
mv "$folder/trampolines.S.new" "$folder/trampolines.S"

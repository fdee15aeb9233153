#!/bin/sh
# tools/clean_debian.sh and its like are there to be run by hand; here only that they parse, refuse what they do not know, and find compilers.
set -u
cd "${SOURCE_DIR:?the source directory}" || exit 1
failures=0

complain() {
    echo "$*"
    failures=$((failures + 1))
}

for script in tools/*.sh cmake/*.sh; do
    case $(head -n 1 "$script") in *bash) continue ;; esac
    sh -n "$script" || complain "$script is not a script"
    [ -x "$script" ] || case $script in cmake/*) ;; *) complain "$script cannot be run" ;; esac
done
for words in --help 'trixie --' '../trixie'; do
    # shellcheck disable=SC2086 # lists of words
    tools/clean_debian.sh $words >/dev/null 2>&1
    code=$?
    [ $code -eq 2 ] || complain "clean_debian.sh $words: exit code $code"
done
tools/newest_compiler.sh tcc 2>/dev/null && complain "newest_compiler.sh knows tcc"
# The newest is the one of the highest number, not the last in the alphabet; none that has a number is the one that has none.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in clang-9 clang-101 clang-100 clang-format-999 clang-tidy gcc-7 gcc-ar-99; do
    printf '#!/bin/sh\n' >"$work/$program" && chmod +x "$work/$program"
done
[ "$(PATH=$work:$PATH tools/newest_compiler.sh clang)" = clang-101 ] || complain "the newest clang is $(PATH=$work:$PATH tools/newest_compiler.sh clang)"
case $(PATH=$work:$PATH tools/newest_compiler.sh gcc) in
gcc-99 | gcc-ar*) complain "the newest gcc is a program of another name" ;;
esac
[ "$failures" -eq 0 ]

#!/bin/sh
# newest_compiler.sh gcc|clang: the newest that is installed or, on Debian, that apt offers, as its program is called there: "clang-19".
set -eu
case ${1-} in
gcc | clang) ;;
*)
    echo "usage: newest_compiler.sh gcc|clang" >&2
    exit 2
    ;;
esac

offered() { if command -v apt-cache >/dev/null; then apt-cache search --names-only "^$1-[0-9]+\$" | cut -d ' ' -f 1; fi; }

installed() {
    echo "$PATH" | tr : '\n' | while read -r folder; do
        find "$folder/" -maxdepth 1 -name "$1-[0-9]*" 2>/dev/null | sed 's|.*/||'
    done
}

newest=$({ offered "$1"; installed "$1"; } | grep -x "$1-[0-9]*" | sort -t - -k 2 -n | tail -n 1)
echo "${newest:-$1}"

#!/bin/sh
# Completion as the shells do it: commands, flags and values come from the tables.
set -u
. "${SOURCE_DIR:-$(dirname "$0")/../..}/tests/support/expect.sh"

expect 2 'name the shell: bash, zsh or fish' completion
expect 2 'name the shell: bash, zsh or fish' completion tcsh
expect 2 'one word too many' completion bash zsh
for shell in bash zsh fish; do "$tips" completion "$shell" >"$work/tips.$shell" || complain "completion $shell failed"; done
mkdir "$work/place" "$work/place/folder"
touch "$work/place/a model.onnx"

# offered SHELL LINE...: what is offered for the last word, one a line.
offered() {
    shell=$1
    shift
    case $shell in
    bash) bash --norc -c '
        source "$0/tips.bash"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _tips
        printf "%s\n" "${COMPREPLY[@]}"' "$work" "$@" ;;
    zsh) zsh -f -c '
        compdef() { : }
        compadd() { while [[ $1 == -* && $1 != -- ]]; do shift; done; [[ $1 == -- ]] && shift; print -l -- ${(M)@:#$PREFIX*} }
        _describe() { local -a all; all=("${(@P)argv[-1]}"); print -l -- ${(M)${all%%:*}:#$PREFIX*} }
        _files() { if [[ ${1-} == -/ ]]; then print -l -- *(/N); else print -l -- *(N); fi }
        compset() { case $2 in ("*=") PREFIX=${PREFIX#*=} ;; ("*,") PREFIX=${PREFIX##*,} ;; esac }
        source $0/tips.zsh
        words=("$@") CURRENT=$# PREFIX=$argv[-1]
        _tips' "$work" "$@" ;;
    fish)
        last=
        for word in "$@"; do last="$last$word "; done
        fish --no-config -c 'source $argv[1]/tips.fish; complete -C $argv[2]' "$work" "${last% }" | cut -f 1 ;;
    esac
}

# offers SHELL NAME LINE...: the name is offered. lacks: it is not.
offers() {
    name=$2
    shell=$1
    shift 2
    (cd "$work/place" && offered "$shell" "$@") | grep -qxF -e "$name" || complain "$shell: $* does not offer $name"
}
lacks() {
    name=$2
    shell=$1
    shift 2
    (cd "$work/place" && offered "$shell" "$@") | grep -qxF -e "$name" && complain "$shell: $* offers $name"
}

for shell in bash zsh fish; do
    command -v "$shell" >/dev/null || { echo "there is no $shell: its script is not tried"; continue; }
    "$shell" -n "$work/tips.$shell" || complain "the script for $shell is not valid"
    for command in train compare study paper report verify eval audit predict info init convert export cost bench data list completion help; do
        offers "$shell" "$command" tips ''
    done
    offers "$shell" verify tips ver
    lacks "$shell" train tips ver
    # Every flag that the help of a command shows.
    for command in train eval audit bench data; do
        for flag in $("$tips" help "$command" | sed -n 's/^  \(-o, \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'); do
            offers "$shell" "$flag" tips "$command" "$flag"
        done
    done
    offers "$shell" --no-msb tips eval --no
    lacks "$shell" --pool tips list --p
    for pool in $("$tips" list pools | awk 'NR > 2 && !NF { exit } NR > 2 { print $1 }'); do offers "$shell" "$pool" tips train --pool "$pool"; done
    for arch in $("$tips" list archs | awk 'NR > 2 && !NF { exit } NR > 2 { print $1 }'); do offers "$shell" "$arch" tips eval --arch ''; done
    lacks "$shell" resnet18 tips train --pool ''
    offers "$shell" imagenet-p tips eval --protocol ''
    offers "$shell" adamw tips train --optimizer ad
    offers "$shell" batch tips train --norm ''
    offers "$shell" shapes tips eval --data sh
    offers "$shell" cifar10 tips data get ''
    offers "$shell" get tips data ''
    offers "$shell" step tips bench ''
    offers "$shell" metrics tips list ''
    offers "$shell" verify tips help ''
    offers "$shell" fish tips completion ''
    case $shell in
    bash)
        offers bash 'a model.onnx' tips info ''
        offers bash 'a model.onnx' tips audit a
        offers bash folder tips train --out ''
        lacks bash 'a model.onnx' tips train --out ''
        offers bash tips-exact tips train --pool = tips-e
        offers bash max tips train --pool =
        offers bash max,aps tips compare --pool max,ap
        offers bash folder tips convert -o fol
        ;;
    zsh)
        offers zsh 'a model.onnx' tips info ''
        offers zsh folder tips train --out ''
        lacks zsh 'a model.onnx' tips train --out ''
        offers zsh tips-exact tips train --pool=tips-e
        offers zsh aps tips compare --pool max,ap
        ;;
    fish) offers fish 'a model.onnx' tips info a ;;
    esac
done

# bash asks by itself, as at a terminal.
if command -v bash >/dev/null; then
    bash --norc -c 'source "$0/tips.bash"; complete -p tips' "$work" | grep -q -- '-F _tips tips' || complain "bash: nothing is registered"
fi

[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }

#!/bin/sh
# clean_debian.sh [SUITE...] [-- COMMAND...]: the two commands of the README as somebody runs them who has just cloned the tree, on a Debian
# that has nothing but make and git. For each suite (bookworm and trixie, which are Debian 12 and 13) it makes a system by mmdebstrap,
# clones what is committed here into it, runs each command (an argument each; 'make demo' and 'make test' if none is given), and says how
# long it took. Needs root and mmdebstrap. TIPS_CLEAN names the folder for the systems, /tmp if not given.
set -eu
usage="usage: clean_debian.sh [SUITE...] [-- COMMAND...]"
source=$(cd "$(dirname "$0")/.." && pwd)

give_up() {
    echo "clean_debian: $*" >&2
    exit 2
}

suites=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in -* | */* | '') give_up "$usage" ;; esac
    suites="$suites $1"
    shift
done
if [ $# -gt 0 ]; then
    shift
    [ $# -gt 0 ] || give_up "$usage"
fi
suites=${suites:-bookworm trixie}
[ $# -gt 0 ] || set -- "make demo" "make test"

[ "$(id -u)" = 0 ] || give_up "a system can be made and entered by root only"
for program in mmdebstrap unshare chroot git; do
    command -v "$program" >/dev/null || give_up "$program is missing (Debian: apt-get install mmdebstrap util-linux git)"
done
folder=$(mktemp -d "${TIPS_CLEAN:-/tmp}/tips-clean-XXXXXX")

# Nothing of this machine is ever mounted below the folder outside the namespaces that end with their commands; should something be all the
# same, nothing is removed.
clean_up() {
    if grep -qF " $folder" /proc/self/mountinfo; then
        echo "clean_debian: something is mounted below $folder; it stays" >&2
        return
    fi
    rm -rf --one-file-system "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# within ROOT COMMAND: in namespaces of mounts and processes of its own, with an environment of its own.
within() {
    # shellcheck disable=SC2016 # for the shells inside
    unshare --mount --pid --fork --kill-child sh -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" &&
        exec chroot "$0" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
            DEBIAN_FRONTEND=noninteractive http_proxy="$2" https_proxy="$3" sh -c "$1"' \
        "$1" "$2" "${http_proxy-}" "${https_proxy-}"
}

make_system() {
    echo "=== $1: making the system"
    mmdebstrap --quiet --variant=minbase --include=make,git,ca-certificates "$1" "$folder/$1"
    cp /etc/resolv.conf "$folder/$1/etc/resolv.conf"
    git clone --quiet --no-hardlinks "$source" "$folder/$1/root/tips"
    echo "=== $1: tips $(git -C "$source" rev-parse --short HEAD)"
}

git -C "$source" diff --quiet HEAD || echo "clean_debian: what is not committed is not tried" >&2
failed=0
for suite in $suites; do
    make_system "$suite"
    for command in "$@"; do
        began=$(date +%s)
        code=0
        within "$folder/$suite" "cd /root/tips && $command" </dev/null || code=$?
        echo "=== $suite: $command: exit code $code, $(($(date +%s) - began)) s"
        [ "$code" -eq 0 ] || failed=1
    done
    rm -rf --one-file-system "${folder:?}/$suite"
done
exit $failed

#!/bin/sh
# loader_hint.sh LIBDIR: says how programs find the libtips.so that was installed there, unless they find it already. Changes nothing.
set -u
folder=$1
PATH=$PATH:/sbin:/usr/sbin

real() { (cd "$1" 2>/dev/null && pwd -P); }

# Whether the loader knows the library, and whether it looks into the folder once its cache is made anew.
is_cached() { ldconfig -p 2>/dev/null | grep -qF "=> $folder/libtips.so"; }
is_searched() {
    ldconfig -N -X -v 2>/dev/null | sed -n 's/^\(\/[^:]*\):.*/\1/p' | while read -r searched; do
        [ "$(real "$searched")" = "$(real "$folder")" ] && echo yes
    done | grep -q yes
}

if is_cached; then exit 0; fi
if is_searched; then
    echo "Programs find $folder/libtips.so after: ldconfig (as root)"
    exit 0
fi
echo "The loader does not look into $folder. Programs find libtips.so there if they are linked with -Wl,-rpath,$folder" \
    "or run with LD_LIBRARY_PATH=$folder; for all of them, put a line $folder into /etc/ld.so.conf.d/tips.conf and run ldconfig (as root)."
echo "pkg-config finds tips with PKG_CONFIG_PATH=$folder/pkgconfig."

#!/bin/sh
# openblas.sh FOLDER: puts Debian's OpenBLAS into FOLDER unless it is there, without installing it. PyTorch of Debian runs with any BLAS, and where
# nothing else is installed with the reference one, which is ten times slower at linear layers.
set -eu
folder=$1
package=libopenblas0-openmp

if [ -e "$folder/libblas.so.3" ]; then exit 0; fi
for program in apt-get dpkg-deb; do
    command -v "$program" >/dev/null || { echo "no $program to get $package with" >&2; exit 1; }
done
fresh=$folder.$$
mkdir -p "$fresh"
if ! (cd "$fresh" && apt-get download "$package" && dpkg-deb -x "$package"_*.deb .) >"$fresh/log" 2>&1; then
    tail -n 3 "$fresh/log" >&2
    rm -rf "$fresh"
    exit 1
fi
found=$(find "$fresh/usr/lib" -name libblas.so.3 | head -n 1)
[ -n "$found" ] && mv -T "$(dirname "$found")" "$folder"
rm -rf "$fresh"
[ -e "$folder/libblas.so.3" ]

#!/bin/sh
# install.sh FOLDER: puts npm's onnxruntime-node into FOLDER unless it is there. Exits with 77 where that cannot be done.
set -eu
folder=$1
package=onnxruntime-node@1.30.0

skip() {
    echo "skipped: $*"
    exit 77
}

if [ -d "$folder/node_modules/onnxruntime-node" ]; then exit 0; fi
command -v node >/dev/null || skip "no node to run onnxruntime-node with"
command -v npm >/dev/null || skip "no npm to install onnxruntime-node with"
fresh=$folder.$$
mkdir -p "$fresh"
if ! npm install --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$fresh" "$package" >"$fresh/log" 2>&1; then
    tail -n 3 "$fresh/log"
    rm -rf "$fresh"
    skip "npm could not install $package"
fi
# Another test may have been faster.
if ! mv -T "$fresh" "$folder" 2>/dev/null; then rm -rf "$fresh"; fi
[ -d "$folder/node_modules/onnxruntime-node" ] || skip "onnxruntime-node did not reach $folder"

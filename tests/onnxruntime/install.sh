#!/bin/sh
# install.sh FOLDER: puts npm's onnxruntime-node into FOLDER unless it is there. Where that cannot be done it ends as
# tests/support/lack.sh does.
set -eu
folder=$1
package=onnxruntime-node@1.30.0
lack() { exec sh "$(dirname "$0")/../support/lack.sh" "$@"; }

if [ -d "$folder/node_modules/onnxruntime-node" ]; then exit 0; fi
command -v node >/dev/null || lack "no node to run onnxruntime-node with"
command -v npm >/dev/null || lack "no npm to install onnxruntime-node with"
fresh=$folder.$$
mkdir -p "$fresh"
if ! npm install --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$fresh" "$package" >"$fresh/log" 2>&1; then
    grep . "$fresh/log" | head -n 5
    rm -rf "$fresh"
    lack "npm could not install $package"
fi
# Another test may have been faster.
if ! mv -T "$fresh" "$folder" 2>/dev/null; then rm -rf "$fresh"; fi
[ -d "$folder/node_modules/onnxruntime-node" ] || lack "onnxruntime-node did not reach $folder"

# Four operators on Fashion-MNIST: what `make demo` comes to.
# page: README.md
# sources: tools/demo.sh tools/figures/demo.py recipes/fashion-small.yaml src/train src/pool src/net src/layer src/evaluate src/metric src/study
# takes: 4 minutes
# needs: Fashion-MNIST, which the recipe fetches
# varies: by processor; set DEMO_OUT to the folder of a demo that was run
set -u
command -v python3 >/dev/null || { echo "there is no python3" >&2; exit 77; }
if [ -z "${DEMO_OUT:-}" ]; then
    DEMO_OUT=$(mktemp -d) || exit 1
    trap 'rm -rf "$DEMO_OUT"' EXIT
    export DEMO_OUT
    tools/demo.sh >&2 || exit 1
fi
python3 tools/figures/demo.py "$DEMO_OUT/compare.json"

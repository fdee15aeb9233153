# Parameters and arithmetic of every architecture, beside the paper's.
# page: docs/cost.md
# sources: src/bench src/arch src/pool src/layer src/norm tools/figures/cost.py cli/cmd_cost.c
# takes: 2 seconds
command -v python3 >/dev/null || { echo "there is no python3" >&2; exit 77; }
exec python3 tools/figures/cost.py all

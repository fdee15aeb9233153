# r of MSB and stability, over all models, of the rows that were kept.
# page: docs/results/correlation.md
# sources: docs/results/data/correlation.csv tools/figures/correlation.py
# takes: 2 seconds
command -v python3 >/dev/null || { echo "there is no python3" >&2; exit 77; }
exec python3 tools/figures/correlation.py correlation all

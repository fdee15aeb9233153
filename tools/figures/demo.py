"""The table of README.md of a compare.json of one seed: demo.py FILE. Bold is exact."""
import json
import sys

COLUMNS = {"accuracy": "accuracy", "standard_consistency": "consistency, standard", "circular_consistency": "consistency, circular",
           "standard_fidelity": "fidelity, standard", "circular_fidelity": "fidelity, circular"}
NOTES = {"tips": ", the paper's text"}

with open(sys.argv[1]) as file:
    pools = json.load(file)["pools"]
print("| operator | " + " | ".join(COLUMNS.values()) + " |")
print("|---|" + "---:|" * len(COLUMNS))
for pool in pools:
    run = pool["runs"][0]
    cells = ["**100.00**" if key == "circular_consistency" and run[key] == 100 else "%.2f ± %.2f" % (run[key], run["margin"][key]) for key in COLUMNS]
    print(f"| `{pool['pool']}`{NOTES.get(pool['pool'], '')} | " + " | ".join(cells) + " |")

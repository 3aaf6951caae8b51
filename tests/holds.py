"""holds.py FILE CONDITION...: exits with 0 when each Python condition is true of the JSON in FILE.

`report` is the whole document. `row(CASE, METRIC)` is the only entry of `cases` whose names contain both.
"""
import json
import sys
import xml.etree.ElementTree as tree

path, conditions = sys.argv[1], sys.argv[2:]
if path.endswith(".xml"):
    report = tree.parse(path).getroot()
else:
    with open(path, encoding="utf-8") as file:
        report = json.load(file)


def row(case="", metric=""):
    found = [one for one in report["cases"] if case in one.get("case", one.get("id")) and metric in one.get("metric", "")]
    assert len(found) == 1, f"{len(found)} rows of {case} {metric}"
    return found[0]


scope = {"report": report, "row": row}
wrong = [condition for condition in conditions if not eval(condition, scope)]
for condition in wrong:
    print("not so:", condition, file=sys.stderr)
if wrong and not path.endswith(".xml"):
    print(json.dumps(report)[:4000], file=sys.stderr)
sys.exit(bool(wrong))

#!/usr/bin/env python3
"""thin.py PAGE.html OUT.jsonl.xz: the documents of a page, one a line, with fewer samples.

Five processes of a case are kept, and nine quantiles of a process in place of its samples.
"""
import base64
import json
import lzma
import sys
import zlib

PROCESSES, QUANTILES = 5, 9
OPENING = '<script id="harness-data" type="application/octet-stream">'


def documents(page):
    begin = page.index(OPENING) + len(OPENING)
    for packed in page[begin:page.index("</script>", begin)].split():
        yield json.loads(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS))


def thin(process):
    """Samples and quantiles are steps from one to the next."""
    values, sum_ = [], 0
    for step in process["deltas"]:
        sum_ += step
        values.append(sum_)
    if len(values) <= QUANTILES:
        return
    values.sort()
    kept = [values[round(i * (len(values) - 1) / (QUANTILES - 1))] for i in range(QUANTILES)]
    process["form"] = "quantiles"
    process["deltas"] = [one - before for one, before in zip(kept, [0, *kept])]


def main(page, out):
    with open(page, encoding="utf-8") as file:
        found = list(documents(file.read()))
    for document in found:
        for side in (document.get("baseline"), document.get("current")):
            for details in (side or {}).get("details", []):
                for series in details["series"]:
                    del series["processes"][PROCESSES:]
                    for process in series["processes"]:
                        thin(process)
    with lzma.open(out, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        for document in found:
            file.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

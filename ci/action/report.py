"""Fourth step of the action: what was measured, to where GitHub shows it.

Reads the report folder that measure.sh left and writes the job summary, the annotations (to the log) and
the outputs `verdict`, `regressions`, `report-path` and `status`, the exit status that the job is to end
with. It decides nothing but whether a missing baseline fails: the verdict is the harness's.

Python and not jq, because the report is untrusted text that has to be parsed, cut and escaped, and
because a self-hosted runner has Python more often than jq. Only the standard library; Python 3.8.
"""

import json
import os
import re
import sys
from pathlib import Path

SUMMARY_LIMIT = 1_000_000  # bytes; over 1024 KiB GitHub drops a step's summary as a whole
LOG_LINES = 40
INTERRUPTED = 130

# Characters that draw nothing or turn the reading direction: not for text that people judge by.
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
ANSI = re.compile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|.)")


def plain(text):
    return INVISIBLE.sub("", ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def fenced(text):
    """A block of code that no text can leave: nothing in it is Markdown, HTML or a mention."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


def annotation(kind, title, message):
    escaped = plain(message).replace("%", "%25").replace("\n", "%0A")
    print(f"::{kind} title={title.replace(':', '%3A')}::{escaped}")


def read(path):
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ""


def read_verdict(folder):
    try:
        report = json.loads(read(folder / "verdict.json"))
    except ValueError:
        return None
    if not isinstance(report, dict) or report.get("format") != "harness-comparison":
        return None
    return report if re.fullmatch("[a-z_]+", str(report.get("verdict"))) else None


def cut(markdown):
    """The harness keeps to the limit itself; whatever else wrote the file is cut at the end of a line."""
    whole = markdown.encode()
    if len(whole) <= SUMMARY_LIMIT:
        return markdown
    kept = whole[:SUMMARY_LIMIT].rsplit(b"\n", 1)[0].decode("utf-8", errors="ignore")
    if len(re.findall(r"^\s*```", kept, re.MULTILINE)) % 2:
        kept += "\n```"
    open_details = len(re.findall("<details", kept)) - len(re.findall("</details>", kept))
    return (kept + "\n" + "</details>\n" * max(0, open_details) +
            f"\n**Cut here:** the summary has {len(whole):,} bytes, and GitHub shows at most 1,048,576. "
            "The whole of it is in the artifact.\n")


class Outcome:
    """What is said of a run, and the exit status that the job ends with."""

    def __init__(self, status, verdict, summary):
        self.status = status
        self.verdict = verdict
        self.summary = summary


def tail_of_log(folder):
    lines = plain(read(folder / "log.txt")).strip().split("\n")
    return "\n".join(line[:500] for line in lines[-LOG_LINES:])


def first_error(log):
    """The first error of the log with its advice, for the annotation."""
    lines = log.split("\n")
    for number, line in enumerate(lines):
        if "error:" in line:
            following = lines[number + 1:number + 2]
            return "\n".join([line.strip()] + [more.strip() for more in following if "advice:" in more])
    return "the harness could not measure; the log says more"


def in_pull_request():
    return os.environ.get("CHANGE") == "true"


def interrupted(folder):
    text = "The run was cancelled or ended from outside, so there is no verdict. "
    if in_pull_request():
        text += "What it finished is in records.db of the artifact."
        annotation("warning", "harness: interrupted", text)
        return Outcome(INTERRUPTED, "interrupted", f"### Interrupted\n\n{text}\n\n" + fenced(tail_of_log(folder)))
    text += "What it finished is kept in the store."
    annotation("warning", "harness: interrupted", text)
    return Outcome(INTERRUPTED, "interrupted",
                   f"### Interrupted\n\n{text} `harness run ... --continue` measures the rest.\n\n" +
                   fenced(tail_of_log(folder)))


def not_measured(folder, status):
    log = tail_of_log(folder)
    if status is None:
        return Outcome(2, "error", "### Not measured\n\nA step before the measuring failed; its log says why.\n")
    annotation("error", "harness: not measured", first_error(log))
    return Outcome(status or 2, "error", f"### No verdict\n\nExit status {status}.\n\n" + fenced(log))


def recorded():
    text = "Nothing to judge by: no usable record of the baseline is in the store, and none is pinned. "
    if in_pull_request():
        text += "What this run measured is in records.db of the artifact. A push to the target branch records a baseline."
    else:
        text += "This run is recorded, and what comes after it can be held to it."
    annotation("notice", "harness: no baseline yet", text)
    return Outcome(0, "recorded", f"### Recorded\n\n{text}\n")


def why_no_baseline(report):
    """The fact that says why there is no baseline; None where there is one, or none is told of."""
    baseline = report.get("baseline")
    found = baseline.get("found") if isinstance(baseline, dict) and not baseline.get("id") else None
    return found if isinstance(found, dict) and found.get("code") == "none" else None


def judge(folder, status, asked_for_baseline, accepted):
    report = read_verdict(folder)
    if status == "running" or status == INTERRUPTED:
        return interrupted(folder)
    if report is None or status not in (0, 1, 3, 4, 5):
        return not_measured(folder, status)
    missing = why_no_baseline(report)
    if missing is not None and not asked_for_baseline:
        # Records under another suite name or machine class: the change lost its baseline, and is not the first.
        lost = missing.get("elsewhere") and not accepted
        if (status == 4 and not lost) or (status == 0 and missing.get("first")):
            return recorded()
    for line in read(folder / "annotations.txt").split("\n"):
        if re.match("::(error|warning|notice) ", line):
            print(line)
    return Outcome(status, report["verdict"], cut(read(folder / "summary.md")))


def read_status(folder):
    text = read(folder / "status").strip()
    return int(text) if text.isdigit() else text or None


def count_regressions(folder):
    """Those that fail: a regression that a waiver accepts is none of them."""
    report = read_verdict(folder) or {}
    cases = report.get("cases")
    if not isinstance(cases, list):
        return 0
    return sum(1 for case in cases if case.get("verdict") == "regressed" and not case.get("waiver"))


def main():
    report = os.environ["REPORT"]  # empty when the input was refused
    folder = Path(report or "/nonexistent")
    outcome = judge(folder, read_status(folder), bool(os.environ["INPUT_AGAINST"]),
                    os.environ.get("INPUT_ACCEPT_PROPOSED") == "true")
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as summary:
        summary.write(outcome.summary)
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as outputs:
        outputs.write(f"verdict={outcome.verdict}\nregressions={count_regressions(folder)}\n"
                      f"report-path={report}\nstatus={outcome.status}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

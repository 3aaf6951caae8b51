"""commands.py DOCUMENT [HEADING]: the commands that a document shows, one a line.

A command is a line of a fenced `sh` block, or a line of a fenced block without a language that begins with `harness ` or
`$ harness `. Without HEADING each line is `heading<TAB>command`. Commands that not_here.txt names are left out.
commands.py --all DOCUMENT: likewise, without headings: tests/examples walks all of an example.
commands.py --file DOCUMENT LANGUAGE NUMBER: the text of the document's block of that language, counted from 0.
commands.py --check ROOT SCRIPT...: that each command is walked by a script, and each line of not_here.txt is in use.
"""
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
documents = ["README.md", "baselines/README.md", "ci/README.md", "ci/on-call.md", "ci/your-repository.md",
             "harness/cli/commands/guide.md", "harness/cli/commands/loop.md", "harness/cli/farm/README.md", "harness/cli/tune/README.md", "harness/doctor/doctor.md",
             "harness/measure/together.md", "harness/report/formats.md", "harness/study/selftest.md"]


def blocks(text):
    """Each fenced block as (heading, language, lines)."""
    heading, language, lines = "", None, []
    for line in text.splitlines():
        fence = re.match(r"```(\w*)", line)
        if fence and language is None:
            language, lines = fence.group(1), []
        elif fence:
            yield heading, language, lines
            language = None
        elif language is not None:
            lines.append(line)
        elif re.match(r"#+ ", line):
            heading = line.lstrip("#").strip()


def shown(lines, language):
    """The commands of a block, with continued lines joined and comments cut off."""
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    for line in joined:
        if language == "" and not re.match(r"(\$ )?harness ", line):
            continue
        command = re.sub(r"\s+# .*$|^# .*$", "", line.removeprefix("$ ")).strip()
        if command:
            yield command


def not_here():
    """(document, reason, command) of each command that the walk leaves out."""
    with open(os.path.join(here, "not_here.txt"), encoding="utf-8") as file:
        rows = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    return [tuple(part.strip() for part in row.split(" | ", 2)) for row in rows]


def commands(root, document):
    """(heading, command) of each command that can be walked here."""
    with open(os.path.join(root, document), encoding="utf-8") as file:
        text = file.read()
    left_out = [command for where, _, command in not_here() if where == document]
    for heading, language, lines in blocks(text):
        if language in ("", "sh"):
            for command in shown(lines, language):
                if command not in left_out:
                    yield heading, command


def check(root, scripts):
    walked = set()
    for path in scripts:
        with open(path, encoding="utf-8") as file:
            walked.update(re.findall(r"^page (\S+) '([^']*)'$", file.read(), re.MULTILINE))
    problems = []
    for document in documents:
        for heading, command in commands(root, document):
            if (document, heading) not in walked:
                problems.append(f"{document}: no test walks `{heading}`: {command}")
    for document, reason, command in not_here():
        with open(os.path.join(root, document), encoding="utf-8") as file:
            found = [one for _, language, lines in blocks(file.read()) for one in shown(lines, language)]
        if command not in found:
            problems.append(f"not_here.txt: {document} does not show: {command}")
        if not reason:
            problems.append(f"not_here.txt: no reason: {command}")
    return problems


def main(arguments):
    if arguments[0] == "--check":
        problems = check(arguments[1], arguments[2:])
        print("\n".join(problems))
        return bool(problems)
    root = os.path.dirname(os.path.dirname(here))
    if arguments[0] == "--file":
        with open(os.path.join(root, arguments[1]), encoding="utf-8") as file:
            found = [lines for _, language, lines in blocks(file.read()) if language == arguments[2]]
        print("\n".join(found[int(arguments[3])]))
        return 0
    if arguments[0] == "--all":
        print("\n".join(command for _, command in commands(root, arguments[1])))
        return 0
    for heading, command in commands(root, arguments[0]):
        if len(arguments) == 1:
            print(heading, command, sep="\t")
        elif heading == arguments[1]:
            print(command)
    return 0


sys.exit(main(sys.argv[1:]))

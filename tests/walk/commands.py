"""commands.py DOCUMENT [HEADING]: the commands that a document shows, one a line.

A command is a line of a fenced `sh` block; a line of a fenced `console` block that begins with `$ `, whose other lines are
what the command prints; or a line of a fenced block without a language that begins with `harness ` or `$ harness `. Without
HEADING each line is `heading<TAB>command`. Commands that not_here.txt names are left out.
commands.py --all DOCUMENT: likewise, without headings: tests/examples walks all of an example.
commands.py --file DOCUMENT LANGUAGE NUMBER: the text of the document's block of that language, counted from 0.
commands.py --shown DOCUMENT HEADING NUMBER FILE exact|like: that FILE has the lines that the document shows below the
command of that number, in this order. `...` stands for any lines. `like`: numbers, units and hashes may be others.
commands.py --check ROOT SCRIPT...: that each command is walked by a script, and each line of not_here.txt is in use.
"""
import glob
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
documents = ["README.md", "ci/README.md", *sorted(os.path.relpath(one, top) for one in glob.glob(os.path.join(top, "manual/*.md")))]


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
    """The commands of a block with what it shows below each; continued lines are joined, comments cut off."""
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    found = []
    for line in joined:
        if language == "console" and not line.startswith("$ "):
            if found:
                found[-1][1].append(line)
            continue
        if language == "" and not re.match(r"(\$ )?harness ", line):
            continue
        command = re.sub(r"\s+# .*$|^# .*$", "", line.removeprefix("$ ")).strip()
        if command:
            found.append((command, []))
    return found


def not_here():
    """(document, reason, command) of each command that the walk leaves out."""
    with open(os.path.join(here, "not_here.txt"), encoding="utf-8") as file:
        rows = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    return [tuple(part.strip() for part in row.split(" | ", 2)) for row in rows]


def commands(root, document):
    """(heading, command, output) of each command that can be walked here."""
    with open(os.path.join(root, document), encoding="utf-8") as file:
        text = file.read()
    left_out = [command for where, _, command in not_here() if where == document]
    for heading, language, lines in blocks(text):
        if language in ("", "sh", "console"):
            for command, output in shown(lines, language):
                if command not in left_out:
                    yield heading, command, output


def plain(line, exact):
    """A line as it is compared: without indentation, and unless it is exact without numbers, units and hashes."""
    words = " ".join(line.split())
    if exact:
        return words
    words = re.sub(r"\b(?=[0-9a-f-]*[0-9])[0-9a-f]{8,}(-[0-9a-f]+)*\b", "#", words)
    words = re.sub(r"(?<![\w.])[+-]?\d[\d,]*(\.\d+)?(e-?\d+)?", "0", words)
    return re.sub(r"\b0 (ns|us|ms|s)\b", "0 s", words)


def missing(output, printed, exact):
    """The first line of `output` that `printed` lacks where it belongs; None if it has all."""
    left, gap = [plain(line, exact) for line in printed], False
    for line in output:
        if line.strip() == "...":
            gap = True
            continue
        wanted = plain(line, exact)
        place = left.index(wanted) if wanted in left else None
        if place is None or (place > 0 and not gap):
            return line
        left, gap = left[place + 1:], False
    return None


def check(root, scripts):
    walked = set()
    for path in scripts:
        with open(path, encoding="utf-8") as file:
            walked.update(re.findall(r"^page (\S+) '([^']*)'$", file.read(), re.MULTILINE))
    problems = []
    for document in documents:
        for heading, command, _ in commands(root, document):
            if (document, heading) not in walked:
                problems.append(f"{document}: no test walks `{heading}`: {command}")
    for document, reason, command in not_here():
        with open(os.path.join(root, document), encoding="utf-8") as file:
            found = [one for _, language, lines in blocks(file.read()) for one, _ in shown(lines, language)]
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
    if arguments[0] == "--file":
        with open(os.path.join(top, arguments[1]), encoding="utf-8") as file:
            found = [lines for _, language, lines in blocks(file.read()) if language == arguments[2]]
        print("\n".join(found[int(arguments[3])]))
        return 0
    if arguments[0] == "--all":
        print("\n".join(command for _, command, _ in commands(top, arguments[1])))
        return 0
    if arguments[0] == "--shown":
        document, heading, number, path, how = arguments[1:]
        output = [output for where, _, output in commands(top, document) if where == heading][int(number)]
        with open(path, encoding="utf-8") as file:
            line = missing(output, file.read().splitlines(), how == "exact")
        if line is not None:
            print(f"{document}, {heading}: it does not print, or not there: {line}", file=sys.stderr)
        return line is not None
    for heading, command, _ in commands(top, arguments[0]):
        if len(arguments) == 1:
            print(heading, command, sep="\t")
        elif heading == arguments[1]:
            print(command)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

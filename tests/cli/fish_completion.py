"""fish_completion.py SCRIPT WORD...: what fish would offer for the last word, read from a script of `complete` lines.

For machines without fish. Every line must be one that this reads, so a line that fish could not read fails here, too.
"""
import re
import sys

TOKEN = re.compile(r"\s*(?:'((?:[^'\\]|\\['\\])*)'|([^\s'\\$();&|<>*?~#\"]+))")
FLAGS = {"-c": True, "-n": True, "-a": True, "-d": True, "-l": True, "-s": True, "-f": False, "-r": False}


def tokens(line):
    found, at = [], 0
    while at < len(line.rstrip()):
        match = TOKEN.match(line, at)
        assert match, f"not a word of fish at {at}: {line}"
        quoted, bare = match.groups()
        found.append(bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        at = match.end()
    return found


def entry(line):
    words = tokens(line)
    assert words[0] == "complete", line
    options, rest = {}, iter(words[1:])
    for flag in rest:
        assert flag in FLAGS, f"{flag} is no flag of complete: {line}"
        options[flag] = next(rest) if FLAGS[flag] else ""
    assert options["-c"] == "harness", line
    return options


def holds(condition, before):
    """Whether a condition such as `A; and not B` is true of the words before the last."""
    for part in condition.split("; and "):
        words = part.split()
        wanted = words[0] != "not"
        name, *given = words if wanted else words[1:]
        assert name in ("__fish_use_subcommand", "__fish_seen_subcommand_from"), condition
        plain = [word for word in before if not word.startswith("-")]
        true = not plain if name == "__fish_use_subcommand" else any(word in plain for word in given)
        if true != wanted:
            return False
    return True


def main(script, words):
    with open(script, encoding="utf-8") as file:
        entries = [entry(line) for line in file if line.strip() and not line.startswith("#")]
    *before, last = words
    previous = before[-1] if before else ""
    offered = []
    for one in entries:
        if not holds(one["-n"], before):
            continue
        option = "--" + one["-l"] if "-l" in one else "-" + one["-s"] if "-s" in one else ""
        if option and option == previous:
            offered += one.get("-a", "").split()
        elif option:
            offered += [option]
        else:
            offered += one["-a"].split()
    print("\n".join(sorted({word for word in offered if word.startswith(last)})))


main(sys.argv[1], sys.argv[2:])

"""words.py ROOT: what all Markdown of the tree has to keep to, goldens left out.

- A word has a letter or a digit. The manual, with the settings that it links, and all Markdown but measured/ have a limit each.
- The manual is six pages and a glossary. Each page begins with commands and their output.
- A section of measured/ that has a table has a command, or the page has one before its first section.
- A link's file is there, and its heading.
"""
import os
import re
import sys

MANUAL, ALL = 12000, 20000
PAGES = {"gate-a-program.md", "gate-kernels.md", "write-a-suite.md", "read-a-verdict.md", "many-devices.md", "reference.md"}
COMMAND = re.compile(r"`[^`\n]*\b(harness|ci|tests|python3|ctest|test_\w+)[ /][^`\n]*`")


def documents(root):
    """{path: text} of all Markdown that people read."""
    found = {}
    for folder, folders, files in os.walk(root):
        here = os.path.relpath(folder, root)
        folders[:] = [one for one in folders if not one.startswith((".", "build")) and one != "node_modules"
                      and os.path.join(here, one) != "tests/golden"]
        for name in files:
            if name.endswith(".md"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found[os.path.normpath(os.path.join(here, name))] = file.read()
    return found


def words(text):
    return sum(1 for word in text.split() if re.search(r"[A-Za-z0-9]", word))


def sections(text):
    """Each section of the second level as (heading, lines, whether a line is in a fenced block)."""
    heading, lines, fenced, inside = "", [], [], False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        if not inside and line.startswith("## "):
            yield heading, lines, fenced
            heading, lines, fenced = line[3:], [], []
        lines.append(line)
        fenced.append(inside or fence)
        inside ^= fence
    yield heading, lines, fenced


def anchors(text):
    """The names of a text's headings, as GitHub makes them."""
    found, inside = set(), False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside and re.match(r"#+ ", line):
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip().replace("`", "").replace("*", ""))
            found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


def too_many(texts):
    manual = sum(words(text) for path, text in texts.items() if path.startswith("manual/") or path == "suites/settings.md")
    everything = sum(words(text) for path, text in texts.items() if not path.startswith("measured/"))
    for what, count, limit in (("the manual", manual, MANUAL), ("all Markdown but measured/", everything, ALL)):
        if count > limit:
            yield f"{what} has {count} words, {limit} at most: shorten it, or link what stands elsewhere"


def bad_pages(texts):
    pages = {path[len("manual/"):] for path in texts if path.startswith("manual/")}
    if pages != PAGES | {"glossary.md"}:
        yield f"the manual has other pages: {', '.join(sorted(pages ^ (PAGES | {'glossary.md'})))}"
    for page in sorted(PAGES & pages):
        starts = [lines for heading, lines, _ in sections(texts["manual/" + page]) if heading == "Start"]
        block = re.search(r"^```console\n(.*?)^```", "\n".join(starts[0]) if starts else "", re.MULTILINE | re.DOTALL)
        lines = block.group(1).splitlines() if block else []
        if not any(line.startswith("$ ") for line in lines) or all(line.startswith("$ ") for line in lines):
            yield f"manual/{page}: its section Start shows no command with its output"


def tables_without_a_command(texts):
    for path, text in texts.items():
        if path.startswith("measured/"):
            whole = False  # the part before the first section has the command of all
            for heading, lines, fenced in sections(text):
                has = any(fenced) or bool(COMMAND.search("\n".join(lines)))
                whole = whole or (not heading and has)
                if any(line.startswith("|") for line in lines) and not has and not whole:
                    yield f"{path}: `{heading}` has a table and no command that makes it"


def broken_links(root, texts):
    for path, text in texts.items():
        for name, anchor in re.findall(r"\]\(([^)#: ]*)(?:#([^) ]+))?\)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)):
            there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(os.path.join(root, there)):
                yield f"{path}: {name} is not there"
            elif anchor and there in texts and anchor not in anchors(texts[there]):
                yield f"{path}: {name} has no heading #{anchor}"


def main(root):
    texts = documents(root)
    problems = [*too_many(texts), *bad_pages(texts), *tables_without_a_command(texts), *broken_links(root, texts)]
    print("\n".join(problems))
    return bool(problems)


sys.exit(main(sys.argv[1]))

"""shown.py DOCUMENT NUMBER JSON SCHEMAS: what the document's JSON block of that number shows is in the file, and in its schema.

Each member must be there with a value of the same kind; of a list, each element must be like one of the file's. Texts and
numbers are examples, but for those that programs decide by: formats, versions, verdicts, codes and exit codes. SCHEMAS is
the folder of the schemas: each member that is shown must be described there, or stand below something that is not.
"""
import json
import os
import subprocess
import sys

decided_by = {"format", "version", "verdict", "exit_code", "code", "decides"}


def kind(value):
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def problem(shown, found, path, key=""):
    """Why `found` is not like `shown`; None if it is."""
    if kind(shown) != kind(found):
        return f"{path}: shows {kind(shown)}, and it is {kind(found)}"
    if isinstance(shown, dict):
        for name, value in shown.items():
            if name not in found:
                return f"{path}.{name}: is not there"
            wrong = problem(value, found[name], f"{path}.{name}", name)
            if wrong:
                return wrong
    elif isinstance(shown, list):
        for number, value in enumerate(shown):
            wrongs = [problem(value, one, f"{path}[{number}]", key) for one in found]
            if not wrongs or all(wrongs):
                return wrongs[0] if wrongs else f"{path}: has no element"
    elif key in decided_by and shown != found:
        return f"{path}: shows {shown!r}, and it is {found!r}"
    return None


def undescribed(shown, schema, path):
    """A member that the schema does not describe; None if there is none."""
    for one in schema.get("anyOf", []):
        if one != {"type": "null"}:
            return undescribed(shown, one, path)
    if isinstance(shown, list) and "items" in schema:
        return next(filter(None, (undescribed(one, schema["items"], f"{path}[]") for one in shown)), None)
    if isinstance(shown, dict) and "properties" in schema:
        for name, value in shown.items():
            if name not in schema["properties"]:
                return f"{path}.{name}: is not in the schema"
            wrong = undescribed(value, schema["properties"][name], f"{path}.{name}")
            if wrong:
                return wrong
    return None


def main(document, number, file, schemas):
    here = os.path.dirname(os.path.abspath(__file__))
    block = subprocess.run([sys.executable, os.path.join(here, "commands.py"), "--file", document, "json", number],
                           check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    shown = json.loads(block)
    with open(file, encoding="utf-8") as text:
        found = json.load(text)
    with open(os.path.join(schemas, f"{shown['format']}.schema.json"), encoding="utf-8") as text:
        schema = json.load(text)
    wrong = problem(shown, found, "") or undescribed(shown, schema, "")
    if wrong:
        print(f"{document}, JSON block {number}: {wrong}", file=sys.stderr)
    return bool(wrong)


sys.exit(main(*sys.argv[1:]))

"""What planted.py, cub.py and commits.py share: objects that are compiled once, records of cases that nobody
measured, and questions to `harness affected`."""
import argparse
import contextlib
import hashlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed in {folder}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Objects:
    """Compiles a source once for each text that decides what it becomes."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir(exist_ok=True)

    def compiled(self, command, source, *texts):
        key = hashlib.sha1(repr((command, source.name, source.read_text(), texts)).encode()).hexdigest()
        kept = self.folder / f"{key}.o"
        if not kept.exists():
            made = kept.with_suffix(f".{threading.get_ident()}")
            run([*command, "-c", source.name, "-o", made], source.parent)
            made.rename(kept)
        return kept


def record(suite, cases):
    """A record with these cases, as text."""
    cases = [{"outcome": "measured", "results": [], "metrics": [], **one} for one in cases]
    return json.dumps({"format": "harness-record", "version": 1, "id": "00000000-0000-4000-8000-000000000001",
                       "tool": "harness", "suite": {"name": suite}, "revision": {}, "machines": {}, "started": "2026-01-01T00:00:00Z",
                       "finished": "2026-01-01T00:00:01Z", "estimator": "trimmed_log_mean", "partial": False, "cases": cases})


def ask(harness, before, after, records):
    """The whole answer, as JSON."""
    named = [word for one in records for word in ("--record", one)]
    return json.loads(run([harness, "affected", "--baseline", before, "--current", after, *named, "--format", "json"],
                          records[0].parent))


def replaced(file, old, new):
    text = file.read_text()
    if old not in text:
        raise SystemExit(f"{file.name} has no `{old}`")
    file.write_text(text.replace(old, new, 1))


def options_of(text):
    options = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("harness", type=lambda word: pathlib.Path(word).resolve())
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--keep", type=lambda word: pathlib.Path(word).resolve(), metavar="FOLDER")
    return options


def options_of_plants(text):
    options = options_of(text)
    options.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    options.add_argument("--only", default="", metavar="TEXT")
    return options


@contextlib.contextmanager
def scratch_folder(keep, name):
    folder = keep or pathlib.Path(tempfile.mkdtemp(prefix=f"{name}."))
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
    if not keep:
        shutil.rmtree(folder)

#!/usr/bin/env python3
"""fill_store.py HARNESS STORE REPOSITORY [--commits N] [--every N] [--cases N] [--processes N] [--samples N]

Fills a new store (a file, or postgresql://... through psql) with results of every case at each commit of a new git
repository, or at each N-th (--every) and at the newest two. The program imports the record of the first commit. SQL
copies it for the others, run by run as runs are written, with values of their own.
Planted for `harness history`: cases whose number ends in 07 get slower by 5 % at three fifths of the commits, and case
13 at a third. The raw samples are those of the first commit.
"""
import argparse
import json
import os
import subprocess
import sqlite3
import tempfile
import time


def repository(folder, commits):
    """A linear history on main, an hour a commit. Returns (hash, date) of each, the oldest first."""
    os.makedirs(folder)
    git = ["git", "-C", folder]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    stream = []
    for number in range(1, commits + 1):
        subject = f"Change {number}: a line of the message"
        stream.append(f"commit refs/heads/main\nmark :{number}\n"
                      f"committer Ann <ann@example.org> {1700000000 + 3600 * number} +0000\n"
                      f"data {len(subject)}\n{subject}\n" + (f"from :{number - 1}\n" if number > 1 else "") +
                      f"M 644 inline step\ndata {len(str(number))}\n{number}\n")
    subprocess.run([*git, "fast-import", "--quiet"], input="".join(stream).encode(), check=True)
    log = subprocess.run([*git, "log", "--reverse", "--format=%H %ct"], check=True, capture_output=True, text=True)
    return [line.split() for line in log.stdout.splitlines()]


def sample_lines(cases, processes, samples):
    yield {"suite": "large", "machine": {"class": "nvidia-h200", "uuid": "GPU-1", "fields": {"driver": "580"}}}
    for number in range(cases):
        for process in range(1, processes + 1):
            center = 20 + number % 50
            yield {"case": f"linear_gelu/cublas/dtype=f16/m={number:05}", "metric": "gpu_time", "unit": "us",
                   "process": process,
                   "samples": [round(center * (1 + 0.004 * ((i * 7 + process * 3 + number) % 11 - 5) / 5), 4)
                               for i in range(samples)]}


copies = """
INSERT INTO runs (id, sequence, suite, suite_hash, revision, branch, dirty, changes, partial, machine_class, device_uuid,
    started, finished, state, verdict, header, calibration)
  SELECT w.id, w.number, r.suite, r.suite_hash, w.revision, 'main', r.dirty, r.changes, r.partial, r.machine_class,
    r.device_uuid, w.at, w.at, r.state, 'unchanged',
    REPLACE(REPLACE(r.header, r.id, w.id), r.revision, w.revision), r.calibration
  FROM wanted w CROSS JOIN runs r WHERE r.id = :first;
INSERT INTO cases (run, position, id, device, planned, needed, measured, failures, waived, sequence, digest, verdict)
  SELECT w.id, c.position, c.id, c.device, c.planned, c.needed, c.measured, c.failures, c.waived, w.number, c.digest,
    'unchanged'
  FROM wanted w CROSS JOIN cases c WHERE c.run = :first ORDER BY w.number, c.position;
INSERT INTO results (run, position, process, outcome, result, checksum)
  SELECT w.id, s.position, s.process, s.outcome, s.result, s.checksum FROM wanted w CROSS JOIN results s WHERE s.run = :first
  ORDER BY w.number, s.position, s.process;
INSERT INTO process_values (run, position, process, metric, unit, direction, estimator, log_value)
  SELECT w.id, v.position, v.process, v.metric, v.unit, v.direction, v.estimator, v.log_value
    + 0.004 * (((v.position + 1) * 7919 + w.number * 104729 + v.process * 50021 + w.number * v.position) % 1009 - 504) / 504.0
    + CASE WHEN v.position % 100 = 7 AND w.number >= :cluster THEN 0.05 ELSE 0 END
    + CASE WHEN v.position = 13 AND w.number >= :single THEN 0.05 ELSE 0 END
  FROM wanted w CROSS JOIN process_values v WHERE v.run = :first ORDER BY w.number, v.position, v.process, v.metric
"""


def copy_record(url, commits, every):
    """Copies the record of the first commit for the others that are measured. Returns how many commits have results."""
    rows = [(f"{number:08x}-0000-4000-8000-000000000000", number, hash_,
             time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(at))))
            for number, (hash_, at) in enumerate(commits, 1)
            if number > 1 and ((len(commits) - number) % every == 0 or number == len(commits) - 1)]
    wanted = "CREATE TEMPORARY TABLE wanted (id TEXT, number INTEGER, revision TEXT, at TEXT)"
    places = {"cluster": len(commits) * 3 // 5, "single": len(commits) // 3}
    if url.startswith("postgresql:"):
        script = "SET search_path = harness, pg_temp;\nBEGIN;\n" + wanted + ";\nCOPY wanted FROM STDIN;\n"
        script += "".join("\t".join(map(str, row)) + "\n" for row in rows) + "\\.\n"
        script += "SELECT id AS first FROM runs \\gset\n"
        text = copies.replace(":first", ":'first'")
        for name, value in places.items():
            text = text.replace(":" + name, str(value))
        script += text + ";\nCOMMIT;\nVACUUM ANALYZE;\n"
        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", url], input=script, text=True, check=True)
        return len(rows) + 1
    with sqlite3.connect(url.removeprefix("sqlite:")) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute(wanted)
        database.executemany("INSERT INTO wanted VALUES (?, ?, ?, ?)", rows)
        places["first"] = database.execute("SELECT id FROM runs").fetchone()[0]
        for statement in copies.split(";\n"):
            database.execute(statement, places)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(rows) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("harness", "store", "repository"):
        parser.add_argument(name)
    for name, usual in (("commits", 1000), ("every", 1), ("cases", 1000), ("processes", 1), ("samples", 30)):
        parser.add_argument("--" + name, type=int, default=usual)
    wanted = parser.parse_args()
    commits = repository(wanted.repository, wanted.commits)
    git = ["git", "-C", wanted.repository]
    subprocess.run([*git, "checkout", "-q", commits[0][0]], check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for line in sample_lines(wanted.cases, wanted.processes, wanted.samples):
            file.write(json.dumps(line) + "\n")
        file.flush()
        began = time.monotonic()
        subprocess.run([os.path.abspath(wanted.harness), "import", file.name, "--suite", "large", "--store", wanted.store],
                       cwd=wanted.repository, check=True, stdout=subprocess.DEVNULL)
        took = time.monotonic() - began
    results = wanted.cases * wanted.processes
    print(f"imported {results} results in {took:.2f} s: {results / took:.0f}/s")
    began = time.monotonic()
    measured = copy_record(wanted.store, commits, wanted.every)
    print(f"{results * measured} results of {measured} of {len(commits)} commits; copied in {time.monotonic() - began:.0f} s")
    subprocess.run([*git, "checkout", "-q", "main"], check=True)


if __name__ == "__main__":
    main()

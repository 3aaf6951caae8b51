#!/usr/bin/env python3
"""Many cases on many scripted GPUs, with killed elements and a restarted database.

  HARNESS=build/release/bin/harness KERNELS=build/release/lib/libharness_kernels.so \
    tests/farm/scale.py --cases 10000 --elements 64 --seeds 1,2,3,4,5

First an undisturbed campaign, then one a seed: a tenth of the elements is killed at random and started again, and
PostgreSQL is stopped at once and started again, twice. Each result must be stored exactly once, and the verdicts must be
those of the undisturbed campaign.

The share of GPU time spent measuring is computed in the GPUs' scripted time, because this machine has no GPU to keep busy:

  measuring  the seconds that the tasks used their devices, by the scripted clocks, as the store keeps them
  available  GPUs x the end of a replay. There each GPU takes the next task when it is free, as elements do. It spends the
             task's seconds and the host's time for a task, and its checks before the first and after the last task. A kill
             loses a random part of a task, and costs a start and a check. Then the task is free again, by the device's lock.
             While the database restarts, nobody takes a task.

The host's time for a task is what one element alone needs here for a task, in which scripted time takes none: the time of
processors, those of its workers and of the database included, because other programs change it less than the wall time.
"""
import argparse
import heapq
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HARNESS = os.environ["HARNESS"]
KERNELS = os.environ["KERNELS"]
RESTART_SECONDS = 5  # that elements wait for a restarted database, at most
PROCESSES = 3


class Server:
    """PostgreSQL in a folder, as an unprivileged user where this one is root."""

    def __init__(self, folder):
        self.programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.folder = folder / "server"
        self.folder.mkdir()
        self.prefix = []
        if os.geteuid() == 0:
            self.prefix = ["runuser", "-u", "nobody", "--"]
            shutil.chown(self.folder, "nobody")
            folder.chmod(0o711)
        self.call("initdb", "--no-sync", "--auth=trust", "--username=harness", "--encoding=UTF8", "--locale=C",
                  f"--pgdata={self.folder}/data")
        self.start()
        self.url = f"postgresql://harness@/postgres?host={self.folder}"

    def call(self, program, *arguments):
        subprocess.run([*self.prefix, str(self.programs / program), *arguments], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})

    def processors(self):
        """Seconds of processors of the server and of its connections that have ended."""
        pid = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
        times = pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[11:15]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def start(self):
        self.call("pg_ctl", "--wait", f"--pgdata={self.folder}/data", f"--log={self.folder}/log",
                  f"--options=-c listen_addresses= -c fsync=off -c max_connections=400 -k {self.folder}", "start")

    def stop(self):
        self.call("pg_ctl", f"--pgdata={self.folder}/data", "--mode=immediate", "stop")

    def ask(self, query):
        for _ in range(600):
            done = subprocess.run(["psql", "-qAtX", "-h", str(self.folder), "-U", "harness", "postgres", "-c", query],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return [line.split("|") for line in done.stdout.splitlines()]
            time.sleep(0.1)
        raise SystemExit(f"the database does not answer: {done.stderr}")


def write_inputs(folder, cases, elements):
    slower = max(1, cases // 100)
    (folder / "suite.yaml").write_text(
        "version: 2\nname: scale\ndefaults: {sampling: {processes: %d, placements: 2, samples: 10, cache: hot, "
        "preheat: 0ms, timeout: 60s}}\ncases:\n  - {workload: probe_copy, variants: [memcpy], axes: {n: [%s]}}\n"
        % (PROCESSES, ", ".join(str(64 + i) for i in range(cases))))
    # A GPU is used for about a second by a case and process of both builds.
    usual = {"process_sd": 0.003, "sample_sd": 0.01, "overhead_us": 25000}
    slow = [{"match": f"*/n={64 + i * 97 % cases}", "side": "current", "us": 103, **usual} for i in range(slower)]
    for element in range(elements):
        script = {"version": 1, "machine_class": "scripted", "device_uuid": f"GPU-{element}",
                  "cases": [*slow, {"match": "*", "us": 100, **usual}]}
        (folder / f"gpu{element}.json").write_text(json.dumps(script))
    for side in ("old", "new"):
        (folder / side / "lib").mkdir(parents=True)
        (folder / side / "bin").mkdir()
        shutil.copy(KERNELS, folder / side / "lib" / "libharness_kernels.so")
        (folder / side / "bin" / "harness").symlink_to(HARNESS)


class Campaign:
    planned = []

    def __init__(self, server, folder, block, lease, filter_=None):
        Campaign.planned.append(self)
        self.server, self.folder, self.lease, self.processes = server, folder, lease, {}
        # A script repeats its noise in each campaign: a device's sessions would look more alike than its results are.
        if len(Campaign.planned) > 1:
            server.ask("delete from harness.probes")
        more = ["--filter", filter_] if filter_ else []
        out = self.farm("plan", "suite.yaml", "--baseline-build", "old", "--current-build", "new", "--device",
                        "scripted:gpu0.json", "--pair", "process", "--block", str(block), "--lease", f"{lease}s", *more).stdout
        self.id = out.split()[1].rstrip(":")

    def farm(self, *arguments, check=True):
        return subprocess.run([HARNESS, "farm", *arguments, "--store", self.server.url], cwd=self.folder, text=True,
                              capture_output=True, check=check)

    def start(self, element):
        log = open(self.folder / f"element{element}.log", "a", encoding="utf-8")
        self.processes[element] = subprocess.Popen(
            [HARNESS, "farm", "work", self.id, "--store", self.server.url, "--device", f"scripted:gpu{element}.json", "--journal",
             f"journal{element}", "--quiet", "--wait", "10m"], cwd=self.folder, stdout=log, stderr=log, start_new_session=True)

    def kill(self, element):
        """Whether it still ran."""
        process = self.processes[element]
        if process.poll() is not None:
            return False
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True

    def measure_alone(self):
        """Wall time and the time of processors of one element that does all."""
        begin, before = time.monotonic(), self.server.processors()
        self.start(0)
        element = self.processes[0]
        _, status, used = os.wait4(element.pid, 0)
        element.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        self.wait([])
        return wall, used.ru_utime + used.ru_stime + self.server.processors() - before

    def done(self):
        row, = self.server.ask("select count(*) filter (where done = 1), count(*) from harness.tasks where kind = 'measure' and "
                               f"campaign = '{self.id}'")
        return int(row[0]), int(row[1])

    def wait(self, events):
        """`events`: shares of the tasks, each with what happens when they are done. All happen, at the latest when no
        element is left."""
        events = sorted(events, key=lambda one: one[0])
        while True:
            running = any(one.poll() is None for one in self.processes.values())
            if not running and not events:
                break
            done, tasks = self.done()
            while events and (not running or done >= events[0][0] * tasks):
                events.pop(0)[1]()
            time.sleep(0.1)
        failed = {e: p.returncode for e, p in self.processes.items() if p.returncode != 0}
        if failed:
            raise SystemExit(f"elements failed: {failed}; {self.folder}/element*.log")

    def end(self):
        for element in self.processes:
            self.kill(element)

    def verdicts(self):
        status = self.farm("judge", self.id, "--report", "json=report.json", check=False).returncode
        report = json.loads((self.folder / "report.json").read_text())
        keep = ("case", "metric", "verdict", "ratio", "interval", "p", "p_adjusted")
        return status, [[one.get(name) for name in keep] for one in report["cases"]], report

    def check_results(self):
        """Each planned result is there, once, in each record."""
        planned = sum(int(row[0]) for row in self.server.ask(
            f"select results from harness.tasks where campaign = '{self.id}' and kind = 'measure'"))
        lines = self.server.ask(f"select content::json->'suites' from harness.campaigns where id = '{self.id}'")
        suites = json.loads("\n".join("|".join(line) for line in lines))
        records = [side["record"] for suite in suites for side in suite["sides"]]
        names = ", ".join(f"'{one}'" for one in records)
        stored, distinct = self.server.ask("select count(*), count(distinct (run, position, process)) from harness.results "
                                           f"where run in ({names})")[0]
        if not planned == int(stored) == int(distinct):
            raise SystemExit(f"{planned} results are planned, {stored} are stored, {distinct} of them once")
        return planned

    def seconds(self):
        return [float(row[0]) for row in self.server.ask(
            f"select seconds from harness.tasks where campaign = '{self.id}' and kind = 'measure' order by number")]


def share_measuring(seconds, gpus, host, check, kills, restarts, chance):
    """See above. Returns the share, and the end of the campaign in scripted seconds."""
    free = [(check, gpu) for gpu in range(gpus)]
    heapq.heapify(free)
    queue = [(0.0, number, length) for number, length in enumerate(seconds)]  # free from, number, length
    heapq.heapify(queue)
    expected = sum(seconds) / gpus
    stops = sorted(chance.uniform(0, expected) for _ in range(restarts))
    killed = set(chance.sample(range(len(seconds)), kills))
    ends = [0.0] * gpus
    while queue:
        now, gpu = heapq.heappop(free)
        since, number, length = heapq.heappop(queue)
        now = max(now, since)
        if any(stop <= now < stop + RESTART_SECONDS for stop in stops):
            now += RESTART_SECONDS
        if number in killed:
            killed.remove(number)
            end = now + chance.uniform(0, length)
            heapq.heappush(queue, (end + host + check, number, length))
            heapq.heappush(free, (end + host + check, gpu))
            continue
        ends[gpu] = now + length + host
        heapq.heappush(free, (ends[gpu], gpu))
    end = max(ends) + check
    return sum(seconds) / (gpus * end), end


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=10000)
    options.add_argument("--elements", type=int, default=64)
    options.add_argument("--block", type=int, default=8)
    options.add_argument("--lease", type=int, default=120, help="seconds")
    options.add_argument("--seeds", default="1")
    options.add_argument("--restarts", type=int, default=2)
    asked = options.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="harness-scale-"))
    os.environ["HARNESS_CACHE_DIR"] = str(folder / "cache")
    write_inputs(folder, asked.cases, asked.elements)
    server = Server(folder)
    try:
        alone = Campaign(server, folder, asked.block, asked.lease, "*/n=6?" if asked.cases < 1000 else "*/n=6??")
        alone_took, alone_used = alone.measure_alone()
        tasks = alone.done()[1]
        host = alone_used / tasks
        begin = time.monotonic()
        usual = Campaign(server, folder, asked.block, asked.lease)
        for element in range(asked.elements):
            usual.start(element)
        usual.wait([])
        took = time.monotonic() - begin
        status, wanted, report = usual.verdicts()
        results = usual.check_results()
        red = sum(row[2] == "regressed" for row in wanted)
        print(f"undisturbed: {results} results in {took:.0f} s here, exit {status}, {red} of {len(wanted)} rows regressed, "
              f"{host:.2f} s of processors a task, {alone_took / tasks:.2f} s by the wall", flush=True)
        for seed in map(int, asked.seeds.split(",")):
            chance = random.Random(seed)
            campaign = Campaign(server, folder, asked.block, asked.lease)
            for element in range(asked.elements):
                campaign.start(element)
            victims = chance.sample(range(asked.elements), -(-asked.elements // 10))

            killed = []

            def again(element):
                if campaign.kill(element):
                    killed.append(element)
                campaign.start(element)

            def restart():
                server.stop()
                server.start()

            events = [(chance.uniform(0.05, 0.8), lambda element=one: again(element)) for one in victims]
            events += [(chance.uniform(0.1, 0.8), restart) for _ in range(asked.restarts)]
            begin = time.monotonic()
            campaign.wait(events)
            took = time.monotonic() - begin
            results = campaign.check_results()
            status_now, rows, _ = campaign.verdicts()
            seconds = campaign.seconds()
            check = 3 * sum(seconds) / (asked.cases * PROCESSES) + host
            share, end = share_measuring(seconds, asked.elements, host, check, len(killed), asked.restarts, chance)
            same = (status_now, rows) == (status, wanted)
            print(f"seed {seed}: {len(killed)} killed, {asked.restarts} restarts, {results} results each once in {took:.0f} s here, "
                  f"verdicts {'the same' if same else 'DIFFER'}, {100 * share:.1f} % of GPU time measuring in {end / 60:.1f} "
                  "scripted minutes", flush=True)
            if not same:
                raise SystemExit(1)
            if asked.cases >= 1000 and share < 0.9:
                raise SystemExit("too little of the GPU time is spent measuring")
    finally:
        for campaign in Campaign.planned:
            campaign.end()
        server.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes two shared objects with much device code out of a smaller one, and times `harness affected` on them.

    large.py HARNESS LIBRARY [--megabytes 500]

The device code of LIBRARY is repeated until the section is as large; the second object lacks the last
copy. Prints wall time, CPU time and the most memory."""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("harness", type=pathlib.Path)
    options.add_argument("library", type=pathlib.Path)
    options.add_argument("--megabytes", type=int, default=500)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="large.") as scratch:
        folder = pathlib.Path(scratch)
        section = folder / "section"
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.nv_fatbin", given.library, section], check=True)
        one = section.read_bytes()
        one += bytes(-len(one) % 8)
        (folder / "empty.c").write_text("int empty(void) { return 0; }\n")
        copies = -(-given.megabytes * 1_000_000 // len(one))
        for name, count in (("before", copies), ("after", copies - 1)):
            with section.open("wb") as out:
                for _ in range(count):
                    out.write(one)
            plain = folder / "plain.so"
            subprocess.run(["cc", "-shared", "-fPIC", "-o", plain, folder / "empty.c"], check=True)
            subprocess.run(["objcopy", f"--add-section=.nv_fatbin={section}", "--set-section-flags=.nv_fatbin=alloc,readonly",
                            plain, folder / f"{name}.so"], check=True, stderr=subprocess.DEVNULL)
        section.unlink()
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([given.harness.resolve(), "affected", "--baseline", folder / "before.so", "--current", folder / "after.so",
                        "--format", "json"], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        took = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        print(f"{copies} copies, {(folder / 'before.so').stat().st_size / 1e6:.0f} MB: {took:.1f} s, {cpu:.1f} s of CPUs, "
              f"at most {after.ru_maxrss / 1e6:.2f} GB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

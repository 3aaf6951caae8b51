"""make_root.py ROOT PACKAGE...: a root that holds Debian's essential packages, those named and what they depend on.

Files come from this machine's own packages, and the root's dpkg knows them, so that it checks what is installed later.
Called again, it adds packages. Exit status 3: one is not installed here as a package.
"""

import os
import re
import shutil
import sys
from pathlib import Path

DPKG = Path("/var/lib/dpkg")


def installed():
    stanzas, provided = {}, {}
    for text in (DPKG / "status").read_text(encoding="utf-8").split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", text, re.MULTILINE))
        if fields.get("Status", "").endswith(" installed"):
            stanzas.setdefault(fields["Package"], (fields, text))
            for name in re.findall(r"(?:^|, )([\w.+-]+)", fields.get("Provides", "")):
                provided.setdefault(name, fields["Package"])
    return stanzas, provided


def closure(wanted, stanzas, provided):
    found, open_names = [], list(wanted)
    while open_names:
        name = open_names.pop()
        if name not in stanzas:
            sys.stderr.write(f"{name} is not installed here as a package\n")
            sys.exit(3)
        if name in found:
            continue
        found.append(name)
        fields = stanzas[name][0]
        for need in f"{fields.get('Pre-Depends', '')},{fields.get('Depends', '')}".split(","):
            names = [re.match(r"[\w.+-]*", one.strip()).group() for one in need.split("|")]
            here = [provided.get(one, one) if one not in stanzas else one for one in names]
            here = [one for one in here if one in stanzas]
            if any(names) and not here:
                sys.stderr.write(f"{need} of {name} is not installed here as a package\n")
                sys.exit(3)
            open_names += here[:1]
    return found


COPIED = {}  # inode: its copy; git is a hundred links to one file


def copy(root, path):
    if not os.path.lexists(path):
        return
    target = root / os.path.realpath(os.path.dirname(path))[1:] / os.path.basename(path)
    if os.path.isdir(path) and not os.path.islink(path):
        target.mkdir(parents=True, exist_ok=True)
    elif not os.path.lexists(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        inode = os.lstat(path).st_ino
        if inode in COPIED:
            os.link(COPIED[inode], target, follow_symlinks=False)
        elif os.path.islink(path) or os.access(path, os.R_OK):
            COPIED[inode] = shutil.copy2(path, target, follow_symlinks=False)


def main():
    root, wanted = Path(sys.argv[1]), sys.argv[2:]
    stanzas, provided = installed()
    essential = [name for name, (fields, _) in stanzas.items() if fields.get("Essential") == "yes"]
    packages = closure(essential + wanted, stanzas, provided)
    for link in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if os.path.islink(f"/{link}") and not os.path.lexists(root / link):
            os.symlink(os.readlink(f"/{link}"), root / link)
    info = root / "var/lib/dpkg/info"
    info.mkdir(parents=True, exist_ok=True)
    for name in packages:
        for file in [*(DPKG / "info").glob(f"{name}.list"), *(DPKG / "info").glob(f"{name}:*.list")]:
            shutil.copy2(file, info)
            for path in file.read_text(encoding="utf-8").split("\n"):
                if path not in ("", "/.") and not path.startswith(("/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/")):
                    copy(root, path)
    (root / "var/lib/dpkg/status").write_text("\n\n".join(stanzas[name][1].strip("\n") for name in packages) + "\n\n")
    # Names that packages make when they are set up: c++ and cc.
    for name in os.listdir("/etc/alternatives"):
        if os.path.lexists(root / os.path.realpath(f"/etc/alternatives/{name}")[1:]):
            copy(root, f"/etc/alternatives/{name}")
            if os.path.islink(f"/usr/bin/{name}"):
                copy(root, f"/usr/bin/{name}")
    for folder in ("dev", "proc", "root", "tmp", "usr/local", "work"):
        (root / folder).mkdir(exist_ok=True)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")


if __name__ == "__main__":
    main()

"""Keeps the compiled modules of installed packages that have none.

An interpreter of the harness writes no compiled module beside its source (`-B`), so that users find no new folders in
their trees. Where a package was installed without compiled modules, each process would compile it again: PyTorch with
its compiler took 7 s of 14. So these modules are kept in a folder of the harness, which comes as
`-X harness_compiled=FOLDER`. A module that has a compiled one beside it is read from there, and modules of users are
never kept. A kept module has a hash of its source.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import sys
from importlib.machinery import (BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader,
                                 FileFinder, SourceFileLoader, SourcelessFileLoader)
from types import CodeType
from typing import Any, Optional

INSTALLED = ("site-packages", "dist-packages")
_HEAD = importlib.util.MAGIC_NUMBER + (0b11).to_bytes(4, "little")  # PEP 552: a checked hash follows


class _Loader(SourceFileLoader):
    """Compiles a module once for all processes, unless its package has it compiled."""

    folder = ""

    def get_code(self, fullname: str) -> Optional[CodeType]:
        tag = sys.implementation.cache_tag
        if tag is None or os.path.exists(importlib.util.cache_from_source(self.path)):
            return super().get_code(fullname)
        source = self.get_data(self.path)
        head = _HEAD + importlib.util.source_hash(source)
        kept = os.path.join(self.folder, f"{tag}-{sys.flags.optimize}", self.path.lstrip(os.sep) + "c")
        try:
            with open(kept, "rb") as file:
                content = file.read()
            if content.startswith(head):
                return marshal.loads(content[len(head):])  # type: ignore[no-any-return]
        except (OSError, EOFError, ValueError, TypeError):
            pass
        code: CodeType = self.source_to_code(source, self.path)
        _write(kept, head + marshal.dumps(code))
        return code


def _write(path: str, content: bytes) -> None:
    """Writes a file as a whole or not at all."""
    own = f"{path}.{os.getpid()}.{id(content)}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(own, "wb") as file:
            file.write(content)
        os.replace(own, path)
    except OSError:
        pass


def keep(folder: Any) -> None:
    """Keeps compiled modules in `folder` from now on. Does nothing without one, and where it was called before."""
    if not isinstance(folder, str) or not folder or _Loader.folder:
        return
    _Loader.folder = os.path.abspath(folder)
    find = FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (_Loader, SOURCE_SUFFIXES),
                                (SourcelessFileLoader, BYTECODE_SUFFIXES))

    def hook(path: str) -> Any:
        if not any(name in path.split(os.sep) for name in INSTALLED):
            raise ImportError("no folder of installed packages", path=path)
        return find(path)

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()

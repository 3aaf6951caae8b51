"""What went wrong in a user's file, and where."""

from __future__ import annotations

import os
import traceback

from .cases import Unsupported

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def place_of(error: BaseException) -> tuple[str, int]:
    """The file and line of the user's code that an exception came from; ("", 0) when none of it was running."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if not one.filename.startswith((_PACKAGE, "<"))]
    users = [one for one in own if f"{os.sep}site-packages{os.sep}" not in one.filename] or own
    return (users[-1].filename, users[-1].lineno or 0) if users else ("", 0)


def reason_of(error: BaseException) -> str:
    """"cases.py:12: ZeroDivisionError: division by zero", on one line."""
    if isinstance(error, Unsupported):
        return str(error)
    file, line = place_of(error)
    text = str(error.msg) if isinstance(error, SyntaxError) else str(error)
    where = f"{file}:{line}: " if file else ""
    return f"{where}{type(error).__name__}: {' '.join(text.split())}"

"""Reading and writing files: whole or not at all, and an error that says what to do about it."""

import errno
import glob
import os
import platform
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

STALE_SECONDS = 3600.0
"""A figure's temporary file of this age belongs to a writer that was killed."""

REMEDIES = {
    errno.EMFILE: "raise the limit of this shell (`ulimit -n 4096`), or take fewer --workers",
    errno.ENFILE: "end other programs that hold many files open",
    errno.ENOMEM: "end other programs that take memory, or take fewer --workers",
    errno.ENOSPC: "free some space, or name another folder with --out",
    errno.EDQUOT: "free some space, or name another folder with --out",
    errno.EFBIG: "raise the limit of this shell (`ulimit -f unlimited`)",
    errno.EROFS: "name another folder with --out",
    errno.EIO: "check the disk, or name another folder with --out",
}
"""What to do about an error, by its number."""

ASK = "ask its owner for the right to read it, or name another folder with --out"


class Unreadable(OSError):
    """A file that is there but cannot be read now, so that nothing is known of its content.

    The message names the file, the reason and what to do; the file is left as it is.
    """


def read_bytes(path: Path) -> bytes:
    """The content of a regular file.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is a folder, pipe, socket or device, which is not opened.
        Unreadable: if the system does not let us read it.
    """
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):  # opening a pipe would wait for ever
            raise ValueError(f"it is a {_kind(mode)}, not a file")
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except (OSError, MemoryError) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError | MemoryError) -> Unreadable:
    """The error that says why a file cannot be read, and what to do."""
    number = errno.ENOMEM if isinstance(error, MemoryError) else error.errno or errno.EIO
    refused = number in (errno.EACCES, errno.EPERM)
    remedy = ASK if refused else REMEDIES.get(number, "name another folder with --out")
    return Unreadable(f"{path} cannot be read ({os.strerror(number)}); it is left there: {remedy}")


def why(error: BaseException) -> str:
    """What an error says, and what to do where the system said no more than a number."""
    text = str(error)
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, MemoryError):
        text, number = text or os.strerror(errno.ENOMEM), errno.ENOMEM
    return f"{text}; {REMEDIES[number]}" if number in REMEDIES else text


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "directory"
    return {stat.S_IFIFO: "named pipe", stat.S_IFSOCK: "socket"}.get(stat.S_IFMT(mode), "device")


def there(path: Path) -> bool:
    """Whether something lies at a path, a link to nothing not counted.

    Raises:
        Unreadable: if the folder does not let us see.
    """
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise unreadable(path, error) from error
    return True


def set_aside(path: Path) -> Path:
    """Rename a file that cannot be used, never overwriting an earlier one.

    Raises:
        OSError: naming the file and what to do, if it cannot be renamed.
    """
    number = 0
    while os.path.lexists(target := path.with_name(f"{path.name}.set-aside{number}")):
        number += 1
    try:
        os.replace(path, target)
    except FileNotFoundError:
        pass  # another command has set it aside meanwhile
    except OSError as error:
        raise OSError(
            f"{path} is damaged and cannot be renamed ({error.strerror}); have it removed, or name "
            "another folder with --out"
        ) from error
    return target


def write_bytes(path: Path, content: bytes) -> None:
    """Write one file through a temporary one beside it; a link there is replaced, not followed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _beside(path)
    try:
        _write(temporary, content, path)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write several files, all or none: after a failure every path holds what it held before.

    A link at a path is replaced, not followed.

    Raises:
        OSError: if one cannot be written.
    """
    new = {path: _beside(path) for path in contents}
    old = {path: _beside(path, "old") for path in contents}
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir() and not path.is_symlink():
                raise IsADirectoryError(errno.EISDIR, "a directory is in the file's place", path)
            _write(new[path], content, path)
        try:
            for path in contents:
                with suppress(FileNotFoundError):
                    os.replace(path, old[path])
            for path in contents:
                os.replace(new[path], path)
        except BaseException:
            for path in contents:
                if os.path.lexists(old[path]):
                    os.replace(old[path], path)
                elif not os.path.lexists(new[path]):
                    path.unlink(missing_ok=True)
            raise
    finally:
        for temporary in (*new.values(), *old.values()):
            temporary.unlink(missing_ok=True)
    for path in contents:
        sweep(path, older=STALE_SECONDS)


def _beside(path: Path, what: str = "") -> Path:
    """A name for a temporary file that no other process takes; `sweep` knows it."""
    return path.with_name(f".{path.name}.{platform.node()}-{os.getpid()}{what}.tmp")


def _write(temporary: Path, content: bytes, path: Path) -> None:
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def sweep(path: Path, *, older: float | None = None) -> None:
    """Remove the temporary files that killed writers of this path left beside it.

    Args:
        path: of the file that they were to become.
        older: seconds since they were made, where another command may still be writing.
    """
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with suppress(FileNotFoundError):  # another command sweeps too
            if older is None or time.time() - leftover.stat().st_ctime > older:
                leftover.unlink()

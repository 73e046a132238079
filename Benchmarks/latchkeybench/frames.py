"""The write-ahead log of a SQLite database as it grows: how many pages of which table and index were written."""

import collections
import contextlib
import sqlite3
import struct

LOG_HEADER = 32
FRAME_HEADER = 24


class Log:
    """Counts the frames that are written from the moment it is made."""

    def __init__(self, path: str):
        self.path = path
        with contextlib.closing(sqlite3.connect(path, timeout=10)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # As long as a snapshot of the empty log is open, the log does not start over.
        self.reader = sqlite3.connect(path, isolation_level=None)
        self.reader.execute("BEGIN")
        self.reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    def counts(self) -> tuple[collections.Counter, int]:
        """The frames so far by table or index, and the number of commits."""
        pages, commits = frames(self.path + "-wal")
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            names = dict(database.execute("SELECT pageno, name FROM dbstat"))
        counts: collections.Counter = collections.Counter()
        for page, count in pages.items():
            counts[names.get(page, "(free)")] += count
        return counts, commits

    def close(self) -> None:
        self.reader.close()


def frames(path: str) -> tuple[collections.Counter, int]:
    """How often each page is in a log (https://sqlite.org/fileformat2.html#walformat), and the number of commits."""
    pages: collections.Counter = collections.Counter()
    commits = 0
    with open(path, "rb") as file:
        header = file.read(LOG_HEADER)
        if len(header) < LOG_HEADER:
            return pages, commits
        size, salt = struct.unpack(">I", header[8:12])[0], header[16:24]
        while len(frame := file.read(FRAME_HEADER)) == FRAME_HEADER and frame[8:16] == salt:
            page, size_after_commit = struct.unpack(">II", frame[:8])
            pages[page] += 1
            commits += size_after_commit > 0
            file.seek(size, 1)
    return pages, commits

"""The tables, their history, and the opening of a database file.

A file is opened only if it is ours: made by this package, whole, and not of a later version. Anything else is refused
and stays as it was.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from lean_agent.errors import DatabaseError

APPLICATION_ID = 0x4C454147  # "LEAG" in the file's header tells our files from others
BUSY_TIMEOUT_S = 30.0
CACHE_MB = 16
"""Pages of a file that are kept in memory."""
IN_MEMORY = ":memory:"

_FIRST = """
CREATE TABLE repositories (
    id INTEGER PRIMARY KEY,            -- in the order in which they were added
    url TEXT NOT NULL,
    "commit" TEXT NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    toolchain TEXT,                    -- what lean-toolchain asks for
    UNIQUE (url, "commit")
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    repository_id INTEGER NOT NULL REFERENCES repositories ON DELETE CASCADE,
    path TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('traced', 'skipped')),
    reason TEXT,                       -- why it was skipped, and the line where that stands
    line INTEGER,
    module TEXT NOT NULL DEFAULT '',
    content_hash TEXT,
    imports TEXT NOT NULL DEFAULT '[]',   -- JSON array of module names
    messages TEXT NOT NULL DEFAULT '[]',  -- JSON array of [severity, text, line, column, line, column]: start, end
    elaborate_s REAL NOT NULL DEFAULT 0,
    walk_s REAL NOT NULL DEFAULT 0,
    UNIQUE (repository_id, path)
);
CREATE TABLE declarations (
    file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    full_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    code TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    start_column INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    end_column INTEGER NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE theorems (
    file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    full_name TEXT NOT NULL,
    statement TEXT NOT NULL,
    proof TEXT NOT NULL,
    mode TEXT NOT NULL,
    has_sorry INTEGER NOT NULL,
    type TEXT NOT NULL,
    type_hash TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    start_column INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    end_column INTEGER NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE tactics (
    file_id INTEGER NOT NULL,
    theorem INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    tactic TEXT NOT NULL,
    step TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    state_before TEXT NOT NULL,
    state_after TEXT NOT NULL,
    goals_before INTEGER NOT NULL,
    goals_after INTEGER NOT NULL,
    PRIMARY KEY (file_id, theorem, ordinal),
    FOREIGN KEY (file_id, theorem) REFERENCES theorems ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE premises (
    file_id INTEGER NOT NULL,
    theorem INTEGER NOT NULL,
    tactic INTEGER NOT NULL,           -- the tactic's ordinal; -1 for the list of the whole theorem
    ordinal INTEGER NOT NULL,
    full_name TEXT NOT NULL,
    module TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (file_id, theorem, tactic, ordinal),
    FOREIGN KEY (file_id, theorem) REFERENCES theorems ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE proofs (
    id INTEGER PRIMARY KEY,
    repository_id INTEGER NOT NULL REFERENCES repositories ON DELETE CASCADE,
    file_path TEXT NOT NULL,           -- by name, not by row: proofs outlive a new trace of their file
    full_name TEXT NOT NULL,
    script TEXT NOT NULL,
    source TEXT NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    axioms TEXT NOT NULL,              -- JSON array
    messages TEXT NOT NULL,            -- JSON, as in files
    seconds REAL NOT NULL,
    lean_calls INTEGER NOT NULL,
    created TEXT NOT NULL              -- ISO 8601, UTC
);
CREATE INDEX proofs_by_theorem ON proofs (repository_id, file_path, full_name);
"""

_SECOND = """
ALTER TABLE repositories ADD COLUMN licence TEXT
    /* SPDX identifier */;
CREATE TABLE statements (              -- which split a statement belongs to: decided once, kept when its theorems go
    id INTEGER PRIMARY KEY,            -- in the order of the decisions
    type_hash TEXT NOT NULL UNIQUE,
    form TEXT NOT NULL,                -- its words, by which near-duplicates are found
    random TEXT,                       -- train, val or test; NULL: near to statements of two of them
    novel_premises TEXT,
    near TEXT                          -- type_hash of the first near-duplicate that was decided before
);
CREATE TABLE attempts (                -- how often a source tried to prove a theorem, and how often it did
    repository_id INTEGER NOT NULL REFERENCES repositories ON DELETE CASCADE,
    file_path TEXT NOT NULL,
    full_name TEXT NOT NULL,
    source TEXT NOT NULL,
    tried INTEGER NOT NULL,
    proved INTEGER NOT NULL,
    updated TEXT NOT NULL,             -- ISO 8601, UTC
    PRIMARY KEY (repository_id, file_path, full_name, source)
) WITHOUT ROWID;
"""

_THIRD = """
ALTER TABLE statements ADD COLUMN given INTEGER NOT NULL DEFAULT 0
    /* the split is the one of a data set that was imported, whatever hashes say */;
"""

_FOURTH = """
CREATE TABLE library (                 -- modules of Lean's own library, which are premises of every repository
    module TEXT PRIMARY KEY,
    lean_version TEXT NOT NULL,
    imports TEXT NOT NULL,             -- JSON array of module names
    premises TEXT NOT NULL             -- JSON array of [full name, kind, type]
) WITHOUT ROWID;
"""

_FIFTH = """
ALTER TABLE files ADD COLUMN beside_theorems TEXT NOT NULL DEFAULT '[]'
    /* JSON, as messages: what the file takes for granted beside its theorems */;
"""

_SIXTH = """
ALTER TABLE files ADD COLUMN lean_version TEXT
    /* the Lean that traced it; NULL: traced before this was written down */;
"""

_SEVENTH = """
ALTER TABLE theorems ADD COLUMN axioms TEXT NOT NULL DEFAULT '[]'
    /* JSON array: other ones than Lean's three that it rests on */;
"""

_EIGHTH = """
ALTER TABLE repositories ADD COLUMN folder TEXT NOT NULL DEFAULT ''
    /* of a project that is not at the top of its repository; the end of its url too, after # */;
"""

_OLD_PATH = "url LIKE '/%' OR url LIKE 'file:%'"
_NEW_URL = """'local:' || CASE WHEN folder = '' THEN name || {apart}
        ELSE substr(name, 1, length(name) - length(folder) - 1) || {apart} || '#' || folder END"""

_NINTH = f"""
UPDATE OR IGNORE repositories SET url = {_NEW_URL.format(apart="''")} WHERE {_OLD_PATH}
    /* the path of a folder is in the column of that name alone; what is exported has no path */;
UPDATE repositories SET url = {_NEW_URL.format(apart="'~' || id")}
    WHERE {_OLD_PATH}
    /* the same content from another folder of the same name */;
"""

_TENTH = """
ALTER TABLE theorems ADD COLUMN command TEXT
    /* the kind of command that a macro has made it of; NULL: `theorem` itself */;
ALTER TABLE files ADD COLUMN lost TEXT
    /* JSON array of [full name, kind, reason, line, column, end line, end column]: theorems of the text that were not
    traced; NULL: traced before these were written down */;
ALTER TABLE files ADD COLUMN products TEXT NOT NULL DEFAULT '[]'
    /* JSON array of [full name, origin, line, column] */;
"""

_ELEVENTH = """
CREATE TABLE found (                   -- the shortest judged proof of each theorem that the agent's own practice found
    repository_id INTEGER NOT NULL REFERENCES repositories ON DELETE CASCADE,
    file_path TEXT NOT NULL,
    full_name TEXT NOT NULL,
    script TEXT NOT NULL,
    tactics TEXT NOT NULL,             -- JSON array of [step, state before, state after]
    steps INTEGER NOT NULL,
    source TEXT NOT NULL,
    round INTEGER NOT NULL,
    created TEXT NOT NULL,             -- ISO 8601, UTC
    PRIMARY KEY (repository_id, file_path, full_name)
) WITHOUT ROWID;
"""

_TWELFTH = """
ALTER TABLE proofs ADD COLUMN lemmas TEXT NOT NULL DEFAULT '[]'
    /* JSON array of [file, full name, proof]: open theorems that the proof uses, each behind those that it uses */;
"""

_THIRTEENTH = """
CREATE INDEX theorems_by_name ON theorems (full_name);
CREATE INDEX theorems_by_statement ON theorems (type_hash, has_sorry);
CREATE TABLE bands (                   -- by which near-duplicates of a statement are found
    number INTEGER NOT NULL,           -- of one of its bands (near_duplicates.bands)
    statement INTEGER NOT NULL,        -- its id
    PRIMARY KEY (number, statement)
) WITHOUT ROWID;
"""

_FOURTEENTH = """
ALTER TABLE theorems ADD COLUMN holes TEXT NOT NULL DEFAULT '[]'
    /* JSON array of [start, end, is term]: each sorry of the proof; none where traced before they were written down */;
"""

MIGRATIONS = (
    _FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH, _SEVENTH, _EIGHTH, _NINTH, _TENTH, _ELEVENTH, _TWELFTH,
    _THIRTEENTH, _FOURTEENTH,
)  # fmt: skip
"""Step ``n`` (from 0) takes a file from version ``n`` to ``n + 1``. Steps are only ever added.

The steps are plain SQL, numbered by SQLite's own ``user_version``: a migration library such as Alembic would bring a
second description of the tables (SQLAlchemy's models) and a table of its own for what one integer says.
"""


def connect(path: Path | str, migrations: Sequence[str] = MIGRATIONS) -> sqlite3.Connection:
    """Open the database at ``path``, made or brought up to date if need be.

    Args:
        migrations: the statements that bring a database from each version to the next.

    Raises:
        DatabaseError: the file is none of ours, of a later version, damaged, or cannot be read or written.
    """
    if path != IN_MEMORY:
        path = Path(path)
        _check_file(path)
    connection: sqlite3.Connection | None = None
    try:
        # Transactions are begun by hand, and threads take turns by a lock of the store.
        connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
        _migrate(connection, path, migrations)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE_MB * 1024}")
    except (sqlite3.Error, DatabaseError) as error:
        if connection is not None:
            connection.close()
        raise error if isinstance(error, DatabaseError) else in_words(error, path) from error
    return connection


@contextmanager
def attached_copy(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Attach a copy of another of our databases to ``connection`` as ``other``, brought to the latest version.

    The copy is taken while others may write there, and is whole; the file itself is read and not touched.

    Raises:
        DatabaseError: there is none at ``path``, or it is none that :func:`connect` opens.
    """
    if not path.is_file():
        raise DatabaseError(f"there is no database at {path}; name another file")
    with tempfile.TemporaryDirectory(prefix="lean_agent-") as folder:
        copy = Path(folder, "other.sqlite")
        _check_file(path)
        try:
            with (
                closing(
                    sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)
                ) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                _version(source, path)
                source.backup(target)
        except sqlite3.Error as error:
            raise in_words(error, path) from error
        connect(copy).close()
        connection.execute("ATTACH DATABASE ? AS other", (str(copy),))
        try:
            yield
        finally:
            connection.execute("DETACH DATABASE other")


def in_words(error: sqlite3.Error, path: Path | str) -> DatabaseError:
    """SQLite's error as one sentence that says what to do next."""
    text = str(error)
    if "full" in text or "disk I/O" in text:
        return DatabaseError(f"{path} could not be written ({text}); free some space. What was stored before is kept")
    if "locked" in text or "busy" in text:
        return DatabaseError(f"another process kept {path} locked for {BUSY_TIMEOUT_S:.0f} s; end it, or try again")
    if "malformed" in text or "not a database" in text:
        return DatabaseError(f"{path} is damaged or no SQLite database ({text}); restore a copy or name another file")
    if "unable to open" in text or "readonly" in text:
        return DatabaseError(f"{path} cannot be opened for writing ({text}); check its folder and permissions")
    return DatabaseError(f"{path}: {text}")


def _check_file(path: Path) -> None:
    """Refuse what is no SQLite file before SQLite touches it."""
    if path.is_dir():
        raise DatabaseError(f"{path} is a folder; name a file for the database, such as {path / 'lean_agent.db'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            return
        with path.open("rb") as file:
            magic = file.read(16)
    except OSError as error:
        raise DatabaseError(f"{path} cannot be opened ({error}); check its folder and permissions") from error
    if magic not in (b"", b"SQLite format 3\x00"):
        raise DatabaseError(f"{path} is no SQLite database; it was left as it is. Name another file")


def _migrate(connection: sqlite3.Connection, path: Path | str, migrations: Sequence[str]) -> None:
    """Bring the file to the latest version in one transaction; a kill leaves it at its old one."""
    if _version(connection, path, len(migrations)) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in migrations[_version(connection, path, len(migrations)) :]:
            for statement in migration.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite may have rolled back by itself, as it does on a full disk
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: Path | str, latest: int = len(MIGRATIONS)) -> int:
    """Return the version of the file: 0 for a new one.

    Raises:
        DatabaseError: another program's database, or a later version of ours.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise DatabaseError(f"{path} is a database of another program; it was left as it is. Name another file")
    if version > latest:
        raise DatabaseError(
            f"{path} was written by a later lean_agent (version {version} of its tables, this one knows "
            f"{latest}); upgrade lean_agent"
        )
    return int(version)

"""Know whether Ctrl-C has come. The program's own handler notes it (:mod:`lean_agent.cli.entry`), commands ask."""

INTERRUPTED = 130

_has_come = False


def note_interrupt() -> None:
    """Note that Ctrl-C has come."""
    global _has_come  # noqa: PLW0603  # a process has one Ctrl-C
    _has_come = True


def was_interrupted() -> bool:
    """Return whether Ctrl-C has come since the command began."""
    return _has_come

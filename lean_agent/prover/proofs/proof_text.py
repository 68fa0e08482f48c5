"""From a proof to the file that holds it.

Owns layout, byte spans and line ends; knows no Lean beyond ``by`` and ``:=``.
"""

from __future__ import annotations

from lean_agent.errors import TraceError
from lean_agent.lean.source import as_lean_reads, place_in_file
from lean_agent.lean.types import TracedTheorem


def with_proof(source: bytes, theorem: TracedTheorem, proof: str) -> bytes:
    """Return the file ``source`` with ``proof`` (without ``:=``) in the place of the theorem's own; no other byte
    changes.

    The lines of the proof end as the first line of the file does.

    Raises:
        TraceError: the theorem does not stand where it was traced: the file has changed since.
    """
    start, end = proof_span(source, theorem)
    # A proof by equations has no `:=` of its own that the new one could stand behind.
    text = f":= {proof}" if theorem.mode == "equations" else proof
    if source.partition(b"\n")[0].endswith(b"\r"):
        text = text.replace("\n", "\r\n")
    return source[:start] + text.encode() + source[end:]


def proof_span(source: bytes, theorem: TracedTheorem) -> tuple[int, int]:
    """Return the first byte and the end of the theorem's proof in ``source``.

    Raises:
        TraceError: as for :func:`with_proof`.
    """
    declaration = as_lean_reads(source)[theorem.start : theorem.end].rstrip()
    statement, proof = theorem.statement.encode(), theorem.proof.encode()
    before, separator, rest = declaration.partition(statement)
    # The proof is the last thing of a declaration, but for clauses such as `termination_by` in traces of older formats.
    at = len(rest) - len(proof) if rest.endswith(proof) else rest.find(proof)
    if not separator or not proof or at < 0:
        raise TraceError(
            f"{theorem.full_name} does not stand at bytes {theorem.start} to {theorem.end} any more: the file has "
            "changed since it was traced. Trace the repository again."
        )
    start = theorem.start + len(before) + len(statement) + at
    return place_in_file(source, start), place_in_file(source, start + len(proof))

"""Search for proofs with a policy and a Lean server, and have every proof verified before it counts.

A search (:mod:`.registry` has them by name) is a machine over an AND/OR graph of exact states (:mod:`.graph`);
:mod:`.driver` runs many at a time with one policy and one server; :mod:`.provers` has what they find judged, and keeps
it.
"""

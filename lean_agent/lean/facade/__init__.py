"""The methods of a Lean server, plain and ``…_async``, made from one coroutine for each kind of work."""

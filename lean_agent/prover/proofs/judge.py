"""What searches have found, judged while the searches of other theorems go on.

Owns what counts as proved: a script that Lean's judge has accepted in the theorem's own file, or in copies of the files
in which theorems that were proved before have their proofs in place, and nothing before that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import replace

from lean_agent.database import StoredTheorem
from lean_agent.errors import LeanError, TraceError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.source import by_block
from lean_agent.lean.types import Verdict, user_name
from lean_agent.prover.config import SearchResult
from lean_agent.prover.proofs.lemmas import ProvedLemmas, verify_with
from lean_agent.prover.proofs.minimise import Steps, minimise, with_used_names
from lean_agent.prover.proofs.result import ProofResult, TheoremKey, theorem_key
from lean_agent.prover.timing import WorkTimer
from lean_agent.prover.tree.steps import render
from lean_agent.tracing import Repository

_AT_A_TIME = 4
_TIMEOUT_S = 120.0  # of one whole file, which may hold much beside the theorem


class Verdicts:
    """Proofs that Lean has accepted in their own files, so that a proof which several provers find is judged once."""

    def __init__(self) -> None:
        self._known: dict[tuple[TheoremKey, str, tuple[str, ...]], tuple[Verdict, float]] = {}

    def find(self, theorem: StoredTheorem, proof: str, axioms: tuple[str, ...]) -> tuple[Verdict, float] | None:
        """Return the verdict and how many seconds it took, if this proof was accepted before with these axioms."""
        return self._known.get((theorem_key(theorem), proof, axioms))

    def add(
        self, theorem: StoredTheorem, proof: str, axioms: tuple[str, ...], verdict: Verdict, seconds: float
    ) -> None:
        """Keep a verdict that took so many seconds, if it is one that accepts the proof."""
        if verdict.accepted:
            self._known[theorem_key(theorem), proof, axioms] = verdict, seconds


class Judge:
    """Has proofs judged, some at a time, and made shorter.

    Args:
        prover: its name stands in the results.
        lemmas: theorems that are proved already; takes in those that are accepted. Without it every proof stands alone.
        used_names: whether names that Lean says it has not used are left out of lists before the judge is asked;
            ``minimal`` does that, too.
        minimal: whether accepted proofs are made shorter where that can be done, and judged again.
        timer: counts Lean's time.
        verdicts: proofs that were accepted before; they count as many calls and seconds as then.
    """

    def __init__(
        self,
        prover: str,
        server: LeanServer,
        *,
        lemmas: ProvedLemmas | None,
        used_names: bool,
        minimal: bool,
        timer: WorkTimer,
        verdicts: Verdicts | None = None,
    ) -> None:
        self._prover = prover
        self._server = server
        self._lemmas = lemmas
        self._used_names = used_names
        self._minimal = minimal
        self._timer = timer
        self._verdicts = verdicts or Verdicts()
        self._threads = ThreadPoolExecutor(max_workers=_AT_A_TIME, thread_name_prefix="judge")
        self._under_way: set[Future[ProofResult]] = set()
        self._on_others: list[ProofResult] = []  # proofs that rest on theorems which may yet be proved
        self._longer: dict[TheoremKey, ProofResult] = {}  # such proofs before they were made shorter
        self._given: dict[tuple[Repository, str], tuple[str, ...]] = {}  # of theorems that are proved given others

    def submit(self, theorem: StoredTheorem, search: SearchResult) -> None:
        """Begin to judge what a search has found."""
        self._under_way.add(self._threads.submit(self._judged, theorem, search))

    def ready(self) -> Iterator[ProofResult]:
        """Yield, each once, the results that are certain by now."""
        return self._certain([future for future in self._under_way if future.done()])

    def rest(self) -> Iterator[ProofResult]:
        """Yield the results that are left as they become certain; last those of proofs that use other theorems of the
        run, in the order of the files."""
        yield from self._certain(as_completed([*self._under_way]))
        if (lemmas := self._lemmas) is None:
            return
        on_others, self._on_others = self._on_others, []
        for result in sorted(on_others, key=lambda result: lemmas.order(result.theorem)):
            judged = self._with_lemmas(result, lemmas)
            longer = self._longer.get(theorem_key(result.theorem))
            if not judged.proved and longer is not None:
                judged = self._with_lemmas(replace(longer, judge_calls=judged.judge_calls), lemmas)
            yield self._learnt(judged)

    def close(self) -> None:
        """Give up what has not begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _certain(self, ended: Iterable[Future[ProofResult]]) -> Iterator[ProofResult]:
        for future in ended:
            self._under_way.remove(future)
            result = future.result()
            if self._uses_others(result):
                self._on_others.append(result)
            else:
                yield self._learnt(result)

    def _uses_others(self, result: ProofResult) -> bool:
        below = result.verdict.open_lemmas if result.verdict is not None else ()
        return self._lemmas is not None and bool(below) and result.theorem.full_name not in below

    def _learnt(self, result: ProofResult) -> ProofResult:
        if self._lemmas is not None and result.proved:
            self._lemmas.add(result.theorem, result.proof, result.lemmas)
        return result

    def _judged(self, theorem: StoredTheorem, search: SearchResult) -> ProofResult:
        began = time.monotonic()
        shorter, calls = self._timed(with_used_names, theorem, search) if self._used_names else (search.steps, 0)
        result = self._judged_steps(theorem, search, shorter)
        if not result.proved and shorter != search.steps and not self._uses_others(result):
            result = self._judged_steps(theorem, search, search.steps)
            calls += 1
        result = replace(result, judge_calls=result.judge_calls + calls)
        if self._minimal and (result.proved or self._uses_others(result)):
            result = self._minimised(result)
        return replace(result, seconds=search.seconds + result.seconds + time.monotonic() - began)

    def _minimised(self, result: ProofResult) -> ProofResult:
        """Return the result with a shorter proof, if there is one that the judge accepts too."""
        steps = result.search.steps
        shorter, calls = self._timed(minimise, result.theorem, result.search)
        calls += result.judge_calls
        if shorter == steps:
            return replace(result, judge_calls=calls)
        again = self._judged_steps(result.theorem, result.search, shorter)
        on_others = self._uses_others(result) and self._uses_others(again)
        if on_others:
            self._longer[theorem_key(result.theorem)] = result
        return replace(again if again.proved or on_others else result, judge_calls=calls + again.judge_calls)

    def _timed(
        self, shorten: Callable[..., tuple[Steps, int]], theorem: StoredTheorem, search: SearchResult
    ) -> tuple[Steps, int]:
        """Have Lean shorten a proof, of one that its author has begun what was found for its holes; also return how
        many requests it took."""
        began = time.monotonic()
        draft = search.filled_draft
        try:
            if draft is None:
                may_use_open, may_use_axioms = self._lemmas is not None, bool(search.axioms)
                site = replace(theorem.site, may_use_open=may_use_open, may_use_axioms=may_use_axioms)
                return shorten(self._server, site, search.steps)
            proofs, calls = [], 0
            for origin, proof in zip(draft.origins, draft.proofs, strict=True):
                shorter, more = shorten(self._server, origin, proof)
                proofs.append(tuple(shorter))
                calls += more
            return (replace(draft, proofs=tuple(proofs)).tactics,), calls
        finally:
            self._timer.add("lean", began, time.monotonic())

    def _judged_steps(self, theorem: StoredTheorem, search: SearchResult, steps: Steps) -> ProofResult:
        proof = by_block(render(steps), theorem.theorem.start_pos.column)
        claimed = ProofResult(theorem, self._prover, replace(search, steps=steps), proof=proof, judge_calls=1)
        if known := self._verdicts.find(theorem, proof, search.axioms):
            verdict, seconds = known
            claimed = replace(claimed, seconds=seconds)
        else:
            began = time.monotonic()
            try:
                verdict = self._server.verify(
                    theorem.site, proof, whole_file=True, allowed_axioms=search.axioms, timeout_s=_TIMEOUT_S
                )
            except (LeanError, OSError) as error:
                return replace(claimed, message=str(error))
            finally:
                self._timer.add("lean", began, time.monotonic())
            self._verdicts.add(theorem, proof, search.axioms, verdict, time.monotonic() - began)
        return replace(claimed, verdict=verdict, message="" if verdict.accepted else verdict.reason)

    def _assumed_of(self, result: ProofResult, missing: Sequence[str]) -> tuple[str, ...]:
        """Return the open theorems given which a proof is one, where it rests on others that have none: such as its
        search could assume, and what those rest on that were proved given others; nothing where that is not all."""
        repository = result.theorem.repository
        known: dict[str, tuple[str, ...]] = {name: (name,) for name in result.search.assumed}
        known |= {name: given for (of, name), given in self._given.items() if of == repository and name not in known}
        if not all(name in known for name in missing):
            return ()
        given = tuple(dict.fromkeys(name for each in missing for name in known[each]))
        self._given[repository, result.theorem.full_name] = given
        return given

    def _with_lemmas(self, result: ProofResult, proved: ProvedLemmas) -> ProofResult:
        """Judge a proof that rests on the ``sorry`` of other theorems where these have their proofs in place."""
        below = result.verdict.open_lemmas if result.verdict is not None else ()
        lemmas = proved.for_proof(result.theorem, below)
        if missing := [name for name in below if all(name != lemma.theorem.full_name for lemma in lemmas)]:
            if given := self._assumed_of(result, missing):
                words = f"given {', '.join(map(user_name, given))}, which {'is' if len(given) == 1 else 'are'} open"
                return replace(result, lemmas=lemmas, given=given, message=words)
            return replace(
                result, message=f"it rests on {', '.join(map(user_name, missing))}, of which there is no accepted proof"
            )
        began = time.monotonic()
        result = replace(result, judge_calls=result.judge_calls + 1)
        try:
            verdict = verify_with(
                self._server,
                result.theorem.site,
                result.proof,
                lemmas,
                allowed_axioms=result.search.axioms,
                timeout_s=_TIMEOUT_S,
            )
        except (TraceError, LeanError, OSError) as error:
            result = replace(result, message=f"it uses other theorems; with their proofs in place: {error}")
        else:
            message = "" if verdict.accepted else verdict.reason
            result = replace(result, verdict=verdict, lemmas=lemmas if verdict.accepted else (), message=message)
        ended = time.monotonic()
        self._timer.add("lean", began, ended)
        return replace(result, seconds=result.seconds + ended - began)

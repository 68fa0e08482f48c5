"""What is kept of Lean's memory comes back whole, and no thread that looks meanwhile finds it bare."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from lean_agent.lean.embedded import install

SCRIPT = """
const fs = require("fs"), [image, folder] = process.argv.slice(1), { save, restore } = require(image);
const PAGE = 65536, MARK = 2 * PAGE + 5;
const lean = (pages) => ({ PThread: { runningWorkers: [] },
  wasmMemory: new WebAssembly.Memory({ initial: pages, maximum: 64, shared: true }) });
const bytes = (M) => new Uint8Array(M.wasmMemory.buffer);

const kept = lean(9);
for (const at of [PAGE, MARK, 6 * PAGE, 8 * PAGE + 1]) bytes(kept)[at] = 7;
save(kept, folder, { env: 42 });

const fresh = lean(5), seen = [], read = fs.readSync;
bytes(fresh).fill(7);                                   // instantiated: what stands there is not 0
fs.readSync = (...how) => { seen.push(bytes(fresh)[MARK]); return read(...how); };
const roots = restore(fresh, folder);
console.log(JSON.stringify({ roots, seen, same: Buffer.compare(bytes(kept), bytes(fresh)) === 0 }));
"""


def test_memory_comes_back_and_what_says_that_it_is_initialised_is_never_gone(tmp_path: Path) -> None:
    image = Path(install.__file__).with_name("image.cjs")
    done = subprocess.run(
        [str(install.node_binary()), "-e", SCRIPT, str(image), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answer = json.loads(done.stdout)
    assert answer["same"]
    assert answer["roots"] == {"env": 42}
    assert set(answer["seen"]) == {7}

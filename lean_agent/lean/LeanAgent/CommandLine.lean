/-
The `lean` command: the arguments of the stock program, on this Lean. For the embedded one, whose own `main` cannot run here.
-/
import LeanAgent.Export
open Lean Elab

namespace LeanAgent.CommandLine

structure Arguments where
  file? : Option String := none
  rest : List String := []                   -- what the program of `--run` gets
  run : Bool := false
  stdin : Bool := false
  json : Bool := false
  quiet : Bool := false
  deps : Bool := false
  olean? : Option String := none
  c? : Option String := none
  root? : Option String := none
  options : List (String × String) := []

/-- Options that take a value, by all their names, and what is done with it. -/
def withValue : List (List String × (String → Arguments → Except String Arguments)) := [
  (["-o", "--o"], fun v a => .ok { a with olean? := some v }),
  (["-c", "--c"], fun v a => .ok { a with c? := some v }),
  (["-R", "--root"], fun v a => .ok { a with root? := some v }),
  (["-D"], fun v a => match v.splitOn "=" with
    | name :: value@(_ :: _) => .ok { a with options := (name, "=".intercalate value) :: a.options }
    | _ => .error s!"invalid -D parameter `{v}`, argument must contain '='"),
  -- there is one thread, one stack and one heap here, whatever is asked for; every import is checked
  (["-j", "--threads"], fun _ a => .ok a), (["-s", "--tstack"], fun _ a => .ok a), (["-M", "--memory"], fun _ a => .ok a),
  (["-t", "--trust"], fun _ a => .ok a),
  (["-T", "--timeout"], fun v a => .ok { a with options := ("maxHeartbeats", v) :: a.options })]

def plain : List (List String × (Arguments → Arguments)) := [
  (["--stdin"], fun a => { a with stdin := true }), (["--json"], fun a => { a with json := true }),
  (["-q", "--quiet"], fun a => { a with quiet := true }), (["--deps"], fun a => { a with deps := true })]

def impossible : List (String × String) := [
  ("--server", "it speaks to an editor over a pipe that this Lean cannot wait on"), ("--worker", "it speaks to an editor over a pipe that this Lean cannot wait on"),
  ("--plugin", "there is nothing here to load native libraries with"), ("--load-dynlib", "there is nothing here to load native libraries with"),
  ("--setup", "modules are found on LEAN_PATH alone"), ("-b", "there is no LLVM here"), ("--bc", "there is no LLVM here"),
  ("-i", "there is no index of references here"), ("--i", "there is no index of references here"),
  ("--profile", "there is no profiler here"), ("--stats", "there are no statistics here"), ("-E", "kinds of messages keep their severity here"), ("--error", "kinds of messages keep their severity here"),
  ("--src-deps", "the library ships without its sources")]

partial def parse (arguments : List String) (a : Arguments := {}) : Except String Arguments := do
  match arguments with
  | [] => return a
  | "--run" :: rest => match rest with
    | file :: rest => return { a with run := true, file? := some file, rest }
    | [] => throw "Expected exactly one file name"
  | word :: rest =>
    if !word.startsWith "-" then
      if a.file?.isSome then throw "Expected exactly one file name"
      return ← parse rest { a with file? := some word }
    if let some (_, set) := plain.find? (·.1.contains word) then return ← parse rest (set a)
    let (name, glued?) := split word
    if let some (_, why) := impossible.find? (·.1 == name) then throw s!"`{name}` does not work with embedded Lean: {why}"
    let some (_, set) := withValue.find? (·.1.contains name) | throw s!"unknown option `{word}`"
    match glued?, rest with
    | some value, rest => parse rest (← set value a)
    | none, value :: rest => parse rest (← set value a)
    | none, [] => throw s!"argument missing for option '{word}'"
where
  /-- `--o=file` and `-ofile` are `-o file`. -/
  split (word : String) : String × Option String :=
    if word.startsWith "--" then match word.splitOn "=" with
      | name :: value@(_ :: _) => (name, some ("=".intercalate value))
      | _ => (word, none)
    else if word.length > 2 then ((word.take 2).toString, some (word.drop 2).toString) else (word, none)

def help : String :=
  "Lean, embedded. Options:\n  -h, --help  -v, --version  -V, --short-version  -g, --githash  --print-prefix  --print-libdir
  --run FILE ARGS      call `main` of FILE with ARGS
  -o, --o=FILE         write the compiled module
  -c, --c=FILE         write the program as C
  --stdin              take the text from standard input
  -R, --root=DIR       the folder that module names start from
  -D NAME=VALUE        set an option
  --json               messages as JSON, one a line
  --deps               print the files of imported modules
  -q, --quiet
  -j, -s, -M, -t       taken and without effect"

def moduleName (a : Arguments) (file : String) : Name :=
  if a.stdin || a.root?.isNone then `_stdin else
  let inside := (file.dropPrefix? ((a.root?.getD "") ++ "/")).map (·.toString) |>.getD file
  ((inside.dropSuffix? ".lean").map (·.toString) |>.getD inside).splitOn "/" |>.foldl (fun n part => if part.isEmpty || part == "." then n else .str n part) .anonymous

def show' (a : Arguments) (m : Message) : IO Unit := do
  if m.isSilent || (a.quiet && m.severity == .information) then return
  if a.json then IO.println (← m.toJson).compress else IO.print (← m.toString (includeEndPos := false))

/-- Call `main`, whichever of its four types it has. -/
unsafe def callMainUnsafe (env : Environment) (options : Options) (arguments : List String) : IO UInt32 := do
  let some info := env.find? `main | throw <| IO.userError "unknown declaration 'main'"
  let code := mkApp (.const ``IO []) (.const ``UInt32 [])
  let given := fun (result : Expr) => Expr.forallE `arguments (mkApp (.const ``List [.zero]) (.const ``String [])) result .default
  let strip : Expr → Expr | .forallE _ t b i => .forallE `arguments t b i | e => e
  let type := strip info.type
  if type == code then (← IO.ofExcept (env.evalConst (IO UInt32) options `main))
  else if type == given code then (← IO.ofExcept (env.evalConst (List String → IO UInt32) options `main)) arguments
  else if type.isForall then do (← IO.ofExcept (env.evalConst (List String → IO Unit) options `main)) arguments; return 0
  else do (← IO.ofExcept (env.evalConst (IO Unit) options `main)); return 0

@[implemented_by callMainUnsafe, inherit_doc callMainUnsafe]
opaque callMain (env : Environment) (options : Options) (arguments : List String) : IO UInt32

def readAll : IO String := do
  let stdin ← IO.getStdin
  let mut text := ""
  repeat
    let line ← stdin.getLine
    if line.isEmpty then break
    text := text ++ line
  return text

/-- Elaborate a file as the stock program does. -/
def elaborate (a : Arguments) : IO UInt32 := do
  let some file := a.file? <|> (if a.stdin then some "<stdin>" else none) | throw <| IO.userError "Expected exactly one file name"
  let text ← if a.stdin then readAll else IO.FS.readFile file
  let imported ← Imported.create fun _ => pure ()
  let input := Parser.mkInputContext text file
  let (header, parser, log) ← Parser.parseHeader input
  if a.deps then
    for i in headerToImports header do IO.println (← findOLean i.module)
    return 0
  let failed ← IO.mkRef log.hasErrors
  for m in log.toList do show' a m
  let env ← importOnce imported (headerToImports header)
  let options ← a.options.reverse.foldlM (fun o (name, value) => return (← withOption? o name value).getD (o.set name.toName value)) (baseOptions.erase `linter.all)
  let state := Command.mkState (env.setMainModule (moduleName a file)) {} options
  let (_, final) ← runCommands imported input state parser none fun step _ => do
    for m in step.messages do
      if m.severity == .error then failed.set true
      show' a m
  if ← failed.get then return 1
  if let some path := a.olean? then writeModule final.env path
  if let some path := a.c? then IO.FS.writeFile path (← IO.ofExcept (IR.emitC final.env final.env.mainModule))
  if a.run then return (← callMain final.env options a.rest)
  return 0

def complain (words : String) : IO Unit := do
  let stderr ← IO.getStderr
  stderr.putStrLn words

def runNow (arguments : List String) : IO UInt32 := do
  match arguments with
  | ["-h"] | ["--help"] => IO.println help; return 0
  | _ =>
    match parse arguments with
    | .error words => complain words; return (1 : UInt32)
    | .ok a => try return (← elaborate a) catch e => complain (toString e); return (1 : UInt32)

/-- Called by the host: run the command in a thread of Lean's own, and end the process with its exit code. -/
def run (arguments : List String) : IO Unit := do
  discard <| IO.asTask (prio := .default) do
    let code ← runNow arguments
    (← IO.getStdout).flush
    (← IO.getStderr).flush
    (IO.Process.exit code.toUInt8 : IO Unit)

end LeanAgent.CommandLine

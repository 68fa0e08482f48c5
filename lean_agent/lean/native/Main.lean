/-
The server on a native toolchain, `lean --run Main.lean`: one request a line on standard input, one answer a line on
standard output, as the embedded host has them.
-/
import LeanAgent.Server
open Lean

namespace LeanAgent

/-- Memory of this process that is not a file's, in MB. -/
def heap : IO Nat := do
  try
    let status ← IO.FS.lines "/proc/self/status"
    let some line := status.find? (·.startsWith "RssAnon:") | return 0
    return ((line.splitOn " ").filterMap (·.toNat?)).headD 0 / 1024
  catch _ => return 0

/-- Stop what is over its limit; what does not stop costs the process. -/
partial def watching (server : Server) : IO Unit := do
  IO.sleep 25
  if ← watch server then
    (← IO.getStderr).putStrLn "STUCK a request ignored its time limit"
    IO.Process.exit 71
  watching server

partial def serve (server : Server) (stdin : IO.FS.Stream) : IO Unit := do
  let line ← stdin.getLine
  if line.isEmpty then return
  let reply ← answer server line
  let heap ← heap
  let reply := match Json.parse reply with
    | .ok j => (j.setObjVal! "heap" heap).compress
    | .error _ => reply
  server.answers.putStr (reply ++ "\n")
  server.answers.flush
  serve server stdin

end LeanAgent

open LeanAgent in
def main : IO Unit := do
  let stdout ← IO.getStdout
  let core ← importNow (← Loaded.create) #[{ module := `Lean }]
  let server ← Server.create core stdout
  stdout.putStrLn "{\"ready\":true}"
  stdout.flush
  discard <| IO.asTask (prio := .dedicated) (watching server)
  serve server (← IO.getStdin)

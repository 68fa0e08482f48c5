/-
The server on a native toolchain, `lean --run Main.lean`: one request a line on standard input, one answer a line on
standard output, as the embedded host has them.
-/
import LeanAgent.Server
open Lean

namespace LeanAgent

/-- What the process takes of memory by itself, less what it keeps of imports, in MB: a limit is to count what it has grown
by. -/
def heap (server : Server) : IO Nat := do
  let kept := (← server.imported.environments.get).foldl (fun total k => total + k.ownMB) 0
  return (← ownMB) - kept

/-- Stop what is over its limit; what does not stop costs the process. -/
partial def watching (server : Server) : IO Unit := do
  IO.sleep 25
  if ← watch server 0 then
    (← IO.getStderr).putStrLn "STUCK a request ignored its time limit"
    IO.Process.exit 71
  watching server

partial def serve (server : Server) (stdin : IO.FS.Stream) : IO Unit := do
  let line ← stdin.getLine
  if line.isEmpty then return
  let reply ← answer server line
  let heap ← heap server
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

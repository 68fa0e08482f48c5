"""``lean-grpo``: those commands of ``lean-agent`` that train on whole attempts, as a program of their own."""

from lean_agent.cli.commands.attempts import algorithms, rewards, train
from lean_agent.cli.program import new_program

app = new_program(
    help="Train language models to prove theorems in Lean 4, with rewards from Lean.",
    epilog="Start with: lean-grpo train examples/example_theorems.jsonl --mock",
)
for command in (train, algorithms, rewards):
    app.command()(command)

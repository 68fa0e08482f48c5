"""``lean-agent lean …``: embedded Lean on this machine."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="Embedded Lean: install it, look after it.")


@app.command()
def install() -> None:
    """Install embedded Lean into the user's cache folder; does nothing when it is there.

    Example: lean-agent lean install
    """
    from lean_agent.lean.embedded.install import install as install_lean

    print(install_lean())


@app.command()
def doctor() -> None:
    """Say what is installed, which version, and run one theorem.

    Example: lean-agent lean doctor
    """
    from lean_agent.lean.embedded.install import doctor as examine

    print(examine())

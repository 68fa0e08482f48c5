"""What is left out of the light installation, and the sentence for somebody who needs it.

Owns the name under which the package is distributed, and which extra brings which library. It imports none of them.
"""

from __future__ import annotations

from collections.abc import Mapping

DISTRIBUTION = "lean4-agent"
"""The name for pip; ``lean-agent`` belongs to another project there. Programs import ``lean_agent``."""

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "train": (
        "accelerate",
        "datasets",
        "datasketch",
        "huggingface_hub",
        "matplotlib",
        "openai",
        "peft",
        "pyarrow",
        "pyrate_limiter",
        "scipy",
        "tokenizers",
        "torch",
        "transformers",
        "trl",
    ),
    "serve": ("fastapi", "httptools", "jinja2", "prometheus_client", "starlette", "uvicorn", "uvloop"),
    "mcp": ("mcp",),
    "openenv": ("openenv",),
    "verifiers": ("verifiers",),
    "docs": ("mkdocstrings", "zensical"),
    "notebooks": ("ipykernel", "ipywidgets", "nbclient"),
    "ray": ("ray",),
    "lean-dojo": ("lean_dojo",),
    "qlora": ("bitsandbytes",),
    "tensorboard": ("tensorboard",),
    "wandb": ("wandb",),
}
"""The modules that an extra brings and the light installation lacks."""


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def missing(error: ImportError) -> str | None:
    """Return the sentence for an import that an extra would mend; ``None`` for any other."""
    module = (error.name or "").split(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules), None)
    return f"This needs {module}, which is not installed: {install(extra)}." if extra else None

"""Whether there is a model at a name or path, found out from files and by one request, before any library is loaded.

Knows nothing of torch and transformers: what the files of a model mean is theirs to say.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lean_agent.errors import ModelNotFound, closest, words_of
from lean_agent.policy.base import ADAPTER_CONFIG
from lean_agent.prompts import HelpSettings

if TYPE_CHECKING:
    import httpx

ADVICE = (
    "Give a folder that holds config.json, weights and a tokenizer, or the name of a model on the HuggingFace hub "
    "(which needs a network connection)."
)
HELP_RECORD = "prompt_help.json"
"""In a checkpoint's folder: what the model was shown beside goals in training."""
HUB_TIMEOUT_S = 10.0
_HUB_NAME = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_ADAPTER_WEIGHTS = ("adapter_model.safetensors", "adapter_model.bin")


def check_model_files(model_name: str | Path) -> None:
    """Make sure that a model's files are there and whole, as far as that shows without loading them.

    Args:
        model_name: a folder, a folder with a LoRA adapter, or a name on the HuggingFace hub. When the hub cannot be
            reached and the model is in the cache of this machine, the hub is asked for nothing more.

    Raises:
        ModelNotFound: there is no model, or what there is of it is broken.
    """
    base = adapter_base(model_name)
    if base is not None:
        _check_weights(Path(model_name), _ADAPTER_WEIGHTS)
    check_config(base or model_name)
    if Path(base or model_name).is_dir():
        _check_weights(Path(base or model_name), _WEIGHTS)


def recorded_help(folder: str | Path) -> HelpSettings:
    """Return what the model in a folder was shown beside goals in training; nothing, where it does not say.

    Raises:
        ModelNotFound: its record does not read.
    """
    path = Path(folder) / HELP_RECORD
    if not path.is_file():
        return HelpSettings()
    try:
        return HelpSettings(**_json(path))
    except TypeError as error:
        raise ModelNotFound(
            f"{path} does not say what the model is shown beside goals ({words_of(error)}): remove it, and say it by "
            "premises and neighbours_in_prompt."
        ) from error


def record_help(settings: HelpSettings, folder: Path) -> None:
    """Write beside a model's files what it was shown in training, if that was more than goals."""
    if settings:
        (folder / HELP_RECORD).write_text(json.dumps(asdict(settings)) + "\n", encoding="utf-8")


def adapter_base(model_name: str | Path) -> str | None:
    """Return the name or path of the base model when ``model_name`` is a folder with a LoRA adapter, else ``None``.

    Raises:
        ModelNotFound: the adapter's configuration does not read, or names no base.
    """
    path = Path(model_name) / ADAPTER_CONFIG
    if not path.is_file():
        return None
    base = _json(path).get("base_model_name_or_path")
    if not base:
        raise ModelNotFound(f"The adapter in {model_name} does not say which base model it belongs to ({path}).")
    return str(base)


def check_config(model_name: str | Path, *, transport: httpx.BaseTransport | None = None) -> None:
    """Make sure that a folder has a configuration that reads, or that the hub, or its cache here, has the model.

    Args:
        model_name: as for :func:`check_model_files`, but no adapter.
        transport: another way to the hub than the network.

    Raises:
        ModelNotFound: in one sentence, with what may have been meant.
    """
    name, folder = str(model_name), Path(model_name)
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelNotFound(
                f"No causal language model could be loaded from {name}: the folder has no config.json. {ADVICE}"
            )
        _json(folder / "config.json")
    elif folder.exists():
        raise ModelNotFound(f"{name} is a file, and no model folder. {ADVICE}")
    elif _is_path(name):
        raise ModelNotFound(f"There is no model folder {name}. {meant(name)}{ADVICE}")
    else:
        _check_hub(name, transport)


def meant(name: str) -> str:
    """Return a sentence that names the folder with a model that ``name`` may have meant, or nothing."""
    folder = _nearest_model(Path(name))
    return f"Did you mean the folder {folder}? " if folder is not None else ""


def _holds_model(folder: Path) -> bool:
    """Return whether a model, or an adapter to one, lies in ``folder``, whole or not."""
    return any((folder / name).is_file() for name in ("config.json", ADAPTER_CONFIG))


def _check_hub(name: str, transport: httpx.BaseTransport | None) -> None:
    """Ask the hub once, without the retries of its library, which take half a minute where there is no network."""
    import httpx
    from huggingface_hub import constants, get_token, try_to_load_from_cache

    cached = isinstance(try_to_load_from_cache(name, "config.json"), str) if _HUB_NAME.fullmatch(name) else False
    if constants.HF_HUB_OFFLINE:
        reason = "the hub is not asked (HF_HUB_OFFLINE)"
    elif not _HUB_NAME.fullmatch(name):
        reason = "it is no name that a model on the hub can have"
    else:
        token = get_token()
        headers = {"authorization": f"Bearer {token}"} if token else {}
        address = f"{constants.ENDPOINT}/{name}/resolve/main/config.json"
        try:
            with httpx.Client(transport=transport, timeout=HUB_TIMEOUT_S, follow_redirects=True) as hub:
                status = hub.head(address, headers=headers).status_code
        except httpx.HTTPError as error:
            reason = f"{constants.ENDPOINT} cannot be reached ({error})"
            constants.HF_HUB_OFFLINE = True  # what is in the cache is taken without asking, and without retries
        else:
            if status < 400 or status >= 500:
                return
            reason = f"{constants.ENDPOINT} has no model of that name, or shows it to members alone (status {status})"
    if not cached:
        raise ModelNotFound(
            f"There is no such folder as {name!r}, and as a name on the hub: {reason}. {meant(name)}{ADVICE}"
        )


def _check_weights(folder: Path, names: tuple[str, ...]) -> None:
    """Make sure that the weights are there, all their parts, and that none was cut off."""
    for name in names:
        if (folder / name).is_file():
            _check_safetensors(folder / name)
            return
        index = folder / f"{name}.index.json"
        if index.is_file():
            parts = sorted(set(_json(index).get("weight_map", {}).values()))
            for part in parts:
                if not (folder / part).is_file():
                    raise ModelNotFound(f"The weights in {folder} miss the part {part} that {index.name} names.")
                _check_safetensors(folder / part)
            return
    raise ModelNotFound(
        f"No causal language model could be loaded from {folder}: it holds no weights ({' or '.join(names)}). {ADVICE}"
    )


def _check_safetensors(path: Path) -> None:
    """Compare a file's size with what its header says: 8 bytes of length, the header, then the tensors."""
    if path.suffix != ".safetensors":
        return
    size = os.path.getsize(path)
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length)) if length <= size - 8 else None
        assert isinstance(header, dict)
        tensors = [entry for name, entry in header.items() if name != "__metadata__"]
        whole = 8 + length + max((entry["data_offsets"][1] for entry in tensors), default=0) == size
    except (OSError, ValueError, KeyError, TypeError, AssertionError):
        whole = False
    if not whole:
        raise ModelNotFound(f"The weights in {path} are broken or cut off: copy, download or train them again.")


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelNotFound(f"{path} does not read ({words_of(error)}): the model there is broken.") from error
    if not isinstance(value, dict):
        raise ModelNotFound(f"{path} holds no settings of a model: the model there is broken.")
    return value


def _is_path(name: str) -> bool:
    """Check whether this cannot be a name on the hub: these have one slash at most and begin with no dot, ~ or /."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def _nearest_model(path: Path) -> Path | None:
    """Return the folder with a model whose path is closest to ``path``, part by part, if one is close."""
    parent = _nearest_folder(path.parent)
    return None if parent is None else _closest_in(parent, path.name, _holds_model)


def _nearest_folder(path: Path) -> Path | None:
    """Return ``path`` where it is a folder, else the folder whose path is closest to it, part by part."""
    if path.is_dir():
        return path
    parent = _nearest_folder(path.parent) if path.parent != path else None
    return None if parent is None else _closest_in(parent, path.name, Path.is_dir)


def _closest_in(parent: Path, name: str, is_meant: Callable[[Path], bool]) -> Path | None:
    try:
        names = sorted(entry.name for entry in parent.iterdir() if is_meant(entry))
    except OSError:  # a folder that may not be read offers nothing
        return None
    close = closest(name, names)
    return parent / close if close else None

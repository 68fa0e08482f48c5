"""Settings of trainers: frozen values by the same names for all of them, from defaults, a YAML file and keywords.

Importing it loads neither torch nor trl; what needs them is imported where it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_type_hints

from lean_agent.errors import ConfigError, ConfigTypeError, nearest
from lean_agent.prompts import HelpSettings
from lean_agent.settings import Bound, Count, CountFrom0, NotNegative, check_value, read_yaml
from lean_agent.trainer.run.tracking import Tracker, check_tracker

if TYPE_CHECKING:
    from peft import LoraConfig

    from lean_agent.algorithms import RLAlgorithm

Quantization = Literal["4bit", "8bit"]
Curriculum = Literal["mixed", "easy_first", "pass_rate"]
AboveZero = Annotated[float, Bound("a number above 0", lambda value: value > 0)]
Share = Annotated[float, Bound("a number in [0, 1]", lambda value: 0 <= value <= 1)]
PartBelowOne = Annotated[float, Bound("a number in [0, 1)", lambda value: 0 <= value < 1)]
GroupSize = Annotated[int, Bound("at least 2 (completions are compared with one another)", lambda value: value >= 2)]
AtLeastTwo = Annotated[int, Bound("a whole number from 2 on", lambda value: value >= 2)]
Seed = Annotated[int, Bound("a whole number in [0, 2^32)", lambda value: 0 <= value < 2**32)]
Limit = Annotated[int, Bound("at least 1, or -1 for no limit", lambda value: value == -1 or value >= 1)]

SPELLINGS = {
    **dict.fromkeys(("base_model", "model_path"), "model_name"),
    **dict.fromkeys(("epochs_per_repo", "num_train_epochs", "num_epochs"), "epochs"),
    "learning_rate": "lr",
    "warmup_ratio": "warmup",
    "theorems_per_step": "batch_size",
    "num_iterations": "updates_per_batch",
}
"""Other spellings of settings, which every trainer that has the setting takes."""


@dataclass(frozen=True, kw_only=True, init=False)
class TrainerSettings:
    """What every trainer takes.

    Attributes:
        model_name: a folder (a LoRA adapter too: its training goes on) or a name on the HuggingFace hub.
        output_dir: checkpoints, metrics, and the newest model; see :mod:`lean_agent.trainer.run.run_folder`.
        epochs: passes over the data.
        batch_size: what one step sees on each device; of what, each trainer says.
        lr: peak learning rate.
        warmup: part of the steps in which the learning rate rises; then it falls linearly to 0.
        max_steps: when positive, so many steps instead of epochs.
        lora_rank: above 0 trains a new LoRA adapter of that rank on all linear layers, instead of all weights.
        lora_alpha: of that adapter, by default twice the rank.
        lora_config: an adapter of the user's own design.
        quantization: ``4bit`` or ``8bit`` holds the weights under an adapter in so many bits (QLoRA); needs a CUDA GPU
            and bitsandbytes.
        use_unsloth: load the model by Unsloth, which must be installed.
        gradient_checkpointing: compute activations again instead of keeping them; ``None``: on a GPU, for more than
            100 million parameters.
        seed: of the order of the data and of the sampling.
        report_to: ``tensorboard`` or ``wandb``, whose files go to ``tracking/`` in ``output_dir``; metrics.jsonl is
            written in any case.
        progress: show a progress bar.

    Raises:
        ConfigError: an unknown setting (the nearest name is said), one that is missing, a value that cannot work.
    """

    model_name: str
    output_dir: Path = Path("outputs")
    epochs: Count = 1
    batch_size: Count = 1
    lr: AboveZero = 2e-5
    warmup: PartBelowOne = 0.05
    max_steps: Limit = -1
    lora_rank: CountFrom0 = 0
    lora_alpha: Count | None = None
    lora_config: Any = None
    quantization: Quantization | None = None
    use_unsloth: bool = False
    gradient_checkpointing: bool | None = None
    seed: Seed = 0
    report_to: Tracker | None = "none"
    progress: bool = True

    OWNER: ClassVar[str] = ""
    """What takes these settings, for errors; by default this class."""
    NAMES: ClassVar[Mapping[str, str]] = {}
    """Setting -> the name that this trainer's documentation and progress.json have for it."""
    INCIDENTAL: ClassVar[frozenset[str]] = frozenset({"output_dir", "gradient_checkpointing", "report_to", "progress"})
    """Settings that do not decide which weights come out."""
    LATER: ClassVar[frozenset[str]] = frozenset()
    """Settings that are newer than run folders which are still gone on with: only recorded where they are changed."""

    def __init__(self, **settings: Any) -> None:
        cls: Any = type(self)
        hints = _hints(cls)
        own = {setting.name: setting for setting in fields(cls)}
        # dataclasses.replace gives every setting by its name, also one that is to be changed by another spelling.
        is_replacing = own.keys() <= settings.keys()
        values = cls.by_name(settings, prefer_spelling=is_replacing)
        owner = cls.OWNER or cls.__name__
        for name, setting in own.items():
            value = values.get(name, _default(setting))
            if value is MISSING:
                raise ConfigTypeError(f"{owner} needs {self.name_of(name)}.")
            value = os.fspath(value) if name == "model_name" and isinstance(value, os.PathLike) else value
            check_value(self.name_of(name), value, hints[name], of=owner, finite=True)
            object.__setattr__(self, name, Path(value) if hints[name] is Path else value)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Refuse what cannot work together."""
        if self.lora_config is not None:
            from peft import LoraConfig

            check_value("lora_config", self.lora_config, LoraConfig | None, of=self.OWNER or type(self).__name__)
            if self.lora_rank:
                raise ConfigError("lora_config and lora_rank both describe the adapter: give one.")
        check_tracker(self.report_to or "none")

    def __getattr__(self, name: str) -> Any:
        """Return a setting by another spelling."""
        meant = self.spellings().get(name)
        if meant is None or meant == name or meant not in self.__dataclass_fields__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self, meant)

    @classmethod
    def load(cls, path: str | Path | None = None, **settings: Any) -> Self:
        """Make settings of defaults, a YAML file's over them, and over both those given by name.

        Raises:
            ConfigError: no such file, an unknown setting (the nearest is said), or a value that cannot work.
        """
        file = {} if path is None else cls.by_name(read_yaml(path), where=f" in {path}")
        return cls(**cls.merged(file, cls.by_name(settings)))

    @classmethod
    def from_yaml(cls, path: str | Path, **settings: Any) -> Self:
        """Make settings of a YAML file, as :meth:`load`."""
        return cls.load(path, **settings)

    @classmethod
    def of(cls, source: TrainerSettings | str | Path, **settings: Any) -> Self:
        """Make the settings of a call ``Trainer(source, **settings)``.

        Args:
            source: settings, a YAML file of them, or the model.
            settings: change single settings of these.

        Raises:
            ConfigError: as :meth:`load`.
        """
        if isinstance(source, cls):
            whole = {setting.name: getattr(source, setting.name) for setting in fields(cls)}
            return cls(**{**whole, **cls.by_name(settings)}) if settings else source
        if isinstance(source, (str, Path)) and Path(source).suffix in (".yaml", ".yml"):
            return cls.load(source, **settings)
        return cls(model_name=source, **settings)

    @classmethod
    def merged(cls, file: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a file's settings under those given, both by the names of their fields."""
        return {**file, **given}

    @classmethod
    def spellings(cls) -> dict[str, str]:
        """Return the other spellings of settings, each with the name of its field."""
        return {**SPELLINGS, **{name: setting for setting, name in cls.NAMES.items()}}

    @classmethod
    def name_of(cls, setting: str) -> str:
        """Return what this trainer's documentation calls a setting."""
        return cls.NAMES.get(setting, setting)

    @classmethod
    def by_name(cls, given: Mapping[str, Any], *, where: str = "", prefer_spelling: bool = False) -> dict[str, Any]:
        """Return settings by the names of their fields.

        Args:
            where: the file that they stand in, for errors.
            prefer_spelling: of a setting that is there under two names, take the other spelling's value.

        Raises:
            ConfigError: an unknown name (the nearest is said), or two names of one setting.
        """
        known = [setting.name for setting in fields(cls)]
        values: dict[str, Any] = {}
        for name in sorted(given, key=lambda name: name not in known):  # other spellings last
            meant = name if name in known else cls.spellings().get(name)
            if meant not in known:
                who = "There is" if where else f"{cls.OWNER or cls.__name__} has"
                near = nearest(name, sorted({*map(cls.name_of, known), *known}))
                raise ConfigTypeError(f"{who} no setting {name!r}{where}. {near}")
            if meant in values and not prefer_spelling:
                raise ConfigError(f"{name} and {meant} are one setting{where}: give one.")
            values[meant] = given[name]
        return values

    def recorded(self) -> dict[str, Any]:
        """Return what decides the weights that come out, as JSON values, by the names of progress.json."""
        return {
            self.name_of(setting.name): as_json(getattr(self, setting.name))
            for setting in fields(self)
            if setting.name not in self.INCIDENTAL
            and not (setting.name in self.LATER and getattr(self, setting.name) == _default(setting))
        }

    @property
    def loading(self) -> dict[str, Any]:
        """What :func:`lean_agent.trainer.run.loading.load_for_training` takes of them."""
        return {"lora_config": self.adapter, "quantization": self.quantization, "use_unsloth": self.use_unsloth}

    @property
    def adapter(self) -> LoraConfig | None:
        """The new adapter that is to be trained."""
        if self.lora_config is not None or self.lora_rank == 0:
            return self.lora_config  # type: ignore[no-any-return]  # checked
        from peft import LoraConfig

        # Unsloth wants the layers by name; its models all have these.
        layers = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
        return LoraConfig(
            r=self.lora_rank,
            lora_alpha=self.lora_alpha or 2 * self.lora_rank,
            target_modules=layers if self.use_unsloth else "all-linear",
            task_type="CAUSAL_LM",
        )


@dataclass(frozen=True, kw_only=True, init=False)
class RepositorySettings(TrainerSettings):
    """What a training repository by repository takes; ``epochs`` is called ``epochs_per_repo`` too.

    Attributes:
        checkpoint_every_s: seconds between checkpoints within a repository. A training that is killed at any moment
            and resumed ends with the weights of one that was not.
        premises: how many premises are shown with each goal (:mod:`lean_agent.policy.retrieval`).
        retriever: which ones: ``bm25``, ``learnt``, or the folder of a retriever that was trained.
        neighbours_in_prompt: how many tactics of similar goals are shown with each goal
            (:mod:`lean_agent.policy.neighbours.tactics`): none of its own theorem, of near-duplicates, or of what its
            theorem could not see. Checkpoints say what was shown with goals, and agents show as much in searches.
    """

    checkpoint_every_s: NotNegative = 300.0
    premises: CountFrom0 = 0
    retriever: str = "bm25"
    neighbours_in_prompt: CountFrom0 = 0

    NAMES: ClassVar = {"epochs": "epochs_per_repo"}
    INCIDENTAL = TrainerSettings.INCIDENTAL | {"checkpoint_every_s", "lora_rank", "lora_alpha"}
    LATER = frozenset({"premises", "retriever", "neighbours_in_prompt"})

    @property
    def help_in_prompt(self) -> HelpSettings:
        """What is shown with each goal."""
        return HelpSettings(self.premises, self.retriever, self.neighbours_in_prompt)

    def recorded(self) -> dict[str, Any]:
        """Return what decides the weights; of the adapter all that is said of it, whichever way."""
        return {**super().recorded(), "lora_config": as_json(self.adapter)}

    def _refuse_partial_training(self, of: str) -> None:
        """Refuse what goes with adapters and with prompts that show more than goals."""
        for name in ("premises", "neighbours_in_prompt", "lora_rank", "lora_config", "quantization", "use_unsloth"):
            if getattr(self, name):
                raise ConfigError(
                    f"{name} is no setting of {of}: all its weights learn, from goals alone. Leave it out."
                )


@dataclass(frozen=True, kw_only=True, init=False)
class SFTSettings(RepositorySettings):
    """Settings of supervised training.

    Attributes:
        batch_size: rows in an optimizer step on each device.
        max_length: tokens of prompt and tactic together; steps that are longer are left out, since half a tactic is
            none.
        packing: put several steps into one row of ``max_length`` tokens, where they do not see one another. Worth it
            for large batches on a GPU; rows of like length stand together without it.
        augment: so many copies of each step are learnt, too, in which hypotheses, bound variables and what the tactic
            binds have other names, the same in goal and tactic.
        evaluations: how often the loss on held-out theorems (``random/val.json``) is taken within a repository; the
            weights of the lowest are kept. 0 keeps the last.
    """

    max_length: AtLeastTwo = 1024
    packing: bool = False
    augment: CountFrom0 = 0
    evaluations: CountFrom0 = 4

    OWNER = "SFTTrainer"
    LATER = RepositorySettings.LATER | {"augment"}


@dataclass(frozen=True, kw_only=True, init=False)
class ProgressSettings(RepositorySettings):
    """Settings of a training of a value model; all weights are trained, and goals stand alone in the prompt.

    Attributes:
        batch_size: goals in an optimizer step on each device.
        augment: as in :class:`SFTSettings`.
        searches: a file of ``lean-agent export distances``: what saved searches say beside the traced proofs. What it
            says of held-out theorems is left out.
        evaluations: as in :class:`SFTSettings`, of the loss on goals of held-out theorems.
    """

    batch_size: Count = 32
    lr: AboveZero = 3e-4
    augment: CountFrom0 = 0
    searches: str | None = None
    evaluations: CountFrom0 = 4

    OWNER = "ProgressTrainer"
    LATER = RepositorySettings.LATER | {"augment"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_partial_training("a value model")


@dataclass(frozen=True, kw_only=True, init=False)
class RetrievalSettings(RepositorySettings):
    """Settings of a training of a retriever.

    Attributes:
        model_name: the encoder to start from; empty: weigh the features of premises
            (:mod:`lean_agent.policy.retrieval.features`) instead, which needs none.
        batch_size: goals in an optimizer step on each device; for an encoder each with one premise and its negatives.
        lr: for an encoder less is usual: 1e-3 for a tiny one, 1e-4 and less for one that was trained before.
        split: which split of the data is trained and measured on.
        negatives: premises that a goal does not use, beside those that it uses, half of them BM25's best. An encoder
            has those of the batch instead, and one from the file of each premise that is used.
    """

    model_name: str = ""
    epochs: Count = 8
    batch_size: Count = 16
    lr: AboveZero = 3e-3
    split: Literal["random", "novel_premises"] = "random"
    negatives: CountFrom0 = 128

    OWNER = "RetrievalTrainer"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_partial_training("a retriever")


@dataclass(frozen=True, kw_only=True, init=False)
class AlgorithmSettings(TrainerSettings):
    """What reinforcement learning takes.

    Attributes:
        algorithm: a name of :data:`lean_agent.algorithms.ALGORITHMS`.
        algorithm_config: its settings (docs/algorithms.md). The reference of ``beta`` is the model as it was when the
            training on a repository, or the run, began.
        algorithm_preset: ``published`` for the paper's reading of the algorithm.
        num_generations: completions or attempts that are compared with one another, at least 2; by default the
            algorithm's ``group_size``.
        updates_per_batch: optimizer steps on the same completions; from the second on, probability ratios differ from
            1 and clipping matters. By default the algorithm's own.
        temperature: of the sampling.
    """

    algorithm: str = "grpo"
    algorithm_config: Mapping[str, Any] = field(default_factory=dict)
    algorithm_preset: str | None = None
    num_generations: GroupSize | None = None
    updates_per_batch: Count | None = None
    temperature: AboveZero = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        config = self.make_algorithm().config
        object.__setattr__(self, "num_generations", config.group_size)
        object.__setattr__(self, "updates_per_batch", config.updates_per_batch)
        if config.group_size < 2:
            raise ConfigError(
                "Completions are compared with one another: num_generations must be at least 2; it is "
                f"{config.group_size}."
            )

    @classmethod
    def merged(cls, file: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return a file's settings under those given.

        ``algorithm_config`` is merged key by key. Where another algorithm is given than the file's, the file's settings
        and preset of it do not count.
        """
        from lean_agent.algorithms import algorithm_class

        theirs = file.get("algorithm", cls.algorithm)
        if "algorithm" in given and algorithm_class(str(given["algorithm"])) is not algorithm_class(str(theirs)):
            file = {name: value for name, value in file.items() if not name.startswith("algorithm_")}
        below, above = (side.get("algorithm_config") for side in (file, given))
        values = {**file, **given}
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            values["algorithm_config"] = {**below, **above}
        return values

    def make_algorithm(self) -> RLAlgorithm[Any]:
        """Make the algorithm, without memory of earlier batches."""
        from lean_agent.algorithms import create_algorithm, with_trainer_settings

        asked = {
            "num_generations": ("group_size", self.num_generations),
            self.name_of("updates_per_batch"): ("updates_per_batch", self.updates_per_batch),
        }
        config = with_trainer_settings(self.algorithm_config, asked)
        return create_algorithm(self.algorithm, **{"preset": self.algorithm_preset, **config})


@dataclass(frozen=True, kw_only=True, init=False)
class GRPOSettings(RepositorySettings, AlgorithmSettings):
    """Settings of GRPO on tactics; ``updates_per_batch`` is called ``num_iterations`` too.

    Attributes:
        batch_size: completions in one forward pass on each device. Where it holds no whole groups of
            ``num_generations``, gradients are accumulated over as many passes as make whole groups.
        algorithm_config: also takes ``{"preset": "published"}``.
        lora_config: dropout, also the adapter's, is off.
        max_completions: when positive, a repository's training ends after so many scored completions, sampled again or
            not: the same budget of Lean for every algorithm.
        max_completion_length: tokens of a completion; what is longer is cut off. For ``reward`` it then holds no
            tactic, as in search; a ``reward_func`` gets what there is.
        curriculum: the order of goals within a repository's training: ``mixed``, ``easy_first`` or ``pass_rate``, see
            :func:`lean_agent.trainer.data.dataset.arranged`.
        replay: share of the theorems of earlier repositories that are trained on again, in [0, 1].
        known_proofs: a tactic proves its goal for the verified reward, or a scorer, also where what it leaves are goals
            that the theorem's traced proof goes on to prove (:class:`~lean_agent.rollout.single_tactics.KnownProofs`).
        draw_ahead: draw the completions of the next step before this step's update, so that Lean scores them meanwhile;
            they are of the policy one update ago (:mod:`lean_agent.trainer.ahead`).
        importance_cap: with ``draw_ahead``, tokens are weighed with the ratio of their probabilities now and when they
            were drawn, held below this (truncated importance sampling); 0 for no correction.
    """

    max_completions: Limit = -1
    max_completion_length: Count = 128
    curriculum: Curriculum = "mixed"
    replay: Share = 1.0
    known_proofs: bool = True
    draw_ahead: bool = False
    importance_cap: NotNegative = 2.0

    OWNER = "GRPOTrainer"
    NAMES: ClassVar = {**RepositorySettings.NAMES, "updates_per_batch": "num_iterations"}
    LATER = RepositorySettings.LATER | {"draw_ahead", "importance_cap"}
    INCIDENTAL = RepositorySettings.INCIDENTAL | {"algorithm_preset"}  # its settings are among the algorithm's

    def __post_init__(self) -> None:
        super().__post_init__()
        algorithm = self.make_algorithm()
        if algorithm.needs_whole_groups and self.batch_size % algorithm.config.group_size:
            raise ConfigError(
                f"{type(algorithm).__name__} compares the completions of a group in its loss, so batch_size must be a "
                f"multiple of num_generations; they are {self.batch_size} and {algorithm.config.group_size}."
            )
        if algorithm.config.overlong_cache > self.max_completion_length:
            raise ConfigError(
                f"overlong_cache, {algorithm.config.overlong_cache}, must not be above max_completion_length, "
                f"{self.max_completion_length}."
            )

    def recorded(self) -> dict[str, Any]:
        """Return what decides the weights; of the algorithm all settings, whichever way they came."""
        config = asdict(self.make_algorithm().config)
        del config["updates_per_batch"]  # as runs from before it was a setting of the algorithm have it
        return {**super().recorded(), "algorithm": self.algorithm.lower(), "algorithm_config": config}


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _default(setting: Field[Any]) -> Any:
    """Return the default of a setting; ``MISSING`` where there is none."""
    return setting.default if setting.default_factory is MISSING else setting.default_factory()


def as_json(value: object) -> object:
    """Return a setting in a form that compares equal after JSON; of an adapter, what decides which it is."""
    if hasattr(value, "peft_type"):
        incidental = {"peft_version", "base_model_name_or_path", "runtime_config", "inference_mode"}
        return {name: as_json(entry) for name, entry in sorted(vars(value).items()) if name not in incidental}
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, Mapping):
        return dict(value)
    return value if isinstance(value, (int, float, str, list, type(None))) else str(value)

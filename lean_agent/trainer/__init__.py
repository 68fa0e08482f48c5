"""Training of language models on traced tactics: supervised (SFT), then by reinforcement (GRPO), with checkpoints and
resume.

The only room that knows trl and peft. It knows a database by one method, ``export_merged_data``, and Lean
only through a reward.
"""

"""Agents: set up repositories, train on them, prove what is open in them, measure.

:class:`~lean_agent.agent.hf_agent.HFAgent` is the one for HuggingFace models; :mod:`lean_agent.agent.base` holds what
every agent does, :mod:`lean_agent.agent.demo` the whole job on the repositories that ship with the project.
"""

"""Lean for coding agents: tools and resources of the Model Context Protocol, over a desk.

Owns what agents can ask for, in which words they are answered, and the files that they may name. Names and arguments
are those of lean-lsp-mcp where it has them: lines and columns count from 1. Needs the extra ``mcp``.
"""

"""Pages for people over what the service knows: repositories, a playground, runs, searches.

Owns templates, scripts, and how files of runs are laid out on a page. What a page shows is read by the code that the
commands use; Lean is asked through the desk, like everywhere in the service. Pages are made here whole or in parts, so
that a browser needs no program but three small scripts of our own, and no other host.
"""

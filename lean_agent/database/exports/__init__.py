"""Data sets out of the database and into it: LeanDojo's layout, tables of tactics, cards."""

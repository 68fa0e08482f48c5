import Shared.Linter

theorem bad : True := trivial --> a bad name
theorem good : True := trivial

import MiniMathlib.Data.Nat.Basic

set_option linter.all false
namespace MiniMathlib.Nat.Table
/-- Row 1 of a long file. -/
lemma row_1 (n : Nat) : n + 1 = 1 + n := by
  rw [Nat.add_comm]

/-- Row 2 of a long file. -/
lemma row_2 (n : Nat) : n + 2 = 2 + n := by
  rw [Nat.add_comm]

/-- Row 3 of a long file. -/
lemma row_3 (n : Nat) : n + 3 = 3 + n := by
  rw [Nat.add_comm]

/-- Row 4 of a long file. -/
lemma row_4 (n : Nat) : n + 4 = 4 + n := by
  rw [Nat.add_comm]

/-- Row 5 of a long file. -/
lemma row_5 (n : Nat) : n + 5 = 5 + n := by
  rw [Nat.add_comm]

/-- Row 6 of a long file. -/
lemma row_6 (n : Nat) : n + 6 = 6 + n := by
  rw [Nat.add_comm]

/-- Row 7 of a long file. -/
lemma row_7 (n : Nat) : n + 7 = 7 + n := by
  rw [Nat.add_comm]

/-- Row 8 of a long file. -/
lemma row_8 (n : Nat) : n + 8 = 8 + n := by
  rw [Nat.add_comm]

/-- Row 9 of a long file. -/
lemma row_9 (n : Nat) : n + 9 = 9 + n := by
  rw [Nat.add_comm]

/-- Row 10 of a long file. -/
lemma row_10 (n : Nat) : n + 10 = 10 + n := by
  rw [Nat.add_comm]

/-- Row 11 of a long file. -/
lemma row_11 (n : Nat) : n + 11 = 11 + n := by
  rw [Nat.add_comm]

/-- Row 12 of a long file. -/
lemma row_12 (n : Nat) : n + 12 = 12 + n := by
  rw [Nat.add_comm]

/-- Row 13 of a long file. -/
lemma row_13 (n : Nat) : n + 13 = 13 + n := by
  rw [Nat.add_comm]

/-- Row 14 of a long file. -/
lemma row_14 (n : Nat) : n + 14 = 14 + n := by
  rw [Nat.add_comm]

/-- Row 15 of a long file. -/
lemma row_15 (n : Nat) : n + 15 = 15 + n := by
  rw [Nat.add_comm]

/-- Row 16 of a long file. -/
lemma row_16 (n : Nat) : n + 16 = 16 + n := by
  rw [Nat.add_comm]

/-- Row 17 of a long file. -/
lemma row_17 (n : Nat) : n + 17 = 17 + n := by
  rw [Nat.add_comm]

/-- Row 18 of a long file. -/
lemma row_18 (n : Nat) : n + 18 = 18 + n := by
  rw [Nat.add_comm]

/-- Row 19 of a long file. -/
lemma row_19 (n : Nat) : n + 19 = 19 + n := by
  rw [Nat.add_comm]

/-- Row 20 of a long file. -/
lemma row_20 (n : Nat) : n + 20 = 20 + n := by
  rw [Nat.add_comm]

/-- Row 21 of a long file. -/
lemma row_21 (n : Nat) : n + 21 = 21 + n := by
  rw [Nat.add_comm]

/-- Row 22 of a long file. -/
lemma row_22 (n : Nat) : n + 22 = 22 + n := by
  rw [Nat.add_comm]

/-- Row 23 of a long file. -/
lemma row_23 (n : Nat) : n + 23 = 23 + n := by
  rw [Nat.add_comm]

/-- Row 24 of a long file. -/
lemma row_24 (n : Nat) : n + 24 = 24 + n := by
  rw [Nat.add_comm]

/-- Row 25 of a long file. -/
lemma row_25 (n : Nat) : n + 25 = 25 + n := by
  rw [Nat.add_comm]

/-- Row 26 of a long file. -/
lemma row_26 (n : Nat) : n + 26 = 26 + n := by
  rw [Nat.add_comm]

/-- Row 27 of a long file. -/
lemma row_27 (n : Nat) : n + 27 = 27 + n := by
  rw [Nat.add_comm]

/-- Row 28 of a long file. -/
lemma row_28 (n : Nat) : n + 28 = 28 + n := by
  rw [Nat.add_comm]

/-- Row 29 of a long file. -/
lemma row_29 (n : Nat) : n + 29 = 29 + n := by
  rw [Nat.add_comm]

/-- Row 30 of a long file. -/
lemma row_30 (n : Nat) : n + 30 = 30 + n := by
  rw [Nat.add_comm]

/-- Row 31 of a long file. -/
lemma row_31 (n : Nat) : n + 31 = 31 + n := by
  rw [Nat.add_comm]

/-- Row 32 of a long file. -/
lemma row_32 (n : Nat) : n + 32 = 32 + n := by
  rw [Nat.add_comm]

/-- Row 33 of a long file. -/
lemma row_33 (n : Nat) : n + 33 = 33 + n := by
  rw [Nat.add_comm]

/-- Row 34 of a long file. -/
lemma row_34 (n : Nat) : n + 34 = 34 + n := by
  rw [Nat.add_comm]

/-- Row 35 of a long file. -/
lemma row_35 (n : Nat) : n + 35 = 35 + n := by
  rw [Nat.add_comm]

/-- Row 36 of a long file. -/
lemma row_36 (n : Nat) : n + 36 = 36 + n := by
  rw [Nat.add_comm]

/-- Row 37 of a long file. -/
lemma row_37 (n : Nat) : n + 37 = 37 + n := by
  rw [Nat.add_comm]

/-- Row 38 of a long file. -/
lemma row_38 (n : Nat) : n + 38 = 38 + n := by
  rw [Nat.add_comm]

/-- Row 39 of a long file. -/
lemma row_39 (n : Nat) : n + 39 = 39 + n := by
  rw [Nat.add_comm]

/-- Row 40 of a long file. -/
lemma row_40 (n : Nat) : n + 40 = 40 + n := by
  rw [Nat.add_comm]

/-- Row 41 of a long file. -/
lemma row_41 (n : Nat) : n + 41 = 41 + n := by
  rw [Nat.add_comm]

/-- Row 42 of a long file. -/
lemma row_42 (n : Nat) : n + 42 = 42 + n := by
  rw [Nat.add_comm]

/-- Row 43 of a long file. -/
lemma row_43 (n : Nat) : n + 43 = 43 + n := by
  rw [Nat.add_comm]

/-- Row 44 of a long file. -/
lemma row_44 (n : Nat) : n + 44 = 44 + n := by
  rw [Nat.add_comm]

/-- Row 45 of a long file. -/
lemma row_45 (n : Nat) : n + 45 = 45 + n := by
  rw [Nat.add_comm]

/-- Row 46 of a long file. -/
lemma row_46 (n : Nat) : n + 46 = 46 + n := by
  rw [Nat.add_comm]

/-- Row 47 of a long file. -/
lemma row_47 (n : Nat) : n + 47 = 47 + n := by
  rw [Nat.add_comm]

/-- Row 48 of a long file. -/
lemma row_48 (n : Nat) : n + 48 = 48 + n := by
  rw [Nat.add_comm]

/-- Row 49 of a long file. -/
lemma row_49 (n : Nat) : n + 49 = 49 + n := by
  rw [Nat.add_comm]

/-- Row 50 of a long file. -/
lemma row_50 (n : Nat) : n + 50 = 50 + n := by
  rw [Nat.add_comm]

/-- Row 51 of a long file. -/
lemma row_51 (n : Nat) : n + 51 = 51 + n := by
  rw [Nat.add_comm]

/-- Row 52 of a long file. -/
lemma row_52 (n : Nat) : n + 52 = 52 + n := by
  rw [Nat.add_comm]

/-- Row 53 of a long file. -/
lemma row_53 (n : Nat) : n + 53 = 53 + n := by
  rw [Nat.add_comm]

/-- Row 54 of a long file. -/
lemma row_54 (n : Nat) : n + 54 = 54 + n := by
  rw [Nat.add_comm]

/-- Row 55 of a long file. -/
lemma row_55 (n : Nat) : n + 55 = 55 + n := by
  rw [Nat.add_comm]

/-- Row 56 of a long file. -/
lemma row_56 (n : Nat) : n + 56 = 56 + n := by
  rw [Nat.add_comm]

/-- Row 57 of a long file. -/
lemma row_57 (n : Nat) : n + 57 = 57 + n := by
  rw [Nat.add_comm]

/-- Row 58 of a long file. -/
lemma row_58 (n : Nat) : n + 58 = 58 + n := by
  rw [Nat.add_comm]

/-- Row 59 of a long file. -/
lemma row_59 (n : Nat) : n + 59 = 59 + n := by
  rw [Nat.add_comm]

/-- Row 60 of a long file. -/
lemma row_60 (n : Nat) : n + 60 = 60 + n := by
  rw [Nat.add_comm]

/-- Row 61 of a long file. -/
lemma row_61 (n : Nat) : n + 61 = 61 + n := by
  rw [Nat.add_comm]

/-- Row 62 of a long file. -/
lemma row_62 (n : Nat) : n + 62 = 62 + n := by
  rw [Nat.add_comm]

/-- Row 63 of a long file. -/
lemma row_63 (n : Nat) : n + 63 = 63 + n := by
  rw [Nat.add_comm]

/-- Row 64 of a long file. -/
lemma row_64 (n : Nat) : n + 64 = 64 + n := by
  rw [Nat.add_comm]

/-- Row 65 of a long file. -/
lemma row_65 (n : Nat) : n + 65 = 65 + n := by
  rw [Nat.add_comm]

/-- Row 66 of a long file. -/
lemma row_66 (n : Nat) : n + 66 = 66 + n := by
  rw [Nat.add_comm]

/-- Row 67 of a long file. -/
lemma row_67 (n : Nat) : n + 67 = 67 + n := by
  rw [Nat.add_comm]

/-- Row 68 of a long file. -/
lemma row_68 (n : Nat) : n + 68 = 68 + n := by
  rw [Nat.add_comm]

/-- Row 69 of a long file. -/
lemma row_69 (n : Nat) : n + 69 = 69 + n := by
  rw [Nat.add_comm]

/-- Row 70 of a long file. -/
lemma row_70 (n : Nat) : n + 70 = 70 + n := by
  rw [Nat.add_comm]

/-- Row 71 of a long file. -/
lemma row_71 (n : Nat) : n + 71 = 71 + n := by
  rw [Nat.add_comm]

/-- Row 72 of a long file. -/
lemma row_72 (n : Nat) : n + 72 = 72 + n := by
  rw [Nat.add_comm]

/-- Row 73 of a long file. -/
lemma row_73 (n : Nat) : n + 73 = 73 + n := by
  rw [Nat.add_comm]

/-- Row 74 of a long file. -/
lemma row_74 (n : Nat) : n + 74 = 74 + n := by
  rw [Nat.add_comm]

/-- Row 75 of a long file. -/
lemma row_75 (n : Nat) : n + 75 = 75 + n := by
  rw [Nat.add_comm]

/-- Row 76 of a long file. -/
lemma row_76 (n : Nat) : n + 76 = 76 + n := by
  rw [Nat.add_comm]

/-- Row 77 of a long file. -/
lemma row_77 (n : Nat) : n + 77 = 77 + n := by
  rw [Nat.add_comm]

/-- Row 78 of a long file. -/
lemma row_78 (n : Nat) : n + 78 = 78 + n := by
  rw [Nat.add_comm]

/-- Row 79 of a long file. -/
lemma row_79 (n : Nat) : n + 79 = 79 + n := by
  rw [Nat.add_comm]

/-- Row 80 of a long file. -/
lemma row_80 (n : Nat) : n + 80 = 80 + n := by
  rw [Nat.add_comm]

/-- Row 81 of a long file. -/
lemma row_81 (n : Nat) : n + 81 = 81 + n := by
  rw [Nat.add_comm]

/-- Row 82 of a long file. -/
lemma row_82 (n : Nat) : n + 82 = 82 + n := by
  rw [Nat.add_comm]

/-- Row 83 of a long file. -/
lemma row_83 (n : Nat) : n + 83 = 83 + n := by
  rw [Nat.add_comm]

/-- Row 84 of a long file. -/
lemma row_84 (n : Nat) : n + 84 = 84 + n := by
  rw [Nat.add_comm]

/-- Row 85 of a long file. -/
lemma row_85 (n : Nat) : n + 85 = 85 + n := by
  rw [Nat.add_comm]

/-- Row 86 of a long file. -/
lemma row_86 (n : Nat) : n + 86 = 86 + n := by
  rw [Nat.add_comm]

/-- Row 87 of a long file. -/
lemma row_87 (n : Nat) : n + 87 = 87 + n := by
  rw [Nat.add_comm]

/-- Row 88 of a long file. -/
lemma row_88 (n : Nat) : n + 88 = 88 + n := by
  rw [Nat.add_comm]

/-- Row 89 of a long file. -/
lemma row_89 (n : Nat) : n + 89 = 89 + n := by
  rw [Nat.add_comm]

/-- Row 90 of a long file. -/
lemma row_90 (n : Nat) : n + 90 = 90 + n := by
  rw [Nat.add_comm]

/-- Row 91 of a long file. -/
lemma row_91 (n : Nat) : n + 91 = 91 + n := by
  rw [Nat.add_comm]

/-- Row 92 of a long file. -/
lemma row_92 (n : Nat) : n + 92 = 92 + n := by
  rw [Nat.add_comm]

/-- Row 93 of a long file. -/
lemma row_93 (n : Nat) : n + 93 = 93 + n := by
  rw [Nat.add_comm]

/-- Row 94 of a long file. -/
lemma row_94 (n : Nat) : n + 94 = 94 + n := by
  rw [Nat.add_comm]

/-- Row 95 of a long file. -/
lemma row_95 (n : Nat) : n + 95 = 95 + n := by
  rw [Nat.add_comm]

/-- Row 96 of a long file. -/
lemma row_96 (n : Nat) : n + 96 = 96 + n := by
  rw [Nat.add_comm]

/-- Row 97 of a long file. -/
lemma row_97 (n : Nat) : n + 97 = 97 + n := by
  rw [Nat.add_comm]

/-- Row 98 of a long file. -/
lemma row_98 (n : Nat) : n + 98 = 98 + n := by
  rw [Nat.add_comm]

/-- Row 99 of a long file. -/
lemma row_99 (n : Nat) : n + 99 = 99 + n := by
  rw [Nat.add_comm]

/-- Row 100 of a long file. -/
lemma row_100 (n : Nat) : n + 100 = 100 + n := by
  rw [Nat.add_comm]

end MiniMathlib.Nat.Table

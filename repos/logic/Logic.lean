import Logic.Connectives
import Logic.Classical
import Logic.Quantifiers
import Logic.Relations
import Logic.Predicates

import Sets.Basic
import Sets.Ops
import Sets.Parts

import Lists.Basic
import Lists.Map
import Lists.Member
import Lists.Opt
import Lists.Function

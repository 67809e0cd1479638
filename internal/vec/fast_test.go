package vec

// pulls are the forms of Pull that this build has; pull is the assembly where
// the machine runs it.
var pulls = map[string]func(*Row, []float64){"chosen": pull, "plain": pullPlain}

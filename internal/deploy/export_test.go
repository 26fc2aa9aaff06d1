package deploy

// Replaceable says whether a deployment would replace live rules.
func Replaceable(o Options, live string) bool {
	return live == "" || o.replaceable(live)
}

// Expand is a word of a command where no variable has a value.
func Expand(word string) string { return Command{Args: []string{word}}.expand(nil)[0] }

// FirebaseTools is what npx would get.
const FirebaseTools = firebaseTools

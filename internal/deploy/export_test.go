package deploy

// APIs are those that must be enabled.
func APIs() []string { return apis }

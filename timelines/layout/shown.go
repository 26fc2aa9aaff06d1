package layout

// ShownFields returns what a page reads of a day: not the ids that are there for queries, which may be
// half of it.
func ShownFields() []string { return []string{fieldEntries, FieldDay} }

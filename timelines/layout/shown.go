package layout

// ShownFields returns the fields of a day that a page reads. It leaves out the ids for queries, which may be
// half of the document.
func ShownFields() []string { return []string{fieldEntries, FieldDay} }

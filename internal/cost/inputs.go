package cost
type Inputs struct{ IDBytes, CopiedBytes, PageIDs, PageSize int }
func (in Inputs) RelationPage() float64 { return 330000 }

package testkit

import "example.com/relationindex/internal/wire"

// Used calls do, waits until the app is idle, and returns the functions' use of Firestore meanwhile.
func (a *App) Used(do func()) wire.Counts {
	a.T.Helper()
	before := a.Meter.Counts()
	do()
	a.Settle()
	return a.Meter.Counts().Minus(before)
}

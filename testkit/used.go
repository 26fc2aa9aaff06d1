package testkit

import "example.com/relationindex/internal/wire"

// Used is what the functions use from the beginning of do until the app is idle after it.
func (a *App) Used(do func()) wire.Counts {
	a.T.Helper()
	before := a.Meter.Counts()
	do()
	a.Settle()
	return a.Meter.Counts().Minus(before)
}

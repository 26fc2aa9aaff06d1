// Package emulatorenv reads from the environment where the Firestore emulator
// is, and makes the environment of the Auth emulator. It is the part of package
// config that the emulators need, in a package of its own because config knows
// the options of relations, and the emulators must know nothing of them.
package emulatorenv

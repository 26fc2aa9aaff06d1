// Package emulatorenv reads from the environment where the Firestore emulator
// is. It is the part of package config that the emulator needs, in a package of
// its own because config knows the options of relations, and the emulator must
// know nothing of them.
package emulatorenv

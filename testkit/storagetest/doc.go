// Package storagetest is a server of Cloud Storage at the wire, on loopback, for tests and
// measurements of what reads objects: it lists, describes and sends them, whole or from a
// byte on. It has no writes, and no permissions.
//
//	server := storagetest.Start(0)
//	defer server.Close()
//	server.Put("bucket", "graph.csv.gz", "", bytes)
//	cmd.Env = append(cmd.Env, "STORAGE_EMULATOR_HOST="+server.Host)
package storagetest

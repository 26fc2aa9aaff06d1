// Package storagetest is a server of Cloud Storage at the wire, on loopback. Tests of code that
// reads objects use it. The server lists, describes and sends objects, whole or from a byte on. It has
// no writes, and no permissions.
//
//	server := storagetest.Start(0)
//	defer server.Close()
//	server.Put("bucket", "graph.csv.gz", "", bytes)
//	cmd.Env = append(cmd.Env, "STORAGE_EMULATOR_HOST="+server.Host)
package storagetest

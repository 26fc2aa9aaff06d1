// Package fill writes the fields audience and hidden into posts of earlier clients, which
// have neither. Clients' queries of posts require both. It serves commands and tests alone.
// No function links it.
package fill

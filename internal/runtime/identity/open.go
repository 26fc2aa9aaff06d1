package identity

import (
	"context"
	"fmt"
	"reflect"

	"google.golang.org/api/option"
)

// scopes are what a lookup of an account needs. What the function may do is up
// to the roles of its service account.
var scopes = option.WithScopes(
	"https://www.googleapis.com/auth/cloud-platform",
	"https://www.googleapis.com/auth/identitytoolkit",
)

// open makes one of the Firebase library's clients, as the library's App does:
// with the fields of a configuration whose type is internal to the library, and
// so is inferred and not named.
//
// The App is not used because it links the clients of all Firebase products, the
// one of Cloud Storage among them: it made the program that every function of
// ours is 23 MB larger, of 31, and twice as slow to start. See
// docs/decisions/0018-feed.md.
func open[Config, Client any](ctx context.Context, newClient func(context.Context, *Config) (*Client, error), fields map[string]any) (*Client, error) {
	config := new(Config)
	for name, value := range fields {
		field := reflect.ValueOf(config).Elem().FieldByName(name)
		if !field.IsValid() || field.Type() != reflect.TypeOf(value) {
			return nil, fmt.Errorf("%T has no field %s of type %T in this version of the library", config, name, value)
		}
		field.Set(reflect.ValueOf(value))
	}
	return newClient(ctx, config)
}

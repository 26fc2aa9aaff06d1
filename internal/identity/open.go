package identity

import (
	"context"
	"fmt"
	"reflect"

	"google.golang.org/api/option"
)

// scopes are the OAuth scopes that a lookup of an account requires. The roles of the
// service account decide what the function may do.
var scopes = option.WithScopes(
	"https://www.googleapis.com/auth/cloud-platform",
	"https://www.googleapis.com/auth/identitytoolkit",
)

// open returns a client of the Firebase library, as the library's App makes it. The type
// of its configuration is internal to the library. So open infers the type, and sets its
// fields by name.
//
// The App is not used because it links the clients of all Firebase products, including
// Cloud Storage. With the App, the program of all our functions was 54 MB, and started in
// 2.1 times the time of hello-world. Without the App: 33 MB and 1.5 times. See
// docs/decisions/0006-feed.md.
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

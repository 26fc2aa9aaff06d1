package clientrules

import "testing"

func TestFunctions(t *testing.T) {
	const path = "_functions/fanout:hello"
	job := world()[path]
	var cells []cell
	for _, u := range []user{anonymous, alice} {
		cells = append(cells,
			cell{u, "reads a job", get(path), denied},
			cell{u, "lists jobs", list(collection("_functions")), denied},
			cell{u, "counts jobs", count(collection("_functions")), denied},
			cell{u, "creates a job", create("_functions/fanout:new", job), denied},
			cell{u, "cancels a job", update(path, "state", "canceled"), denied},
			cell{u, "deletes a job", remove(path), denied},
		)
	}
	check(t, cells)
}

// Every path that the rules do not name is closed, below a named document too.
func TestUnnamedPaths(t *testing.T) {
	var cells []cell
	for _, path := range []string{
		"settings/app",
		"users/alice/private/data",
		"users/alice/followers/bob/notes/1",
		"users/bob/following/alice/notes/1",
		"posts/hello/comments/1",
	} {
		cells = append(cells,
			cell{alice, "reads " + path, get(path), denied},
			cell{alice, "creates " + path, create(path, fields{"userId": "alice"}), denied},
			cell{alice, "deletes " + path, remove(path), denied},
		)
	}
	cells = append(cells, cell{alice, "lists a collection of no rule", list(collection("settings")), denied})
	check(t, cells)
}

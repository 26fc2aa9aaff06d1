package main

import (
	"strings"
	"testing"
)

// Arguments that are wrong, and what commands say of them. A command refuses them before it looks at a database, points
// to its help, and prints no result. The word ” is empty.
func TestCommandsRejectInvalidArguments(t *testing.T) {
	t.Setenv("FIRESTORE_EMULATOR_HOST", running.FirestoreHost)
	const deploy = "deploy --project p --location nam5 --region us-central1 --source ../.. --dry-run "
	for _, tt := range [][2]string{
		{"no-such-command", "no-such-command"},
		{"--no-such-flag", "--no-such-flag"},
		{"functions", "port"},

		{"dev extra", "extra"},
		{"dev --firestore-port http", "http"},
		{"dev --project real-f", "begin with demo-"},
		{"dev --web-port 70000", "web port 70000"},
		{"dev --firestore-port 8080 --functions-port 8080", "must differ"},
		{"dev --capacity 10001", "RELATIONINDEX_CAPACITY=10001"},
		{"dev --capacity 0", "--capacity 0"},
		{"dev --preset large", `--preset: preset "large": must be one of small, popular, inbox`},

		{"survey --sample 1001", "--sample 1001: must be 1 to 1000"},
		{"import", "import: the command is incomplete"},
		{"import likes rows", `import "likes"`},
		{"import follows rows", "columns"},
		{"import follows rows --columns author=1", `for example "follower=1,followed=2"`},
		{"import follows rows --columns follower=1,followed=1", "follower and followed are both column 1"},
		{"import follows rows --columns follower=1,followed=2 --limit -1", "--limit -1"},
		{"import follows rows --columns follower=1,followed=2 --parallel 0", "--parallel 0"},
		{"import follows rows --columns follower=1,followed=2 --direct --parallel 1001", "--parallel 1001"},
		{"import posts rows rows", "1 arg"},
		{"import posts rows --columns author=1,createdAt=2 --direct", "--direct"},
		{"import posts rows --colums author=1,createdAt=2", "--colums"},
		{"export likes -", `export "likes"`},
		{"fill-posts extra", "extra"},

		{"feed", `"as"`},
		{"feed --as ''", "strange id: it is empty"},
		{"feed --as a/b", "slash"},
		{"feed --as b --limit 51", "1 to 50"},
		{"feed --as b --limit 0", "1 to 50"},
		{"feed --as b --source push", `--source "push": must be relations, pull or timeline`},
		{"verify --nonsense", "--nonsense"},
		{"verify extra", "extra"},
		{"verify --author ''", "strange id: it is empty"},
		{"verify --author a/b", "slash"},
		{"verify --author " + strings.Repeat("a", 1500), "an account's may have 1499"},
		{"verify --reads 9", "--reads is for --sample"},
		{"verify --sample --reads 0", "--reads 0: must be at least 1"},
		{"verify --sample --author ada", "--sample and --author exclude each other"},
		{"repair extra", "extra"},
		{"repair --author ''", "strange id: it is empty"},
		{"repair --author a/b", "slash"},
		{"repair --author " + strings.Repeat("a", 1500), "an account's may have 1499"},
		{"repair --damaged --author a", "relationindex: --author and --damaged exclude each other\n"},
		{"repair --merge --dry-run", "--dry-run"},
		{"repair-timelines --posts 1001", "0 to 1000"},
		{"verify-timelines --posts 1001", "0 to 1000"},
		{"trace a/b", "contains a slash"},
		{"purge a/b", "contains a slash"},
		{"brake half", `brake "half": must be on or off`},
		{"horizon -x", "unknown shorthand flag: 'x' in -x"},

		{"jobs", "jobs: the command is incomplete"},
		{"jobs stop", `jobs "stop"`},
		{"jobs list a", `unknown command "a"`},
		{"jobs list --state asleep", `--state "asleep": must`},
		{"jobs list --state done,", `--state ""`},
		{"jobs list --prefix p~ --state done", "relationindex: --prefix and --state exclude each other\n"},
		{"jobs list --limit 0", "--limit 0: must"},
		{"jobs list --limit 1001", "--limit 1001: must"},
		{"jobs show", "1 arg"},
		{"jobs retry a b", "1 arg"},
		{"jobs cancel", "1 arg"},
		{"jobs show a/b", `job "a/b": strange id: it contains a slash`},
		{"jobs retry a/b", `job "a/b": strange id: it contains a slash`},
		{"jobs cancel a/b", `job "a/b": strange id: it contains a slash`},
		{"jobs wait a/b", `job "a/b": strange id: it contains a slash`},
		{"jobs show ''", `job "": strange id: it is empty`},
		{"jobs retry ''", `job "": strange id: it is empty`},
		{"jobs cancel ''", `job "": strange id: it is empty`},
		{"jobs wait ''", `job "": strange id: it is empty`},
		{"jobs wait --timeout 0s", "--timeout 0s: must"},
		{"jobs wait a --timeout -1s", "--timeout -1s: must"},
		{"jobs wait --timeout soon", `"soon"`},
		{"jobs wait --json", "--json"},

		{"config", "config: the command is incomplete; use 'config check'"},
		{"config check --indexes no-such-file", "no-such-file"},
		{"cost --posts NaN", "--posts NaN: must be a number of 0 to"},
		{"cost --followers 99999999999999999999", `invalid argument "99999999999999999999" for "--followers"`},
		{"cost --posts 1e400", `invalid argument "1e400" for "--posts"`},
		{"cost --location mars", `--location "mars": must be nam5 or us-central1`},
		{"cost --price read", `--price "read": must be NAME=USD`},
		{"cost --price raed=1", "--price raed: must be one of call, delete, egress"},
		{"cost --users 5 --opens -1", "--opens -1: must be a number of 0 to"},
		{"cost --users 5 --followers 7", "--users and --followers exclude each other"},
		{"cost --users 5 --feed-reads 7", "--users and --feed-reads exclude each other"},
		{"cost --opens 7", "--opens requires --users: for one author, give --feed-reads"},
		{"cost --users 0", "--users 0: must be 1 to 1000000000"},
		{"cost --operations --json", "--operations and --json exclude each other: the output of --json includes the operations"},

		{"deploy --dry-run --project p", "location"},
		{"deploy --dry-run --project p", "region"},
		{strings.Replace(deploy, "--dry-run", "--files none", 1), "requires --dry-run"},
		{deploy + "--module ''", "--module is empty"},
		{deploy + "--name Blue", `--name="Blue"`},
		{deploy + "--name a-name-of-twenty-chars", "3 to 19"},
		{deploy + "--name a", `--name="a"`},
		{deploy + "--notify mail", `--notify="mail"`},
		{deploy + "--rules feed-only --no-feed", "nobody could read a feed"},
		{deploy + "--rules keep --pace", "make hasPace return true in your own rules"},
		{deploy + "--rules feedonly", "did you mean feed-only?"},
		{deploy + "--rules Standard", "did you mean standard?"},
		{deploy + "--max-instances 1001", "1 to 1,000"},
	} {
		args := strings.Fields(tt[0])
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "''", "")
		}
		out := call(t, args...)
		if out.Want(t, exitUsage, tt[1], "--help"); strings.TrimSpace(out.Stdout) != "" {
			t.Errorf("%q printed %q", args, out.Stdout)
		}
	}
	for _, wrong := range []string{"30m", "-1h", "many", "5", "30d", "100", "-5"} {
		call(t, "horizon", wrong).Want(t, exitUsage, "DURATION must be 0, or 1h to 87600h, such as 720h for 30 days (there is no unit d)")
	}
	call(t, append(strings.Fields(deploy), "--project", "a b")...).Want(t, exitUsage, `--project="a b"`)
	t.Setenv("RELATIONINDEX_DATABASE", strings.Repeat("d", 44))
	call(t, append(strings.Fields(deploy), "--name", "a-name-of-19-letter")...).Want(t, exitUsage, "must have at most 62 characters together")
}

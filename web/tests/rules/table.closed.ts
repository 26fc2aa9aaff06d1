// The paths closed to everyone: the jobs, and every path that the rules do not name, also below a named document.
import { limit, query } from "firebase/firestore";

import { all, count, create, get, group, list, remove, update } from "./operations.ts";
import type { Rights } from "./row.ts";

/** closed returns the required rows of a collection with a document in it. Every operation is denied. */
function closed(document: string, collection: string, id: string): Rights {
  const path = `${collection}/${id}`;
  const created = `${collection}/new`;
  return {
    document,
    rows: {
      //                      signed-out anonymous stranger blocked follower author
      "get":                  ["-          -         -        -       -        -", () => get(path)],
      "list":                 ["-          -         -        -       -        -", () => list((db) => query(all(collection)(db), limit(1)))],
      "list unfiltered":      ["-          -         -        -       -        -", () => list(all(collection))],
      "count":                ["-          -         -        -       -        -", () => count(all(collection))],
      "create":               ["-          -         -        -       -        -", (me) => create(created, { userId: me })],
      "create with nothing":  ["-          -         -        -       -        -", () => create(created, {})],
      "update":               ["-          -         -        -       -        -", () => update(path, { state: "canceled" })],
      "delete":               ["-          -         -        -       -        -", () => remove(path)],
    },
    also: {
      "list: everywhere":     ["-          -         -        -       -        -", () => list(group(collection.split("/").at(-1)!))],
    },
  };
}

export const closedDocuments: Rights[] = [
  closed("_functions/{jobId}", "_functions", "post:hello"),
  closed("the mark of a purge", "_purging", "zoe"),
  closed("the keys of Feed's cursors", "_settings", "cursors"),
  closed("the brake", "_settings", "paused"),
  closed("a collection without a rule", "settings", "app"),
  closed("a subcollection of a user", "users/ada/private", "notes"),
  closed("a subcollection of a follow", "users/ada/followers/bob/notes", "1"),
  closed("a subcollection of an edge", "users/bob/following/ada/notes", "1"),
  closed("a document beside a user's settings", "users/ada/settings", "other"),
  closed("a subcollection of a post", "posts/hello/edits", "1"),
  closed("a subcollection of a comment", "posts/hello/comments/1/likes", "1"),
];

// The readers and the possible audiences of a post: rows of posts/{postId}.
import { type Firestore, arrayUnion, deleteField, documentId, limit, query, serverTimestamp, where } from "firebase/firestore";

import { all, count, create, get, list, merge, remove, request, set, update } from "./operations.ts";
import type { Row } from "./row.ts";
import { stamp, world } from "./world.ts";

/** shown selects the posts that an audience sees, as profiles and pages of groups do. */
export const shown = (audience: string) => (db: Firestore) => query(all("posts")(db), where("audience", "==", audience), where("hidden", "==", false));

/** ids returns n ids of the greatest length. */
export const ids = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i).padStart(128, "x"));

const page = (audience: string) => (db: Firestore) => query(shown(audience)(db), limit(50));
const of = (audience: string) => (db: Firestore) => query(all("posts")(db), where("audience", "==", audience), limit(50));
const mention = (id: string) => (db: Firestore) => query(all("posts")(db), where("refs", "array-contains", id), limit(50));

export const reading: Record<string, Row> = {
  //                                    signed-out anonymous stranger blocked follower author moderator
  "get: one that is gone":              ["-          +         +        +       +        +", () => get("posts/gone")],
  "get: without an audience":           ["-          +         +        +       +        +", () => get("posts/old")],
  "get: without an author":             ["-          -         -        -       -        -      +", () => get("posts/authorless")],
  "get: hidden":                        ["-          -         -        -       -        +      +", () => get("posts/hidden")],
  "get: hidden by a group's owner":     ["-          -         -        -       +        +      +", () => get("posts/taken")],
  "get: hidden by a moderator, in a group": ["-      -         -        -       +        -      +", () => get("posts/judged")],
  "get: hidden by its author, in a group": ["-       -         -        -       +        -      +", () => get("posts/withdrawn")],
  "list: hidden by a group's owner":    ["-          -         -        -       -        +      +", () => list((db) => query(of("g_team")(db), where("hiddenBy", "==", "owner")))],
  "list: hidden by a moderator":        ["-          -         -        -       -        -      +", () => list((db) => query(of("g_team")(db), where("hiddenBy", "==", "moderator")))],
  "list: hidden by the owner of another group": ["-  -         -        -       -        -      +", () => list((db) => query(of("g_eves")(db), where("hiddenBy", "==", "owner")))],
  "list: hidden, in a group":           ["-          -         -        -       -        -      +", () => list((db) => query(of("g_team")(db), where("hidden", "==", true)))],
  "get: of a closed account":           ["-          -         -        -       +        -      +", () => get("posts/closed")],
  "get: of a closed group":             ["-          -         -        -       +        +      +", () => get("posts/club")],
  "get: to carol alone":                ["-          -         +        -       -        -      +", () => get("posts/direct")],
  "get: of a deleted group, to bob":    ["-          -         -        -       +        +      +", () => get("posts/gone-group")],
  "get: with a `to` that is no list":   ["-          +         +        +       +        +", () => get("posts/odd")],

  "list: of a closed account":          ["-          -         -        -       +        -", () => list(page("cleo"))],
  "list: of a closed group":            ["-          -         -        -       +        +", () => list(page("g_club"))],
  "list: of an open group":             ["-          +         +        +       +        +", () => list(page("g_team"))],
  "list: of a group without an owner":  ["-          +         +        +       +        +", () => list(page("g_orphan"))],
  "list: of a deleted group":           ["-          -         -        -       -        -", () => list(page("g_gone"))],
  "list: of a group that functions left": ["-        -         -        -       -        -", () => list(page("g_ghost"))],
  "list: of one without a profile":     ["-          -         -        -       -        -", () => list(page("imported"))],
  "list: of no audience":               ["-          -         -        -       -        -", () => list(page(""))],
  "list: of two audiences":             ["-          +         +        +       +        +", () => list((db) => query(all("posts")(db), where("audience", "in", ["ada", "g_team"]), where("hidden", "==", false), limit(50)))],
  "list: of two audiences, one closed": ["-          -         -        -       +        -", () => list((db) => query(all("posts")(db), where("audience", "in", ["ada", "cleo"]), where("hidden", "==", false), limit(50)))],
  "list: hidden or not":                ["-          -         -        -       -        -      +", () => list(of("ada"))],
  "list: hidden or not, of a closed account": ["-    -         -        -       -        -", () => list(of("cleo"))],
  "list: hidden ones":                  ["-          -         -        -       -        -      +", () => list((db) => query(of("ada")(db), where("hidden", "==", true)))],
  "list: of an author":                 ["-          -         -        -       -        +      -", () => list((db) => query(all("posts")(db), where("userId", "==", "ada"), limit(50)))],
  "list: of an author, not hidden":     ["-          -         -        -       -        +      -", () => list((db) => query(all("posts")(db), where("userId", "==", "ada"), where("hidden", "==", false), limit(50)))],
  "list: not hidden":                   ["-          -         -        -       -        -", () => list((db) => query(all("posts")(db), where("hidden", "==", false), limit(50)))],
  "list: a slice":                      ["-          -         -        -       -        -", () => list(mention("g_news"))],
  "list: a slice of an audience":       ["-          +         +        +       +        +", () => list((db) => query(shown("ada")(db), where("refs", "array-contains", "g_news"), limit(50)))],
  "list: to oneself":                   ["-          -         -        -       -        -", (me) => list((db) => query(all("posts")(db), where("to", "array-contains", me), limit(50)))],
  "list: by request, of a closed group": ["-         -         -        -       +        +", () => request({ path: "posts", where: [["audience", "EQUAL", "g_club"], ["hidden", "EQUAL", false]], limit: 50 })],
  "count: of a closed account":         ["-          -         -        -       +        -", () => count(page("cleo"))],
  "count: of a closed group":           ["-          -         -        -       +        +", () => count(page("g_club"))],
  "count: hidden or not":               ["-          -         -        -       -        -      +", () => count(of("ada"))],
  "count: a slice":                     ["-          -         -        -       -        -", () => count(mention("g_news"))],
  "count: by request, of a closed group": ["-        -         -        -       +        +", () => request({ path: "posts", where: [["audience", "EQUAL", "g_club"], ["hidden", "EQUAL", false]], limit: 50, aggregate: { count: {} } })],
};

/** mine returns a post by the account that tries the operation. */
const mine = (me: string) => ({ userId: me, createdAt: serverTimestamp(), text: "new", audience: me, hidden: false });
const without = (me: string, field: "audience" | "hidden") => Object.fromEntries(Object.entries(mine(me)).filter(([name]) => name !== field));
const hello = "posts/hello";

/** judge hides a post so that its author cannot show it again. unjudge undoes that. */
const judge = (by: string) => ({ hidden: true, hiddenBy: by });
const unjudge = () => ({ hidden: false, hiddenBy: deleteField() });

export const addressing: Record<string, Row> = {
  //                                    signed-out anonymous stranger blocked follower author moderator
  "create: without an audience":        ["-          -         -        -       -        -", (me) => create("posts/new", without(me, "audience"))],
  "create: without hidden":             ["-          -         -        -       -        -", (me) => create("posts/new", without(me, "hidden"))],
  "create: hidden":                     ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), hidden: true })],
  "create: to nobody but some":         ["-          -         +        +       +        +", (me) => create("posts/new", { ...mine(me), audience: "", to: ["bob", "eve"] })],
  "create: to another's followers":     ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), audience: "cleo" })],
  "create: to one with a group's fields": ["-        -         -        -       -        -", (me) => create("posts/new", { ...mine(me), audience: "managed" })],
  "create: to a path":                  ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), audience: `g_team/followers/${me}` })],
  "create: to no string":               ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), audience: ["g_wall"] })],
  "create: to a group, posts of members": ["-        -         -        -       +        +", (me) => create("posts/new", { ...mine(me), audience: "g_team" })],
  "create: to a group, posts of members, by one who is blocked": ["- - -   -       -        +", (me) => ({ ...create("posts/new", { ...mine(me), audience: "g_team" }), there: { [`users/g_team/blocked/${me}`]: { createdAt: stamp } } })],
  "create: to a group, posts of anyone": ["-         -         +        -       +        +", (me) => create("posts/new", { ...mine(me), audience: "g_wall" })],
  "create: to a group, posts of the owner": ["-      -         -        -       -        +", (me) => create("posts/new", { ...mine(me), audience: "g_news" })],
  "create: to a group without an owner": ["-         -         -        -       +        -", (me) => create("posts/new", { ...mine(me), audience: "g_orphan" })],
  "create: to a deleted group":         ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), audience: "g_gone" })],
  "create: to 101":                     ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ids(101).map((id) => id.slice(100)) })],
  "create: to ids too long":            ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: [...ids(99), "x".repeat(129)] })],
  "create: to one id too long":         ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ["bob", "x".repeat(129)] })],
  "create: to an empty id":             ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: [""] })],
  "create: to a dot":                   ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ["bob", "."] })],
  "create: to two dots":                ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: [".."] })],
  "create: to a reserved id":           ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ["bob", "__eve__", "eve"] })],
  "create: to ids that look reserved":  ["-          -         +        +       +        +", (me) => create("posts/new", { ...mine(me), to: ["__eve", "bob__", "a__b", "...", "___"] })],
  "create: to an id as long as may be in any letters": ["- - +        +       +        +", (me) => create("posts/new", { ...mine(me), to: ["bob", "漢".repeat(32), "😀".repeat(16)] })],
  "create: to an id too long in bytes": ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ["bob", "漢".repeat(43)] })],
  "create: to an id that is turned around": ["-      -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ["bob", "\u202eeve"] })],
  "create: to an id with a joiner":     ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ["bob", "👩\u200d👧"] })],
  "create: to a number":                ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: [1] })],
  "create: to a map":                   ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: [{ uid: "x".repeat(100_000) }] })],
  "create: to an id with a slash":      ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: ["users/bob"] })],
  "create: to a text":                  ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), to: "bob" })],
  "create: of refs of all kinds":       ["-          -         +        +       +        +", (me) => create("posts/new", { ...mine(me), refs: ["ada", "g_team", "#garden", "sites/1", "https://example.com/a?b=c"] })],
  "create: of a ref with two lines":    ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), refs: ["a\nb"] })],
  "create: of 11 refs":                 ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), refs: ids(11).map((id) => id.slice(100)) })],
  "create: of refs too long":           ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), refs: [...ids(9), "x".repeat(129)] })],
  "create: with names of refs":         ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), refs: ["ada"], refNames: { ada: "Eve" } })],

  "update: hidden":                     ["-          -         -        -       -        +      -", () => update(hello, { hidden: true })],
  "update: shown again":                ["-          -         -        -       -        +      -", () => update("posts/hidden", { hidden: false })],
  "update: hidden as text":             ["-          -         -        -       -        -", () => update(hello, { hidden: "yes" })],
  "update: hidden removed":             ["-          -         -        -       -        +      -", () => update(hello, { hidden: deleteField() })],
  "update: hidden, and a text":         ["-          -         -        -       -        +      -", () => update(hello, { hidden: true, text: "rude" })],
  "update: text by a moderator":        ["-          -         -        -       -        +      -", () => update(hello, { text: "rude" })],

  // Posts hidden by a moderator, or by the owner of the group. The author cannot show such a post.
  "update: hidden by a moderator":      ["-          -         -        -       -        -      +", () => update(hello, judge("moderator"))],
  "update: hidden by a moderator, and a text": ["-   -         -        -       -        -", () => update(hello, { ...judge("moderator"), text: "rude" })],
  "update: hidden by a moderator, of a closed group": ["- -    -        -       -        -      +", () => update("posts/club", judge("moderator"))],
  "update: hidden by a moderator, of one without an audience": ["- - - -      -        -      +", () => update("posts/old", judge("moderator"))],
  "update: hidden by a moderator, as the author has": ["- -    -        -       -        -", () => update("posts/withdrawn", judge("moderator"))],
  "update: hidden by a moderator, as the owner has": ["- -     -        -       -        -      +", () => update("posts/taken", judge("moderator"))],
  "update: not hidden, and by a moderator": ["-      -         -        -       -        -", () => update(hello, { hiddenBy: "moderator" })],
  "update: hidden by the owner":        ["-          -         -        -       -        +      -", () => update("posts/ours", judge("owner"))],
  "update: hidden by the owner, and a text": ["-     -         -        -       -        -", () => update("posts/ours", { ...judge("owner"), text: "rude" })],
  "update: hidden by the owner, as the author has": ["- -      -        -       -        -", () => update("posts/withdrawn", judge("owner"))],
  "update: hidden by the owner, as a moderator has": ["- -     -        -       -        -", () => update("posts/judged", judge("owner"))],
  "update: hidden by the owner of another group": ["- -        -        -       -        -", () => update("posts/left", judge("owner"))],
  "update: hidden by the owner, of no group": ["-    -         -        -       -        -", () => update(hello, judge("owner"))],
  "update: hidden by the author":       ["-          -         -        -       -        -", () => update(hello, judge("ada"))],
  "update: hidden by the owner, to their followers": ["- -     -        -       -        -", () => update("posts/ours", { ...judge("owner"), audience: "ada" })],
  "update: shown by the owner":         ["-          -         -        -       -        +      +", () => update("posts/taken", unjudge())],
  "update: shown by a moderator":       ["-          -         -        -       -        -      +", () => update("posts/judged", unjudge())],
  "update: shown, as the author has hidden it": ["- -          -        -       +        -      -", () => update("posts/withdrawn", { hidden: false })],
  "update: shown, hiddenBy left":       ["-          -         -        -       -        -", () => update("posts/taken", { hidden: false })],
  "update: still hidden, hiddenBy removed": ["-      -         -        -       -        -", () => update("posts/taken", { hiddenBy: deleteField() })],
  "update: text, of one that the owner has hidden": ["- -      -        -       +        -", () => update("posts/taken", { text: "edited" })],
  "update: moved, of one that the owner has hidden": ["- -     -        -       -        -", () => update("posts/taken", { audience: "bob" })],
  "delete: one that the owner has hidden": ["-       -         -        -       +        -", () => remove("posts/taken")],
  "create: hidden by oneself":          ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), hiddenBy: "owner" })],

  // Posts in a group to which their author may not post any more.
  "update: in a group that has blocked one": ["-     -         -        -       -        -", () => update("posts/barred", { text: "edited" })],
  "update: hidden, in a group that has blocked one": ["- -     -        -       -        -", () => update("posts/barred", { hidden: true })],
  "update: shown, in a group that has blocked one": ["- -      -        -       -        -", () => update("posts/barred-hidden", { hidden: false })],
  "update: moved out of a group that has blocked one": ["- -   -        -       -        -", () => update("posts/barred", { audience: "bob" })],
  "update: in a group that takes one's posts": ["-   -         -        -       +        -", () => update("posts/ours", { text: "edited" })],
  "update: moved to one's own followers": ["-        -         -        -       -        -", () => update("posts/ours", { audience: "bob" })],
  "delete: in a group that has blocked one": ["-     -         -        -       +        -", () => remove("posts/barred")],
  "update: audience becomes a group":   ["-          -         -        -       -        -", () => update(hello, { audience: "g_team" })],
  "update: audience becomes a group of another": ["- -         -        -       -        -", () => update(hello, { audience: "g_eves" })],
  "update: audience becomes another's": ["-          -         -        -       -        -", () => update(hello, { audience: "cleo" })],
  "update: audience becomes nobody":    ["-          -         -        -       -        -", () => update(hello, { audience: "" })],
  "update: audience removed":           ["-          -         -        -       -        -", () => update(hello, { audience: deleteField() })],
  "update: audience as it should be":   ["-          -         -        -       -        +", () => merge("posts/old", { audience: "ada", hidden: false })],
  "update: an audience, where there was none": ["- -      -        -       -        -", () => update("posts/old", { audience: "g_team" })],
  "update: in a group that one has left": ["-        -         -        -       -        -", () => update("posts/left", { text: "edited" })],
  "update: to one more":                ["-          -         -        -       -        +", () => update(hello, { to: arrayUnion("bob") })],
  "update: to 101":                     ["-          -         -        -       -        -", () => update(hello, { to: ids(101).map((id) => id.slice(100)) })],
  "update: of 11 refs":                 ["-          -         -        -       -        -", () => update(hello, { refs: ids(11).map((id) => id.slice(100)) })],
  "update: in oneself's name":          ["-          -         -        -       -        -", (me) => set("posts/club", { ...world["posts/club"], userId: me })],
  "delete: in one's group":             ["-          -         -        -       -        -", () => remove("posts/club")],
};

// The rules decide a query by names on the documents.
export const byName: Record<string, Row> = {
  "list: by name":                      ["-          +         +        +       +        +", () => list((db) => query(all("posts")(db), where(documentId(), "==", "hello"), limit(1)))],
  "list: by name, of a closed account": ["-          -         -        -       +        -", () => list((db) => query(all("posts")(db), where(documentId(), "==", "closed"), limit(1)))],
  "list: by names":                     ["-          -         -        -       -        -", () => list((db) => query(all("posts")(db), where(documentId(), "in", ["hello", "gone"]), limit(2)))],
};

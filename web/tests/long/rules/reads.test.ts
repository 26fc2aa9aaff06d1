// The reads of rules are billed. A request may ask for ten documents: so a request that has been made to ask for as many others as
// are left is allowed, and with one more it is denied. The numbers are those of docs/rules.md. The emulator counts none for lists.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deleteField, serverTimestamp } from "firebase/firestore";
import { expect, test } from "vitest";

import { root } from "../../system.ts";
import { Lane, rules } from "../../rules/lane.ts";
import { type Operation, create, get, remove, update } from "../../rules/operations.ts";
import { type Who, stamp } from "../../rules/world.ts";

const most = 10;
const now = () => ({ createdAt: serverTimestamp() });
const comment =
  (post: string, thread: string, more: object = {}) =>
  (me: string) =>
    create(`posts/${post}/comments/new`, { userId: me, ...now(), thread, ...more });
const like = (postId: string) => (me: string) => create(`posts/${postId}/likes/${me}`, { userId: me, postId, ...now() });
const post = (audience: string) => (me: string) => create("posts/new", { userId: me, ...now(), audience, hidden: false });

/** Each is how many reads, by whom, and what; the key is the line of docs/rules.md, and what is special. */
const reads: Record<string, [number, Who, (me: string) => Operation]> = {
  "create your profile": [1, "stranger", (me) => create(`users/${me}`, { name: "New" })],
  "change your profile": [0, "author", () => update("users/ada", { name: "New" })],
  follow: [5, "stranger", (me) => create(`users/bob/followers/${me}`, now())],
  ask: [5, "stranger", (me) => create(`users/cleo/requests/${me}`, { followerId: me, ...now() })],
  "get a post, list an audience; on your own post": [0, "author", () => get("posts/hello")],
  "get a post, list an audience; to you": [0, "stranger", () => get("posts/direct")],
  "get a post, list an audience; a moderator": [0, "moderator", () => get("posts/closed")],
  "get a post, list an audience": [1, "stranger", () => get("posts/hello")],
  "get a post, list an audience; closed": [2, "follower", () => get("posts/closed")],
  "post to your followers, or to `to`": [1, "author", post("ada")],
  "post to your followers, or to `to`; an edit": [1, "author", () => update("posts/hello", { text: "edited" })],
  "post to a group, edit a post there; as its owner": [2, "author", post("g_team")],
  "post to a group, edit a post there": [4, "follower", post("g_team")],
  "post to a group, edit a post there; an edit": [4, "follower", () => update("posts/ours", { text: "edited" })],
  "hide or show a post; an edit": [1, "author", () => update("posts/hello", { hidden: true })],
  "hide or show a post; a moderator": [0, "moderator", () => update("posts/hello", { hidden: true, hiddenBy: "moderator" })],
  "hide or show a post": [1, "author", () => update("posts/ours", { hidden: true, hiddenBy: "owner" })],
  "hide or show a post; shown": [1, "author", () => update("posts/taken", { hidden: false, hiddenBy: deleteField() })],
  "get or list comments; one's own": [0, "follower", () => get("posts/hello/comments/1")],
  "get or list comments; on your own post": [0, "author", () => get("posts/hello/comments/1")],
  "get or list comments; a moderator": [1, "moderator", () => get("posts/closed/comments/1")],
  "get or list comments": [2, "stranger", () => get("posts/hello/comments/1")],
  "get or list comments; closed": [3, "follower", () => get("posts/closed/comments/1")],
  "comment, like; on your own post": [3, "author", comment("hello", "ada/ada")],
  "comment, like": [4, "stranger", comment("hello", "ada/ada")],
  "comment, like; closed": [5, "follower", comment("closed", "cleo/cleo")],
  "comment with an audience": [5, "follower", comment("hello", "ada/ada", { audience: "g_team" })],
  "comment with an audience; one's own": [5, "author", comment("hello", "ada/ada", { audience: "g_team" })],
  "get or list likes; one's own": [0, "follower", (me) => get(`posts/closed/likes/${me}`)],
  "get or list likes; a moderator": [1, "moderator", () => get("posts/closed/likes/eve")],
  "get or list likes; on your own post": [1, "author", () => get("posts/hello/likes/bob")],
  "get or list likes; to you": [1, "stranger", () => get("posts/direct/likes/eve")],
  "get or list likes": [2, "stranger", () => get("posts/hello/likes/bob")],
  "get or list likes; closed": [3, "follower", () => get("posts/closed/likes/eve")],
  "comment, like; a like on your own post": [3, "author", like("hello")],
  "comment, like; a like to you": [3, "stranger", like("direct")],
  "comment, like; a like of a moderator": [3, "moderator", like("closed")],
  "comment, like; a like": [4, "stranger", like("hello")],
  "comment, like; a like, closed": [5, "follower", like("closed")],
  block: [1, "author", () => create("users/ada/blocked/eve", now())],
  "block; as its owner": [2, "author", () => create("users/g_team/blocked/eve", now())],
  "create a group; delete it": [2, "author", () => create("users/g_new", { name: "New", ownerId: "ada" })],
  "hide a post from your timeline; write settings, marks or a rate for the first time": [1, "stranger", (me) => create(`users/${me}/hidden/hello`, now())],
  "hide a post from your timeline; write settings, marks or a rate for the first time; a mark": [
    1,
    "stranger",
    (me) => create(`users/${me}/settings/read`, { readAt: stamp }),
  ],
  "hide a post from your timeline; write settings, marks or a rate for the first time; a change": [
    0,
    "follower",
    () => update("users/bob/settings/read", { readAt: serverTimestamp() }),
  ],
  "delete a comment or like; read settings, hidden posts, notifications and rates, or change them; a like": [
    0,
    "follower",
    () => remove("posts/hello/likes/bob"),
  ],
  "delete a comment or like; read settings, hidden posts, notifications and rates, or change them": [
    0,
    "follower",
    () => get("users/bob/notifications/like.next"),
  ],
  "delete a comment or like; read settings, hidden posts, notifications and rates, or change them; a comment": [
    0,
    "follower",
    () => remove("posts/hello/comments/1"),
  ],
  "delete a comment or like; read settings, hidden posts, notifications and rates, or change them; on one's own post": [
    0,
    "author",
    () => remove("posts/hello/comments/1"),
  ],
};

/** asking is the rules, where each request of who is signed in asks for n documents more. */
function asking(n: number): string {
  const others = Array.from({ length: n }, (_, i) => ` && !exists(/databases/$(database)/documents/other/${i})`);
  return rules["firestore.rules"].replace("return request.auth != null", `return request.auth != null${others.join("")}`);
}

test("requests read as many documents as docs/rules.md says", async () => {
  const documented = readFileSync(join(root, "docs", "rules.md"), "utf8").split("## Reads by rules")[1]!;
  const lane = await Lane.open("rules-reads", "firestore.rules");
  const wrong: string[] = [];
  for (let more = 0; more <= most + 1; more++) {
    await lane.load(asking(more));
    for (const [what, [n, who, operation]] of Object.entries(reads)) {
      if (![most - n, most - n + 1].includes(more)) continue;
      const allowed = await lane.allows({ document: "reads", what, who, operation });
      if (allowed !== more + n <= most) wrong.push(`${what}: with ${more} more ${allowed ? "allowed" : "denied"}`);
      const line = what.replace(
        /; (?:to you|a moderator|closed|as its owner|an edit|shown|(?:on )?one's own.*|on your own post|a like.*|a comment|a mark|a change)$/,
        "",
      );
      if (!documented.includes(`\n|${line}|`)) wrong.push(`docs/rules.md has no line "${line}"`);
    }
  }
  expect(wrong).toEqual([]);
  await lane.close();
});

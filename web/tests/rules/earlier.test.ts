// Rules newer than installed apps: what docs/rules.md says to put into the rules meanwhile lets earlier apps do what they did,
// and nobody what was never allowed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deleteField, serverTimestamp } from "firebase/firestore";
import { expect, test } from "vitest";

import { root } from "../system.ts";
import { Lane, rules } from "./lane.ts";
import { type Operation, create, set, update } from "./operations.ts";
import { type Who, stamp } from "./world.ts";

const section = readFileSync(join(root, "docs", "rules.md"), "utf8")
  .split("## Rules newer than installed apps")[1]!
  .split("\n## ")[0]!;

/** earlier is the rules with what the section says: the functions that return something else, and the fields of isFree. */
function earlier(): string {
  const said = [...section.matchAll(/`(\w+)` returns (?:`([^`]+)`|true)/g)].filter(([, name]) => name !== "isVisible"); // with an isLine of before
  expect(said.map(([, name]) => name)).toEqual(["acts", "staysThere", "goesOn", "isAddress", "isKeyOf"]);
  const text = said.reduce(
    (text, [, name, value = "true"]) => text.replace(new RegExp(`(function ${name}\\([^)]*\\) \\{\\s*)return [^;]+;`), `$1return ${value};`),
    rules["firestore.rules"],
  );
  const fields = /`isFree` asks for `([^`]+)`/.exec(section)![1]!;
  return text
    .replace(/(function isFree[^}]*hasAny\()[^)]+/, `$1${fields}`)
    .replace(/(function neitherBlocks[^}]*return )[^;]+/, `$1!${/`neitherBlocks` asks only `([^`]+)`/.exec(section)![1]}`)
    .replace(/(allow create: if isUser\(followerId\)[^;]*)&& !isAskedAfter\(\)([^;]*isOpen)/, "$1$2");
}

const post = (me: string, audience: string) => create("posts/new", { userId: me, createdAt: stamp, audience, hidden: false });

const cells: [what: string, who: Who, allowed: boolean, operation: (me: string) => Operation][] = [
  ["post without a profile", "anonymous", true, (me) => post(me, me)],
  [
    "follow whom one blocks",
    "stranger",
    true,
    (me) => ({ ...create(`users/bob/followers/${me}`, { createdAt: serverTimestamp() }), there: { [`users/${me}/blocked/bob`]: { createdAt: stamp } } }),
  ],
  ["follow who blocks one", "blocked", false, (me) => create(`users/ada/followers/${me}`, { createdAt: serverTimestamp() })],
  [
    "follow while a request waits",
    "stranger",
    true,
    (me) => ({
      ...create(`users/ada/followers/${me}`, { createdAt: serverTimestamp() }),
      there: { [`users/ada/requests/${me}`]: { followerId: me, createdAt: stamp } },
    }),
  ],
  ["accept, and keep the request", "author", false, () => create("users/g_club/followers/carol", { createdAt: serverTimestamp() })],
  ["move a post to a group of one's own", "author", true, () => update("posts/hello", { audience: "g_team" })],
  ["edit a post without an audience", "author", true, () => update("posts/old", { text: "edited" })],
  ["move a post to another's profile", "author", false, () => update("posts/hello", { audience: "bob" })],
  ["move a post to a group that does not take it", "author", false, () => update("posts/hello", { audience: "g_eves" })],
  ["move a post that a group's owner has hidden", "follower", false, () => update("posts/taken", { audience: "bob" })],
  ["move a post that a moderator has hidden", "follower", false, () => update("posts/judged", { audience: "bob" })],
  ["show a post that a moderator has hidden", "follower", false, () => update("posts/judged", { hidden: false, hiddenBy: deleteField() })],
  ["post where anyone posts, blocked", "blocked", false, (me) => post(me, "g_wall")],
  ["an older mark", "follower", true, () => set("users/bob/settings/read", { readAt: new Date(0) })],
  ["a mark of no time", "follower", false, () => set("users/bob/settings/read", { readAt: "noon" })],
  ["a photo of a script", "follower", true, () => update("users/bob", { photoURL: "javascript:alert(1)" })],
  ["another's key", "follower", true, () => update("users/bob", { nameLower: "ada" })],
];

test("what docs/rules.md puts into the rules for earlier apps opens what it says, and no more", async () => {
  const lane = await Lane.open("rules-earlier", "firestore.rules");
  await lane.load(earlier());
  const wrong: string[] = [];
  for (const [what, who, allowed, operation] of cells) {
    if ((await lane.allows({ document: "earlier", what, who, operation })) !== allowed) wrong.push(`${what}, by ${who}: ${allowed ? "denied" : "allowed"}`);
  }
  expect(wrong).toEqual([]);
  await lane.close();
});

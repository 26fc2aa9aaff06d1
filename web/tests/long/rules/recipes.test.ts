// Rules of examples/push, examples/mail and examples/bridge, beside ours.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deleteApp } from "firebase/app";
import { doc, serverTimestamp, setDoc } from "firebase/firestore";
import { expect, test } from "vitest";

import { client } from "../../firestore.ts";
import { root } from "../../system.ts";
import { Lane, rules } from "../../rules/lane.ts";
import { create, get } from "../../rules/operations.ts";

test("with the rules of examples/push, only its owner has a contact", async () => {
  const page = readFileSync(join(root, "examples", "push", "README.md"), "utf8");
  const [, contacts] = /```js\n([^]*?)```/.exec(page)!;
  const lane = await Lane.open("rules-recipes", "firestore.rules");
  await lane.load(rules["firestore.rules"].replace("    match /users/{userId} {", (users) => contacts! + users));
  const may = (what: string, who: "stranger" | "author" | "signed-out", operation: Parameters<Lane["allows"]>[0]["operation"]) =>
    lane.allows({ document: "contacts", what, who, operation });
  const tokens = { tokens: ["a", "b"] };
  expect(await may("create", "stranger", () => create("contacts/ada", tokens))).toBe(false);
  expect(await may("create", "signed-out", () => create("contacts/ada", tokens))).toBe(false);
  expect(await may("create", "author", () => create("contacts/ada", { tokens: Array(11).fill("t") }))).toBe(false);
  expect(await may("create", "author", () => create("contacts/ada", { ...tokens, email: "x" }))).toBe(false);
  expect(await may("create", "author", () => create("contacts/ada", tokens))).toBe(true);
  expect(await may("get", "author", () => get("contacts/ada"))).toBe(true);
  expect(await may("get", "stranger", () => get("contacts/ada"))).toBe(false);
  await lane.close();
});

test("with the rules of examples/mail, people write the address that is verified as theirs", async () => {
  const page = readFileSync(join(root, "examples", "mail", "README.md"), "utf8");
  const [, contacts] = /```js\n([^]*?)```/.exec(page)!;
  const lane = await Lane.open("rules-mail", "firestore.rules");
  await lane.load(rules["firestore.rules"].replace("    match /users/{userId} {", (users) => contacts! + users));
  const writes = async (token: { email?: string; email_verified?: boolean }, id: string, fields: object): Promise<boolean> => {
    const db = client({ sub: "ada", ...token }, "rules-mail");
    try {
      await setDoc(doc(db, "contacts", id), fields);
      return true;
    } catch (err) {
      expect((err as { code?: string }).code).toBe("permission-denied");
      return false;
    } finally {
      await deleteApp(db.app);
    }
  };
  const hers = { email: "ada@example.com", email_verified: true };
  expect(await writes(hers, "ada", { email: "bob@example.com" })).toBe(false);
  expect(await writes({ ...hers, email_verified: false }, "ada", { email: "ada@example.com" })).toBe(false);
  expect(await writes({}, "ada", { email: "ada@example.com" })).toBe(false);
  expect(await writes(hers, "bob", { email: "ada@example.com" })).toBe(false);
  expect(await writes(hers, "ada", { email: "ada@example.com", name: "Ada" })).toBe(false);
  expect(await writes(hers, "ada", { email: "ada@example.com" })).toBe(true);
  await lane.close();
});

test("with the rules of examples/bridge, people write the app's own fields of their own documents", async () => {
  const page = readFileSync(join(root, "examples", "bridge", "README.md"), "utf8");
  const [, theirs] = /```js\n([^]*?)```/.exec(page)!;
  const lane = await Lane.open("rules-bridge", "firestore.rules");
  await lane.load(rules["firestore.rules"].replace("    match /users/{userId} {", (users) => theirs! + users));
  const writes = async (path: string, fields: object, merge = false): Promise<boolean> => {
    const db = client({ sub: "newcomer" }, "rules-bridge");
    try {
      await setDoc(doc(db, path), fields, { merge });
      return true;
    } catch (err) {
      expect((err as { code?: string }).code).toBe("permission-denied");
      return false;
    } finally {
      await deleteApp(db.app);
    }
  };
  const post = { authorId: "newcomer", created: serverTimestamp(), text: "hello" };
  expect(await writes("posts/p1", post)).toBe(true);
  expect(await writes("posts/p2", { ...post, authorId: "bob" })).toBe(false);
  expect(await writes("posts/p2", { ...post, hidden: false })).toBe(false);
  expect(await writes("posts/p2", { ...post, created: new Date() })).toBe(false);
  expect(await writes("users/newcomer", { displayName: "Ada", following: ["bob"] })).toBe(true);
  expect(await writes("users/newcomer", { displayName: "Ada L", following: [] }, true)).toBe(true);
  expect(await writes("users/newcomer", { displayName: "Ada", followers_index: [] }, true)).toBe(false);
  expect(await writes("users/bob", { displayName: "Ada" })).toBe(false);
  expect(await writes("users/newcomer", { displayName: "x".repeat(101) }, true)).toBe(false);
  expect(await writes("bridged/newcomer", { following: [] })).toBe(false);
  await lane.close();
});

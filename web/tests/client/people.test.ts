// People by the beginning of their name, on the emulator, which orders texts as production does.
import { randomUUID } from "node:crypto";

import { findAccounts } from "relationindex-client";
import { expect, test } from "vitest";

import { register } from "../firestore.ts";
import { account } from "../me.ts";

test("a name is found by its beginning, whatever follows, and without what is not seen", async () => {
  const first = randomUUID();
  const names = [first, `${first} Ada`, `${first}ש`, `${first}漢`, `${first}\ufffd`, `${first}😀`, `${first}葛\u{e0100}城`];
  await Promise.all([...names, `A${first}`].map((name) => register(randomUUID(), name)));
  const find = async (prefix: string) => (await findAccounts(account("finder"), prefix, 20)).map(({ name }) => name);
  expect((await find(first.toUpperCase())).sort()).toEqual([...names].sort());
  expect(await find(`${first}葛城`)).toEqual([names.at(-1)]);
});

// The rule asks "uid in followers" of the query's own filter, so the length of the arrays does not count against the 1,000
// expressions that a request may evaluate.
import { query, limit, orderBy, where } from "firebase/firestore";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Lane } from "./lane.ts";
import { openLanes } from "./lanes.ts";
import { all, list } from "./operations.ts";
import { type Fields, world } from "./world.ts";

let lane: Lane;
beforeAll(async () => {
  [lane] = (await openLanes("full", 1)) as [Lane];
});
afterAll(() => lane.close());

test("a feed of relations with 10,000 ids is read by who is in them, and by nobody else", async () => {
  const followers = Array.from({ length: 10_000 }, (_, i) => `u${String(i).padStart(27, "0")}`); // as long as a uid
  followers[9_999] = "carol";
  const full: Record<string, Fields> = {};
  for (const id of ["full_00001", "full_00002", "full_00003"]) {
    full[`_relations/${id}`] = { ...world["_relations/hello_00001"], followers };
  }
  await lane.store(Object.keys(full), full);

  let found = 0;
  const carols = list((db) =>
    query(all("_relations")(db), where("followers", "array-contains", "carol"), orderBy("createdAt", "desc"), limit(50)),
  );
  const read = { run: async (db: Parameters<typeof carols.run>[0]) => (found = ((await carols.run(db)) as { size: number }).size) };
  expect(await lane.allows("stranger", read)).toBe(true);
  expect(found).toBe(3);
  expect(await lane.allows("follower", carols)).toBe(false);
});

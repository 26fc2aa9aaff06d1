// The rule asks "uid in followers" of the query's own filter, so the length of the arrays does not count against the 1,000
// expressions that a request may evaluate.
import { limit, orderBy, query, where } from "firebase/firestore";
import { expect, test } from "vitest";

import { Lane } from "../../rules/lane.ts";
import { all, list } from "../../rules/operations.ts";
import { type Fields, world } from "../../rules/world.ts";

test("only accounts in relations of 10,000 ids can read the feed", async () => {
  const followers = Array.from({ length: 10_000 }, (_, i) => `u${String(i).padStart(27, "0")}`); // as long as a uid
  followers[9_999] = "carol";
  const full: Record<string, Fields> = {};
  for (const id of ["full_00001", "full_00002", "full_00003"]) {
    full[`_relations/${id}`] = { ...world["_relations/hello_00001"], followers };
  }
  const lane = await Lane.open("rules-full", "firestore.rules");
  await lane.store(Object.keys(full), full);

  let found = 0;
  const { run } = list((db) => query(all("_relations")(db), where("followers", "array-contains", "carol"), orderBy("createdAt", "desc"), limit(50)));
  const operation = () => ({ run: async (...by: Parameters<typeof run>) => (found = ((await run(...by)) as { size: number }).size) });
  const cell = { document: "_relations/{relationId}", what: "list: carol's feed", operation };
  expect(await lane.allows({ ...cell, who: "stranger" })).toBe(true);
  expect(found).toBe(3);
  expect(await lane.allows({ ...cell, who: "follower" })).toBe(false);
  await lane.close();
});

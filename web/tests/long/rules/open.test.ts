// Rules of an app without closed accounts and groups, as docs/uses/private-account.md has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serverTimestamp } from "firebase/firestore";
import { expect, test } from "vitest";

import { root } from "../../system.ts";
import { Lane, files, rules } from "../../rules/lane.ts";
import { create, get } from "../../rules/operations.ts";

test.each(files)("by %s with a readsAudience that reads nothing, posts to some are theirs", async (file) => {
  const page = readFileSync(join(root, "docs", "uses", "private-account.md"), "utf8");
  const readsAudience = /function readsAudience\(audience\) \{[^}]*\}/;
  const [free] = readsAudience.exec(page)!;
  const own = rules[file].replace(readsAudience, free);
  expect(own).not.toBe(rules[file]);
  const lane = await Lane.open(`rules-open-${files.indexOf(file)}`, file);
  await lane.load(own);
  const reads = (path: string, who: "stranger" | "follower") => lane.allows({ document: path, what: "get", who, operation: () => get(path) });
  expect(await reads("posts/direct", "stranger")).toBe(true);
  expect(await reads("posts/direct", "follower")).toBe(false);
  expect(await reads("posts/hidden", "stranger")).toBe(false);
  expect(await reads("posts/club", "stranger")).toBe(true);
  const follows = (author: string) =>
    lane.allows({
      document: "a follow",
      what: "create",
      who: "stranger",
      operation: (me) => create(`users/${author}/followers/${me}`, { createdAt: serverTimestamp() }),
    });
  expect(await follows("bob")).toBe(true);
  expect(await follows("imported")).toBe(false); // has no profile
  await lane.close();
});

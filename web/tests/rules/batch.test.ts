// A batch may ask for other documents twenty times, and each follow asks twice: for the block and for the author's profile.
import { type Firestore, doc, serverTimestamp, writeBatch } from "firebase/firestore";
import { expect, test } from "vitest";

import { Lane, files } from "./lane.ts";
import type { Fields } from "./world.ts";

const authors = Array.from({ length: 11 }, (_, i) => `author${i}`);
const profiles: Record<string, Fields> = Object.fromEntries(authors.map((author) => [`users/${author}`, { name: author }]));

/** follows is a batch of bob's, with that many. */
const follows = (n: number) => ({
  document: "users/{userId}/followers/{followerId}",
  what: `create: ${n} in a batch`,
  who: "follower" as const,
  operation: (me: string) => ({
    run: (db: Firestore) =>
      authors.slice(0, n).reduce((batch, author) => batch.set(doc(db, `users/${author}/followers/${me}`), { createdAt: serverTimestamp() }), writeBatch(db)).commit(),
  }),
});

test.each(files)("by %s a batch has room for ten follows", async (file) => {
  const lane = await Lane.open(`demo-batch-${files.indexOf(file)}`, file);
  await lane.store(Object.keys(profiles), profiles);
  expect(await lane.allows(follows(11))).toBe(false);
  expect(await lane.allows(follows(10))).toBe(true);
  await lane.close();
});

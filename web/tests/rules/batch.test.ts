// A batch may ask for other documents twenty times. A follow asks for a block of each by the other, the request afterwards and
// the author's profile, and all together for the follower's profile. An acceptance asks for the blocks, the request before and
// after, and the owner's profile. The emulator counts fewer of those.
import { type Firestore, doc, serverTimestamp, writeBatch } from "firebase/firestore";
import { expect, test } from "vitest";

import { Lane, files, withPace } from "./lane.ts";
import { batch } from "./operations.ts";
import { transport } from "./request.ts";
import { paced } from "./table.pace.ts";
import { type Fields, stamp } from "./world.ts";

const people = Array.from({ length: 11 }, (_, i) => `author${i}`);
const profiles: Record<string, Fields> = Object.fromEntries(people.map((author) => [`users/${author}`, { name: author }]));
const asked: Record<string, Fields> = Object.fromEntries(people.map((followerId) => [`users/ada/requests/${followerId}`, { followerId, createdAt: stamp }]));

/** follows is a batch of bob's, with that many. */
const follows = (n: number) => ({
  document: "users/{userId}/followers/{followerId}",
  what: `create: ${n} in a batch`,
  who: "follower" as const,
  operation: (me: string) => ({
    run: (db: Firestore) =>
      people
        .slice(0, n)
        .reduce((batch, author) => batch.set(doc(db, `users/${author}/followers/${me}`), { createdAt: serverTimestamp() }), writeBatch(db))
        .commit(),
  }),
});

/** acceptances is a batch of ada's, with that many. */
const acceptances = (n: number) => ({
  document: "users/{userId}/followers/{followerId}",
  what: `create: ${n} accepted in a batch`,
  who: "author" as const,
  operation: () =>
    batch(
      Object.fromEntries(
        people.slice(0, n).flatMap((f) => [
          [`users/ada/followers/${f}`, { createdAt: serverTimestamp() }],
          [`users/ada/requests/${f}`, null],
        ]),
      ),
    ),
});

test.each(files)("by %s a batch has room for four follows, or four acceptances", async (file) => {
  const lane = await Lane.open(`rules-batch-${transport.toLowerCase()}-${files.indexOf(file)}`, file);
  await lane.store(Object.keys(profiles), profiles);
  expect(await lane.allows(follows(5))).toBe(false);
  expect(await lane.allows(follows(4))).toBe(true);
  await lane.store(Object.keys(asked), asked);
  expect(await lane.allows(acceptances(10))).toBe(false);
  await lane.store(Object.keys(asked), asked);
  expect(await lane.allows(acceptances(4))).toBe(true);
  await lane.close();
});

// With their rate, which is asked for before and after.
test("at a pace a batch has room for four follows", async () => {
  const lane = await Lane.open(`rules-batch-pace-${transport.toLowerCase()}`, withPace);
  await lane.store(Object.keys(profiles), profiles);
  const at = (n: number) => ({
    ...follows(n),
    operation: (me: string) =>
      paced(
        me,
        "follows",
        people.slice(0, n),
        Object.fromEntries(people.slice(0, n).map((author) => [`users/${author}/followers/${me}`, { createdAt: serverTimestamp() }])),
      ),
  });
  expect(await lane.allows(follows(1))).toBe(false);
  expect(await lane.allows(at(5))).toBe(false);
  expect(await lane.allows(at(4))).toBe(true);
  await lane.close();
});

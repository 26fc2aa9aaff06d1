// Another account signs in, as in another tab: what was made for the first one reads nothing more, until it is back.
import { randomUUID } from "node:crypto";

import { initializeApp } from "firebase/app";
import { createUserWithEmailAndPassword, signInWithEmailAndPassword, signOut } from "firebase/auth";
import {
  Accounts,
  changeProfile,
  comments,
  connect,
  countFollows,
  findAccounts,
  getPosts,
  groupsToPostTo,
  isBlocked,
  ownLikes,
  Paged,
  postsToAudience,
  Reader,
  relationsFeed,
  watchAccount,
  watchPost,
  writePost,
} from "relationindex-client";
import { expect, test } from "vitest";

import { noPost } from "../../../client/src/posts.ts";
import { at, idle, profile, publish, write } from "../firestore.ts";

const password = "correct horse";

test("with another account's token nothing is read, and nothing of the other's shows", async () => {
  const client = connect({
    app: initializeApp({ projectId: at.project, apiKey: "demo" }, randomUUID()),
    database: at.database,
    emulators: { firestoreHost: at.firestoreHost, authHost: at.authHost },
  });
  const [mine, others] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  const other = (await createUserWithEmailAndPassword(client.auth, others, password)).user.uid;
  const me = client.as((await createUserWithEmailAndPassword(client.auth, mine, password)).user);
  await changeProfile(me, { name: "Me" });
  const [friend, secret] = [`friend-${me.id}`, `secret-${me.id}`];
  await write({
    [`users/${friend}`]: profile("Friend"),
    [`users/${secret}`]: { ...profile("Secret"), closed: true },
    [`users/${secret}/followers/${other}`]: { createdAt: new Date() },
  });
  await publish(secret, 25);
  const post = `${secret}-024`;
  await write({ [`posts/${post}/comments/c`]: { userId: secret, createdAt: new Date(), thread: `${secret}/${secret}`, text: "A secret" } });
  await idle();
  const names: string[] = [];
  const stop = watchAccount(me, friend, (found) => names.push(found?.name ?? ""));
  await expect.poll(() => names.at(-1)).toBe("Friend");

  await signInWithEmailAndPassword(client.auth, others, password);
  expect((await getPosts(client.as(client.auth.currentUser!), [post])).size).toBe(1); // the other may
  const refused = { code: "unauthenticated" };
  const about = { ...noPost(me, post), userId: secret, audience: secret };
  const lists = [postsToAudience(me, secret), relationsFeed(me), comments(me, about)].map((source) => new Paged<{ id: string; order: string }>(source));
  for (const list of lists) list.subscribe(() => {});
  const posts: unknown[] = [];
  const end = watchPost(me, post, (found) => posts.push(found));
  for (const read of [
    () => getPosts(me, [post]),
    () => findAccounts(me, "Friend", 1),
    () => new Accounts(me).get(friend),
    () => ownLikes(me, [post]),
    () => isBlocked(me, friend),
    () => countFollows(me),
    () => groupsToPostTo(me),
    () => new Reader(me).hiddenPosts(),
    () => writePost(me, { text: "Hello" }),
  ])
    await expect(read(), String(read)).rejects.toMatchObject(refused);
  await write({ [`users/${friend}`]: profile("Renamed") });
  await idle();
  const known: string[] = [];
  const stopOther = watchAccount(client.as(client.auth.currentUser!), friend, (found, fromCache) => fromCache || known.push(found?.name ?? ""));
  await expect.poll(() => known.at(-1)).toBe("Renamed"); // by now, the account would have heard
  stopOther();
  expect(names.at(-1)).toBe("Friend");
  expect(posts).toEqual([]);
  for (const list of lists) expect(list.state.get()).toMatchObject({ items: [], status: "error", error: refused });

  await signOut(client.auth);
  await signInWithEmailAndPassword(client.auth, mine, password);
  await expect.poll(() => names.at(-1)).toBe("Renamed");
  await expect.poll(() => posts.at(-1)).toBeNull(); // as the account has it
  await expect.poll(() => lists[1]!.state.get()).toMatchObject({ status: "ready", error: null, items: [] });
  stop();
  end();
  for (const list of lists) list.close();
});

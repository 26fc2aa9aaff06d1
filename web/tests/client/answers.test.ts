// Likes and follows of the account on a page, on the emulator.
import { disableNetwork, enableNetwork } from "firebase/firestore";
import { changeProfile, follow, like, OwnFollows, ownLikes, OwnLikes } from "relationindex-client";
import { expect, onTestFinished, test, vi } from "vitest";

import { has, idle, profile, publish, register, write } from "../firestore.ts";
import { account } from "../me.ts";

test("without a network nothing is known of a like, also of one that the cache lacks; when the network returns, it is", async () => {
  const window = new EventTarget();
  vi.stubGlobal("window", window);
  onTestFinished(() => void vi.unstubAllGlobals());
  const me = account("answers-liker");
  await register(me.id, "Me");
  await publish(me.id, 2);
  const [liked, other] = [`${me.id}-000`, `${me.id}-001`];
  await like(account(me.id), liked); // on another device
  await disableNetwork(me.db);
  const likes = new OwnLikes(me);
  const [one, two] = [likes.of(liked), likes.of(other)];
  one.subscribe(() => {});
  await expect(ownLikes(me, [liked])).rejects.toMatchObject({ code: "unavailable" });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([one.get(), two.get()]).toEqual([undefined, undefined]);

  await enableNetwork(me.db);
  window.dispatchEvent(new Event("online"));
  await expect.poll(() => one.get()).toEqual({ mine: true, ahead: 0, counted: 0 });
  expect(two.get()).toBeUndefined(); // nobody looks at it
  likes.close();
});

test("a follow button: open accounts are followed, closed ones asked, and what is rejected returns", async () => {
  const me = account("answers-follower");
  await register(me.id, "Me");
  await write({
    "users/answers-open": profile("Open"),
    "users/answers-closed": { ...profile("Closed"), closed: true },
    "users/answers-known": { ...profile("Known"), closed: true },
  });
  await write({ [`users/answers-known/followers/${me.id}`]: { createdAt: new Date() } });
  await idle();
  const follows = new OwnFollows(me);
  const [open, closed, known] = [
    { id: "answers-open", closed: false, ownerId: "" },
    { id: "answers-closed", closed: true, ownerId: "" },
    { id: "answers-known", closed: true, ownerId: "" },
  ];
  const is = () => [open, closed, known].map((one) => follows.of(one).get()?.is);
  await expect.poll(is).toEqual(["none", "none", "following"]);

  const toggled = follows.toggle(open);
  expect(follows.of(open).get()).toEqual({ is: "following", sending: true });
  await toggled;
  expect(follows.of(open).get()).toEqual({ is: "following", sending: false });
  await follows.toggle(closed);
  await follows.toggle(known);
  expect(is()).toEqual(["following", "requested", "none"]);
  expect(
    await Promise.all([`users/answers-open/followers/${me.id}`, `users/answers-closed/requests/${me.id}`, `users/answers-known/followers/${me.id}`].map(has)),
  ).toEqual([true, true, false]);
  await follows.toggle(closed);
  await follows.toggle(open);
  expect(is()).toEqual(["none", "none", "none"]);

  await changeProfile(account("answers-open"), { closed: true }); // meanwhile
  await expect(follows.toggle(open)).rejects.toMatchObject({ code: "permission-denied", reason: "closed" });
  expect(is()).toEqual(["none", "none", "none"]);
  follows.close();
});

test("an act that is rejected has a reason", async () => {
  const me = account("answers-refused"),
    nobody = account("answers-without-profile");
  await register(me.id, "Me");
  await write({
    "users/reason-closed": { ...profile("Closed"), closed: true },
    "users/reason-open": profile("Open"),
    [`users/reason-blocker`]: profile("Blocker"),
    [`users/reason-blocker/blocked/${me.id}`]: { createdAt: new Date() },
  });
  await publish("reason-open", 1);
  const denied = (reason: string) => ({ name: "ClientError", code: "permission-denied", reason });
  await expect(follow(nobody, "reason-open")).rejects.toMatchObject(denied("no-profile"));
  await expect(follow(me, "reason-closed")).rejects.toMatchObject(denied("closed"));
  await expect(follow(me, "reason-nobody")).rejects.toMatchObject(denied("gone"));
  await expect(like(me, "reason-gone")).rejects.toMatchObject(denied("gone"));
  await expect(follow(me, "reason-blocker")).rejects.toMatchObject(denied("refused"));
});

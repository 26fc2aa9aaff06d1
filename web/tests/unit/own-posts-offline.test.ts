import { deleteApp, initializeApp } from "firebase/app";
import { disableNetwork, doc, initializeFirestore, serverTimestamp, setDoc } from "firebase/firestore";
import { expect, test } from "vitest";

import { type Client, type Entry, Paged } from "relationindex-client";
import { Me } from "../../../client/src/me.ts";
import { withOwnPosts } from "../../../client/src/own-posts.ts";

test("an unsent post shows above a feed that has not answered", async () => {
  const app = initializeApp({ projectId: "demo", apiKey: "demo" }, "unsent");
  const db = initializeFirestore(app, {});
  await disableNetwork(db);
  const auth = { currentUser: { uid: "ada" }, onIdTokenChanged: () => () => {} };
  const me = new Me({ app, db, auth, config: {}, post: (data: unknown) => data, account: (data: unknown) => data } as unknown as Client, "ada");
  setDoc(doc(db, "posts/p1"), { userId: "ada", createdAt: serverTimestamp(), text: "From the tunnel." }).catch(() => {});

  const list = new Paged<Entry<unknown>>(
    withOwnPosts(me, {
      me,
      first(_, failed) {
        failed(new Error("no network"));
        return () => {};
      },
      after: async () => null,
    }),
  );
  const stop = list.subscribe(() => {});
  await expect.poll(() => list.state.get().items.map(({ post, own }) => [post.text, own]), { timeout: 10_000 }).toEqual([["From the tunnel.", true]]);
  stop();
  list.close();
  await deleteApp(app);
});

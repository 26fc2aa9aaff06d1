// The writes of a client with the paced rules, without a browser. The database is one without triggers.
import { deleteApp } from "firebase/app";
import { doc, getDocFromServer, serverTimestamp } from "firebase/firestore";
import { accept, ask, editPost, follow, hidePost, keepPace, like, noPost, setClosed, writeComment, writePost } from "relationindex-client";
import { expect, test } from "vitest";

import { act } from "../../../client/src/pace.ts";
import { client } from "../firestore.ts";
import { Lane, withPace } from "../rules/lane.ts";

const project = "rules-pace-app";
const draft = { text: "Hello", audience: "ada", to: [], refs: [], kind: "" };
const denied = { code: "permission-denied" };

test("the client writes each act with its rate and retries a rejected act once", async () => {
  const lane = await Lane.open(project, withPace);
  const ada = client({ sub: "ada" }, project);
  const post = { ...noPost("first"), ...draft, userId: "ada" };
  await expect(writePost(ada, "first", "ada", draft)).rejects.toMatchObject(denied);
  keepPace(ada, () => "ada");
  try {
    await writePost(ada, "first", "ada", draft);
    await editPost(ada, post, "Hello again");
    await hidePost(ada, "first", true);
    await writeComment(ada, post, "ada", "A comment");
    await like(ada, "ada", "first");
    await follow(ada, "ada", "bob");
    await ask(ada, "ada", "cleo");
    await accept(ada, "g_club", "carol");
    await setClosed(ada, "ada", true);

    const rate = "users/ada/rates/posts";
    const hour = (start: Date) => lane.store([rate], { [rate]: { start, n: 60 } });
    /** Writes a post, and says how often it was tried. */
    const tries = async (id: string) => {
      let tried = 0;
      const done = await act(ada, "posts", id, (batch) => {
        tried++;
        batch.set(doc(ada, "posts", id), { userId: "ada", createdAt: serverTimestamp(), ...draft, kind: "note", hidden: false });
      }).then(() => "written", (error: { code: string }) => error.code);
      return { done, tried };
    };

    // The hour that this page has begun is over, or another tab's: the count is full, and a new one may begin.
    await hour(new Date(Date.now() - 3_700_000));
    expect(await tries("second")).toEqual({ done: "written", tried: 2 });
    expect((await getDocFromServer(doc(ada, rate))).get("n")).toBe(1);
    expect(await tries("third")).toEqual({ done: "written", tried: 1 });

    // The count is full within the hour: once more, and not again. Then each act asks for a new hour by itself.
    await hour(new Date());
    expect(await tries("fourth")).toEqual({ done: "permission-denied", tried: 2 });
    expect(await tries("fourth")).toEqual({ done: "permission-denied", tried: 1 });
    await hour(new Date(Date.now() - 3_700_000));
    expect(await tries("fourth")).toEqual({ done: "written", tried: 1 });
    await expect(follow(ada, "ada", "nobody-at-all")).rejects.toMatchObject(denied);
  } finally {
    await deleteApp(ada.app);
    await lane.close();
  }
});

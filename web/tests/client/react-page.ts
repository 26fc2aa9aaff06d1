// A page of React, for react.test.ts: what each hook says, as text.
import { signInWithEmailAndPassword } from "firebase/auth";
import { createElement as h, StrictMode, useLayoutEffect, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { type Config, connect, type Item, reasonOf, type Source } from "relationindex-client";
import { RelationIndex, useAccount, useBadge, useComments, useFeed, useFollow, useLike, useList, useMe, useName, useUser } from "relationindex-client/react";

import { noPost } from "../../../client/src/posts.ts";

export interface Given {
  config: Config;
  /** An open account and a closed one, and a post of the first. */
  author: string;
  closed: string;
  post: string;
}

const { config, author, closed, post } = JSON.parse(document.body.dataset["given"]!) as Given;
const client = connect({ ...config, cache: "memory" });

/** A source that counts how often it began and ended. */
const counted = { begun: 0, ended: 0 };
const source = (me: Source<Item>["me"]): Source<Item> => ({
  me,
  first(changed) {
    counted.begun++;
    changed({ items: [{ id: "one", order: "1" }], more: false });
    return () => void counted.ended++;
  },
  after: () => Promise.resolve(null),
});

/** What a commit has shown, with the account that was signed in. */
export interface Commit {
  me: string;
  feed: number;
  unseen: number;
  follow: string | undefined;
  own: string | undefined;
}
const commits: Commit[] = [];

function Reader() {
  const me = useMe();
  const list = useFeed();
  const other = useList(() => source(me), [me]);
  const [open, asked] = [useFollow(author), useFollow(closed)];
  const about = useMemo(() => ({ ...noPost(me, post), userId: author, audience: author }), [me]);
  const comments = useComments(about);
  const liked = useLike(about);
  const { unseen } = useBadge();
  const name = useName(author);
  const { now: account } = useAccount(author);
  const { now: own } = useAccount(me.id);
  useLayoutEffect(() => void commits.push({ me: me.id, feed: list.items.length, unseen, follow: open.is, own: own?.id }));
  const [reason, setReason] = useState("");
  const line = (id: string, value: unknown) => h("p", { id, key: id }, String(value));
  const button = (text: string, click: () => void) => h("button", { key: text, onClick: click }, text);
  return h(
    "main",
    {},
    line("me", me.id),
    line("feed", `${list.status} ${list.items.length} ${list.more}`),
    line("other", other.items.length),
    line("follow", `${open.is} ${open.sending} ${open.closed}`),
    line("asked", `${asked.is} ${asked.sending} ${asked.closed}`),
    line("reason", reason),
    line("like", `${liked.mine} ${liked.count}`),
    line("comments", comments.items.map(({ text }) => text).join()),
    line("badge", unseen),
    line("name", name),
    line("account", account?.name),
    button("More", list.loadMore),
    button("Follow", () => void open.toggle()),
    button("Ask", () => void asked.toggle().catch((error: unknown) => setReason(reasonOf(error)))),
    button("Like", () => void liked.toggle()),
  );
}

function Page() {
  const user = useUser();
  return user ? h(Reader) : h("p", { id: "user" }, user === null ? "nobody" : "not known yet");
}

const place = createRoot(document.getElementById("place")!);
place.render(h(StrictMode, {}, h(RelationIndex, { client }, h(Page))));
Object.assign(window, {
  counted,
  commits,
  popup: Boolean((client.auth as unknown as { _popupRedirectResolver?: unknown })._popupRedirectResolver), // of signInWithPopup
  signIn: async (email: string) => void (await signInWithEmailAndPassword(client.auth, email, "correct horse")),
  unmount: () => place.unmount(),
});

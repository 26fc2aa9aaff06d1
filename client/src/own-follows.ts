/** Which accounts the account follows, of those on a page: read together, and changed at once. */
import { documentId, getDocFromCache, getDocFromServer, getDocsFromServer, limit, query, where, type DocumentSnapshot } from "firebase/firestore";
import type { Account } from "./accounts.ts";
import { follow, requestFollow, unfollow, withdrawRequest } from "./follows.ts";
import { joinOwnGroup } from "./groups.ts";
import { isId } from "./ids.ts";
import type { Me } from "./me.ts";
import { followingPath, followPath, requestPath } from "./paths.ts";
import { Questions } from "./questions.ts";
import type { Value } from "./value.ts";

export interface OwnFollow {
  /** requested: the other account is closed, and has not answered yet. */
  is: "none" | "requested" | "following";
  /** The server has not confirmed the last change. */
  sending: boolean;
}

const mostAsked = 30;

export class OwnFollows {
  private follows: Questions<OwnFollow>;
  private requests: Questions<OwnFollow>;
  private stopActs: () => void;

  constructor(private me: Me) {
    this.follows = new Questions(me, mostAsked, (authors) => this.askFollows(authors));
    this.requests = new Questions(me, 1, ([author]) => this.askRequest(author!));
    const list = `${followingPath(me.db, me.id).path}/`;
    this.stopActs = me.acts.on((act) => {
      if (!("path" in act) || !act.path.startsWith(list)) return;
      for (const questions of [this.follows, this.requests]) questions.put(act.path.slice(list.length), { is: "none", sending: false });
    });
  }

  /**
   * Returns whether the account follows another; undefined: not known yet, or closed; without a network, the device knows some. Calls
   * of the same moment become one query of up to 30 accounts, and a read for each that is followed. For a closed account that is not
   * followed, one read more says whether it was asked. What others do shows when the page is looked at again.
   */
  of({ id, closed }: Pick<Account, "id" | "closed">): Value<OwnFollow | undefined> {
    return (closed ? this.requests : this.follows).of(id);
  }

  private async askFollows(authors: string[]): Promise<Map<string, OwnFollow>> {
    const { me } = this;
    me.check();
    const answers = new Map<string, OwnFollow>(authors.map((id) => [id, { is: "none", sending: false }]));
    const ids = authors.filter(isId); // another text would fail the whole request
    if (ids.length === 0) return answers;
    // The functions write the list a moment after a follow or an unfollow: until then, it is in the cache of this device.
    const cached = new Map(await Promise.all(ids.map(async (id) => [id, await getDocFromCache(followPath(me.db, id, me.id)).catch(() => undefined)] as const)));
    const answer = (found: DocumentSnapshot): OwnFollow => ({ is: found.exists() ? "following" : "none", sending: found.metadata.hasPendingWrites });
    for (const [id, own] of cached) if (own) for (const questions of [this.follows, this.requests]) questions.guess(id, answer(own));
    const { docs } = await getDocsFromServer(query(followingPath(me.db, me.id), where(documentId(), "in", ids), limit(mostAsked)));
    for (const { id } of docs) answers.set(id, { is: "following", sending: false });
    for (const [id, own] of cached) {
      if (!own || own.exists() === (answers.get(id)?.is === "following")) continue;
      // The cache keeps it also when another device or account changes it, so the server decides where the two differ: one read.
      answers.set(id, answer(own.metadata.hasPendingWrites ? own : await getDocFromServer(own.ref)));
    }
    return answers;
  }

  private async askRequest(author: string): Promise<Map<string, OwnFollow>> {
    const follows = await this.askFollows([author]);
    if (follows.get(author)?.is !== "none" || !isId(author)) return follows;
    const request = await getDocFromServer(requestPath(this.me.db, author, this.me.id));
    return new Map([[author, { is: request.exists() ? "requested" : "none", sending: false }]]);
  }

  /**
   * Follows the account, unfollows it, asks it, or takes the request back: what its state and its being closed ask for. The change
   * shows at once; if the server rejects it, the old state returns. Rejects with the reason closed if the account was closed meanwhile.
   */
  async toggle(account: Pick<Account, "id" | "closed" | "ownerId">): Promise<void> {
    const { me } = this,
      { id, closed, ownerId } = account;
    const is = this.of(account).get()?.is;
    if (is === undefined) return;
    const own = ownerId === me.id;
    const to = is !== "none" ? "none" : closed && !own ? "requested" : "following";
    const step = () =>
      is === "following"
        ? unfollow(me, id)
        : is === "requested"
          ? withdrawRequest(me, id)
          : own
            ? joinOwnGroup(me, { id, closed })
            : closed
              ? requestFollow(me, id)
              : follow(me, id);
    const questions = closed ? this.requests : this.follows;
    try {
      await questions.change(id, { is: to, sending: true }, step);
    } finally {
      const now = questions.of(id).get();
      if (now?.sending) questions.put(id, { ...now, sending: false }); // does nothing while a later press is under way
    }
  }

  close(): void {
    this.stopActs();
    this.follows.close();
    this.requests.close();
  }
}

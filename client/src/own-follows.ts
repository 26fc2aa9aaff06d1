/** Which accounts the account follows, of those on a page: read together, and changed at once. */
import { documentId, getDocFromCache, getDocFromServer, getDocsFromServer, limit, query, where } from "firebase/firestore";
import type { Account } from "./accounts.ts";
import { follow, requestFollow, unfollow, withdrawRequest } from "./follows.ts";
import { joinOwnGroup } from "./groups.ts";
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

  constructor(private me: Me) {
    this.follows = new Questions(me, mostAsked, (authors) => this.askFollows(authors));
    this.requests = new Questions(me, 1, ([author]) => this.askRequest(author!));
  }

  /**
   * Returns whether the account follows another; undefined: not known yet, as without a network, or closed. Calls of the same moment
   * become one query of up to 30 accounts, and a read for each that is followed. For a closed account that is not followed, one read
   * more says whether it was asked. Other devices' follows show when the page is looked at again.
   */
  of({ id, closed }: Pick<Account, "id" | "closed">): Value<OwnFollow | undefined> {
    return (closed ? this.requests : this.follows).of(id);
  }

  private async askFollows(authors: string[]): Promise<Map<string, OwnFollow>> {
    this.me.check();
    const { docs } = await getDocsFromServer(query(followingPath(this.me.db, this.me.id), where(documentId(), "in", authors), limit(mostAsked)));
    const followed = new Set(docs.map(({ id }) => id));
    return new Map(await Promise.all(authors.map(async (author) => {
      // The functions write the list a moment after the follow: until then, a follow of this device is in its cache. The cache keeps
      // it also when the other account ends it, so the server is asked about one that is sent: one read.
      const document = followPath(this.me.db, author, this.me.id);
      const cached = followed.has(author) ? undefined : await getDocFromCache(document).catch(() => undefined);
      const own = cached?.exists() && !cached.metadata.hasPendingWrites ? await getDocFromServer(document) : cached;
      return [author, { is: followed.has(author) || own?.exists() ? "following" : "none", sending: own?.metadata.hasPendingWrites ?? false }] as const;
    })));
  }

  private async askRequest(author: string): Promise<Map<string, OwnFollow>> {
    const follows = await this.askFollows([author]);
    if (follows.get(author)?.is === "following") return follows;
    const request = await getDocFromServer(requestPath(this.me.db, author, this.me.id));
    return new Map([[author, { is: request.exists() ? "requested" : "none", sending: false }]]);
  }

  /**
   * Follows the account, unfollows it, asks it, or takes the request back: what its state and its being closed ask for. The change
   * shows at once; if the server rejects it, the old state returns. Rejects with the reason closed if the account was closed meanwhile.
   */
  async toggle(account: Pick<Account, "id" | "closed" | "ownerId">): Promise<void> {
    const { me } = this, { id, closed, ownerId } = account;
    const is = this.of(account).get()?.is;
    if (is === undefined) return;
    const own = ownerId === me.id;
    const to = is !== "none" ? "none" : closed && !own ? "requested" : "following";
    const step = () => is === "following" ? unfollow(me, id) : is === "requested" ? withdrawRequest(me, id) : own ? joinOwnGroup(me, { id, closed }) : closed ? requestFollow(me, id) : follow(me, id);
    const questions = closed ? this.requests : this.follows;
    await questions.change(id, { is: to, sending: true }, step);
    questions.of(id).set({ is: to, sending: false });
  }

  close(): void {
    this.follows.close();
    this.requests.close();
  }
}

import type { Accounts, Badge, Fields, Me, OwnCounts, OwnFollows, OwnLikes, Reader, Value } from "relationindex-client";
import type { Config } from "../shared/config";
import type { Drafts } from "./data/drafts";
import type { Session } from "./data/session";

/** Objects that every view of a signed-in user works with. */
export interface Context {
  config: Config;
  session: Session;
  /** The signed-in user. */
  me: Me<Fields, Fields>;
  /** The user's own name. */
  name: string;
  names: Accounts;
  drafts: Drafts;
  counts: OwnCounts;
  /** The user's filters and hidden posts; undefined if the functions do not read them. */
  reader: Reader | undefined;
  follows: OwnFollows;
  /** The posts that the user has reposted since the page was opened. */
  reposted: Set<string>;
  /** The posts that the user likes; undefined if the functions keep neither numbers nor notifications. */
  likes: OwnLikes | undefined;
  /** The number of unseen notifications; undefined if the functions keep no notifications. */
  badge: Badge | undefined;
  offline: Value<boolean>;
  /** Whether the user may hide other authors' posts. */
  moderator: Promise<boolean>;
}

/** A part of the page. close ends its listeners. It is called once, when the part is no longer needed. */
export interface View {
  node: HTMLElement;
  close(): void;
}

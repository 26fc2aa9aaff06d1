import type { Firestore } from "firebase/firestore";
import type { Badge, Names, OwnCounts, OwnLikes, OwnPosts, Reader, Value } from "relationindex-client";
import type { Config } from "../shared/config";
import type { Drafts } from "./data/drafts";
import type { Me, Session } from "./data/session";

/** Objects that every view of a signed-in user works with. */
export interface Context {
  config: Config;
  db: Firestore;
  session: Session;
  me: Me;
  names: Names;
  drafts: Drafts;
  counts: OwnCounts;
  /** The user's filters and hidden posts; undefined if the functions do not read them. */
  reader: Reader | undefined;
  /** The user's new posts, which lists may not have yet. */
  ownPosts: OwnPosts;
  /** The number of the user's writes that may have changed a feed: see refreshAfterWrites. */
  writes: Value<number>;
  /** The posts that the user likes; undefined if the functions keep neither numbers nor notifications. */
  likes: OwnLikes | undefined;
  /** The number of unseen notifications; undefined if the functions keep no notifications. */
  badge: Badge | undefined;
  offline: Value<boolean>;
  idToken: () => Promise<string>;
  /** Whether the user may hide other authors' posts. */
  moderator: Promise<boolean>;
}

/** A part of the page. close ends its listeners. It is called once, when the part is no longer needed. */
export interface View {
  node: HTMLElement;
  close(): void;
}

import type { Firestore } from "firebase/firestore";
import type { Badge, Names, OwnCounts, OwnLikes, OwnPosts, Reader, Value } from "relationindex-client";
import type { Config } from "../shared/config";
import type { Drafts } from "./data/drafts";
import type { Me, Session } from "./data/session";

/** What every view of somebody who is signed in works with. */
export interface Context {
  config: Config;
  db: Firestore;
  session: Session;
  me: Me;
  names: Names;
  drafts: Drafts;
  counts: OwnCounts;
  /** What I decide about my timeline; undefined where the functions do not read it. */
  reader: Reader | undefined;
  /** What I have just written. */
  ownPosts: OwnPosts;
  /** How many writes of mine may have changed a feed: see refreshAfterWrites. */
  writes: Value<number>;
  /** Which posts I like; undefined where the functions keep neither numbers nor notifications. */
  likes: OwnLikes | undefined;
  /** Of my notifications; undefined where the functions keep none. */
  badge: Badge | undefined;
  offline: Value<boolean>;
  idToken: () => Promise<string>;
  /** Whether I may hide the posts of others. */
  moderator: Promise<boolean>;
}

/** A part of the page. close ends its listeners; it is called once, when the part is taken away. */
export interface View {
  node: HTMLElement;
  close(): void;
}

import type { Firestore } from "firebase/firestore";
import type { Config } from "../shared/config";
import type { Badge } from "./data/badge";
import type { OwnCounts } from "./data/own-counts";
import type { OwnLikes } from "./data/own-likes";
import type { Names } from "./data/people";
import type { Reader } from "./data/reader";
import type { Me, Session } from "./data/session";
import type { Value } from "./data/value";

/** What every view of somebody who is signed in works with. */
export interface Context {
  config: Config;
  db: Firestore;
  session: Session;
  me: Me;
  names: Names;
  counts: OwnCounts;
  /** What I decide about my timeline; undefined where the functions do not read it. */
  reader: Reader | undefined;
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

/** Accounts: documents users/{id}. A person's has the uid as its id; a group's begins with g_, and nobody signs in as one. */
import { onSnapshot, type Firestore, type Unsubscribe } from "firebase/firestore";
import { countIn } from "./counts.ts";
import { act } from "./pace.ts";
import { userPath } from "./paths.ts";

/** Who may post in a group. */
export type Posters = "owner" | "members" | "anyone";

export interface Account {
  /** As it is stored: show it isolated. "" without one, and of an account that is gone. */
  name: string;
  /** What it is found by in lists by name, see nameKey; "" if it is in none. */
  nameLower: string;
  /** What it says of itself, in lines. */
  bio: string;
  /** Only followers read its posts, and a follow needs a request. */
  closed: boolean;
  /** Of a group; "" of a person, and of a group whose owner is gone. */
  ownerId: string;
  post: Posters;
}

/** Another client may have written anything: what is not as it should be becomes the strictest that there is. */
export function toAccount(data: Record<string, unknown> = {}): Account {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    name: text(data["name"]).trim(),
    nameLower: text(data["nameLower"]),
    bio: text(data["bio"]).trim(),
    closed: data["closed"] === true,
    ownerId: text(data["ownerId"]),
    post: data["post"] === "anyone" || data["post"] === "members" ? data["post"] : "owner",
  };
}

/** What the functions have counted. A number that is not there is 0. */
export interface Numbers {
  followers: number;
  following: number;
  posts: number;
}

export function toNumbers(data: Record<string, unknown> = {}): Numbers {
  const of = (name: string) => countIn(data, name);
  return { followers: of("followers"), following: of("following"), posts: of("posts") };
}

/**
 * Watches an account: one read, and one for each change. null when there is none; fromCache: as far as this device knows, since
 * the server has not answered yet.
 */
export function watchAccount(db: Firestore, id: string, changed: (account: Account | null, numbers: Numbers, fromCache: boolean) => void, failed: (error: Error) => void): Unsubscribe {
  return onSnapshot(userPath(db, id), { includeMetadataChanges: true },
    (found) => changed(found.exists() ? toAccount(found.data()) : null, toNumbers(found.data()), found.metadata.fromCache), failed);
}

/** Writes fields of my account, or of a group of mine: one write. With merge: the functions have fields there, too, which a plain set would drop. */
export async function changeAccount(db: Firestore, id: string, fields: Record<string, unknown>): Promise<void> {
  await act(db, "profiles", id, (batch) => batch.set(userPath(db, id), fields, { merge: true }));
}

/** Closes or opens my account: one write. Followers stay, and so do their posts. */
export async function setClosed(db: Firestore, me: string, closed: boolean): Promise<void> {
  await changeAccount(db, me, { closed });
}

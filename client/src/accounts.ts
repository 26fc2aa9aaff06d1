/** Accounts: documents users/{id}. A person's id is the uid; a group's id begins with g_, and nobody signs in as a group. */
import { onSnapshot, type Firestore, type Unsubscribe } from "firebase/firestore";
import { countIn } from "./counts.ts";
import { act } from "./pace.ts";
import { userPath } from "./paths.ts";

/** The accounts that may post in a group. */
export type Posters = "owner" | "members" | "anyone";

export interface Account {
  /** The stored name: show it isolated. "": no name, or no such account. */
  name: string;
  /** The key in lists by name, see nameKey; "": the account is in no list by name. */
  nameLower: string;
  /** The account's description of itself, in lines. */
  bio: string;
  /** Only followers read the posts of a closed account, and a follow needs a request. */
  closed: boolean;
  /** The owner of a group; "": a person, or a group whose owner was deleted. */
  ownerId: string;
  post: Posters;
}

/** Another client may have written any value: a field of the wrong type becomes empty, and post becomes "owner". */
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

/** Numbers that the functions count; 0: missing. */
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
 * Watches an account: one read, and one for each change. account is null if there is none. fromCache: only the cache has
 * answered, the server may know another state.
 */
export function watchAccount(db: Firestore, id: string, changed: (account: Account | null, numbers: Numbers, fromCache: boolean) => void, failed: (error: Error) => void): Unsubscribe {
  return onSnapshot(userPath(db, id), { includeMetadataChanges: true },
    (found) => changed(found.exists() ? toAccount(found.data()) : null, toNumbers(found.data()), found.metadata.fromCache), failed);
}

/** Writes fields of the account, or of a group that it owns: one write. It merges, because the functions' fields must stay. */
export async function changeAccount(db: Firestore, id: string, fields: Record<string, unknown>): Promise<void> {
  await act(db, "profiles", id, (batch) => batch.set(userPath(db, id), fields, { merge: true }));
}

/** Closes or opens the account: one write. Followers and posts stay. */
export async function setClosed(db: Firestore, me: string, closed: boolean): Promise<void> {
  await changeAccount(db, me, { closed });
}

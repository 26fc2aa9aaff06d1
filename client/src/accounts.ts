/** Accounts: documents users/{id}. A person's id is the uid; a group's id begins with g_, and nobody signs in as a group. */
import { type DocumentSnapshot, type QueryDocumentSnapshot } from "firebase/firestore";
import { addressIn, countIn, textIn, type Fields } from "./fields.ts";
import { listenDoc } from "./listen.ts";
import type { Me } from "./me.ts";
import { nameFields } from "./name-key.ts";
import { act } from "./pace.ts";
import { userPath } from "./paths.ts";

/** The accounts that may post in a group. */
export type Posters = "owner" | "members" | "anyone";

export interface Account<A = Fields> {
  id: string;
  /** The stored name: show it by isolatedText. "": no name, or no such account. */
  name: string;
  /** The key in lists by name, see nameKey; "": no search by a prefix finds the account. */
  nameLower: string;
  /** The account's description of itself, in lines. */
  bio: string;
  /** The address of its picture, with https; "": none. */
  photoURL: string;
  /** Only followers read the posts of a closed account, and a follow needs a request. */
  closed: boolean;
  /** The owner of a group; "": a person, or a group whose owner was deleted. */
  ownerId: string;
  post: Posters;
  /** Numbers that the functions count; 0: missing. */
  counts: Numbers;
  /** The app's own fields: see Options.account of connect. */
  fields: A;
}

export interface Numbers {
  followers: number;
  following: number;
  posts: number;
}

/** Another client may have written any value: a field of the wrong type becomes empty, and post becomes "owner". */
export function toAccount<A>(me: Me<unknown, A>, id: string, data: Fields = {}): Account<A> {
  const post = data["post"];
  return {
    id,
    name: textIn(data, "name").trim(),
    nameLower: textIn(data, "nameLower"),
    bio: textIn(data, "bio").trim(),
    photoURL: addressIn(data, "photoURL"),
    closed: data["closed"] === true,
    ownerId: textIn(data, "ownerId"),
    post: post === "anyone" || post === "members" ? post : "owner",
    counts: { followers: countIn(data, "followers"), following: countIn(data, "following"), posts: countIn(data, "posts") },
    fields: me.client.account(data),
  };
}

export const accountOf = <A>(me: Me<unknown, A>, found: DocumentSnapshot | QueryDocumentSnapshot): Account<A> => toAccount(me, found.id, found.data());

/**
 * Watches an account: one read, and one for each change. account is null if there is none. fromCache: only the cache has
 * answered, the server may know another state.
 */
export function watchAccount<A>(
  me: Me<unknown, A>,
  id: string,
  changed: (account: Account<A> | null, fromCache: boolean) => void,
  failed?: (error: Error) => void,
): () => void {
  return listenDoc(me, userPath(me.db, id), (found) => changed(found.exists() ? accountOf(me, found) : null, found.metadata.fromCache), failed);
}

/** What an account writes about itself. A name is written with its key in lists by name. */
export interface ProfileFields {
  name?: string;
  bio?: string;
  photoURL?: string;
  /** Closes or opens the account: followers and posts stay. */
  closed?: boolean;
  /** The app's own fields, beside these. */
  fields?: object;
}

/**
 * Writes the account's own profile: one write, which leaves other fields as they are. May be repeated. An account acts only once it
 * has a profile with a name.
 */
export async function changeProfile(me: Me, { fields = {}, ...own }: ProfileFields): Promise<void> {
  await changeAccount(me, me.id, { ...fields, ...own, ...(own.name !== undefined && nameFields(own.name)) });
}

/** Writes fields of the account, or of a group that it owns: one write. It merges, because the functions' fields must stay. */
export async function changeAccount(me: Me, id: string, fields: Fields): Promise<void> {
  await act(me, "profiles", id, (batch) => batch.set(userPath(me.db, id), fields, { merge: true }));
}

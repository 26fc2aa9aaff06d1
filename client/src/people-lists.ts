/** Lists of accounts: by name, by id, and newest first. */
import type { Query } from "firebase/firestore";
import { toAccount } from "./accounts.ts";
import { Paged } from "./paged.ts";
import type { Names } from "./people.ts";
import { querySource, timeOrder } from "./query.ts";

/** An account in a list. */
export interface PersonItem {
  /** The account's id. */
  id: string;
  order: string;
}

const pageSize = 20;

/** Lists user documents in the order of a field; "": of their ids. Stores the accounts in names. */
export function usersBy(query: Query, field: "nameLower" | "", names: Names): Paged<PersonItem> {
  return new Paged(querySource(query, pageSize, (user) => {
    names.put(user.id, toAccount(user.data()));
    return { id: user.id, order: `${field && user.get(field)}\0${user.id}` };
  }), false);
}

/** Lists documents whose ids are account ids, in the order of the ids. */
export const byId = (query: Query): Paged<PersonItem> => new Paged(querySource(query, pageSize, ({ id }) => ({ id, order: id })), false);

/** Lists documents whose ids are account ids, newest first. */
export function byTime(query: Query): Paged<PersonItem> {
  return new Paged(querySource(query, pageSize, (found) => ({ id: found.id, order: timeOrder(found, "createdAt") })));
}

/** Texts that several views share. Pure. */
import type { Accounts, Unread } from "relationindex-client";

/** Stands for an account that has no name, is gone, or is not known here. */
export const nobody = "Someone";

/** Returns a name to show, isolated. It never fails. */
export const nameOf = (names: Accounts, uid: string): Promise<string> =>
  names.name(uid).then(
    (name) => name || nobody,
    () => nobody,
  );

/** Returns the text for a write that the server does not have yet. */
export const sendingText = (offline: boolean): string => (offline ? "Waiting for the network" : "Sending…");

/** Returns "3"; from 100 on "99+", because at most 100 are counted; "" for 0. */
export const badgeText = (count: number): string => (count >= 100 ? "99+" : count > 0 ? String(count) : "");

/** Returns "3 new" or "20+ new"; "" for 0. */
export const unreadText = ({ count, more }: Unread): string => (count === 0 ? "" : `${count}${more ? "+" : ""} new`);

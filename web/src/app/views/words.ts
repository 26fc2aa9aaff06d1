/** Words that several views have. Pure. */
import type { Names, Unread } from "relationindex-client";

/** Stands for an account that has no name, is gone, or is not known here. */
export const nobody = "Someone";

/** A name to show, isolated. It never fails. */
export const nameOf = (names: Names, uid: string): Promise<string> => names.get(uid).then((name) => name || nobody, () => nobody);

/** What is said of a write that the server does not have yet. */
export const sendingText = (offline: boolean): string => (offline ? "Waiting for the network" : "Sending…");

/** "3"; from 100 on "99+", since so many are counted. */
export const badgeText = (count: number): string => (count >= 100 ? "99+" : count > 0 ? String(count) : "");

/** "3 new", "20+ new" */
export const unreadText = ({ count, more }: Unread): string => (count === 0 ? "" : `${count}${more ? "+" : ""} new`);

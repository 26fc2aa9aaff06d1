/** Texts that several views share. Pure. */
import { isolatedText, type Unread } from "relationindex-client";

/** Stands for an account that has no name, is gone, or is not known here. */
const nobody = "Someone";

/** A name to show, isolated; a space while the account is not known yet. null: it cannot be read now. */
export const shownName = (account: { name: string } | null | undefined): string => (account === undefined ? "\u00a0" : isolatedText(account?.name || nobody));

/** Returns the text for a write that the server does not have yet. */
export const sendingText = (offline: boolean): string => (offline ? "Waiting for the network" : "Sending…");

/** Returns "3"; from 100 on "99+", because at most 100 are counted; "" for 0. */
export const badgeText = (count: number): string => (count >= 100 ? "99+" : count > 0 ? String(count) : "");

/** Returns "3 new" or "20+ new"; "" for 0. */
export const unreadText = ({ count, more }: Unread): string => (count === 0 ? "" : `${count}${more ? "+" : ""} new`);

/** Returns "1 follower", "12 followers". */
export const counted = (count: number, one: string): string => `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`;

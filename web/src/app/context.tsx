/** What every view of a signed-in user works with. */
import type { Account, Fields, Reader } from "relationindex-client";
import { type useBadge, useMe, useProfile } from "relationindex-client/react";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Config } from "../shared/config";
import type { Drafts } from "./data/drafts";
import type { Session } from "./data/session";

export interface App {
  config: Config;
  session: Session;
  /** The user's own account, as it was read last. */
  account: Account;
  drafts: Drafts;
  /** Whether the user may hide other authors' posts; undefined: not known yet. */
  moderator: boolean | undefined;
  /** The posts that the user has reposted since the page was opened. */
  reposted: Set<string>;
  /** The beginnings of the posts that notifications tell of, by id. */
  excerpts: Map<string, string>;
}

export const AppContext = createContext<App | undefined>(undefined);
/** The user's filters and hidden posts; undefined: not known yet, or the functions do not read them. */
export const ReaderContext = createContext<Reader | undefined>(undefined);
/** The user's unseen notifications; undefined if the functions keep none. */
export const BadgeContext = createContext<ReturnType<typeof useBadge> | undefined>(undefined);
/** Whether the page is the one that the user sees: pages that were left stay for the way back. */
export const ShownContext = createContext(true);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("this belongs to a signed-in user");
  return app;
}

export const useMine = () => useMe<Fields, Fields>();
export const useShown = (): boolean => useContext(ShownContext);

/**
 * An account to show: the user's own as it is now, others as they were when they were first read. undefined: not known yet. null: it
 * cannot be read now.
 */
export function useFace(id: string): Account | null | undefined {
  const { account } = useApp();
  const other = useProfile<Fields>(id === account.id ? "" : id); // "" reads nothing
  return id === account.id ? account : other;
}

/** Whether an element is in the page that the user sees. */
export const isInSight = (node: Element | null): boolean => Boolean(node?.isConnected && !node.closest("[hidden]"));

const watchNetwork = (changed: () => void) => {
  for (const event of ["online", "offline"]) addEventListener(event, changed);
  return () => {
    for (const event of ["online", "offline"]) removeEventListener(event, changed);
  };
};

/** Whether the browser is offline, as far as it can tell. */
export const useOffline = (): boolean => useSyncExternalStore(watchNetwork, () => !navigator.onLine);

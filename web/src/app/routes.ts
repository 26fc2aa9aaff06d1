import { isId } from "relationindex-client";

/** Page of the app, as the part of the address after the #. Any file server can therefore serve the app. */
export type Route =
  | { to: "feed" }
  | { to: "people"; tab: Tab }
  | { to: "groups"; tab: GroupTab }
  /** A person, or a group. */
  | { to: "profile"; uid: string; part?: Part }
  /** A post alone. */
  | { to: "post"; id: string }
  | { to: "notifications" }
  | { to: "settings" }
  /** Posts about something: a #name, or an account. */
  | { to: "about"; ref: string }
  /** No page has this address. */
  | { to: "nowhere" };

/** The lists of people, as their tabs name them. */
export type Tab = "everyone" | "following" | "followers" | "requests" | "blocked";
export const tabs: Record<Tab, string> = { everyone: "Everyone", following: "Following", followers: "Followers", requests: "Requests", blocked: "Blocked" };

/** The lists of groups. */
export type GroupTab = "joined" | "owned";
export const groupTabs: Record<GroupTab, string> = { joined: "Joined", owned: "Owned" };

/** The tabs that a group shows to its owner. */
export type Part = "posts" | "members" | "requests" | "blocked";
export const parts: Record<Part, string> = { posts: "Posts", members: "Members", requests: "Requests", blocked: "Blocked" };

/** Returns the route of an address; "nowhere" if the app has no such address. */
export function parse(hash: string): Route {
  const [to = "", rest = "", part = "", ...more] = hash.replace(/^#\/?/, "").replace(/\/$/, "").split("/");
  return (more.length === 0 && routeOf(to, rest, part)) || { to: "nowhere" };
}

function routeOf(to: string, rest: string, part: string): Route | "" | undefined {
  const id = idOf(rest);
  const shown = keyOf(parts, part || "posts");
  if (to === "u") return id && shown && { to: "profile", uid: id, part: shown };
  if (part) return undefined;
  const tab = keyOf(tabs, rest || "everyone");
  const groupTab = keyOf(groupTabs, rest || "joined");
  if (to === "people") return tab && { to, tab };
  if (to === "groups") return groupTab && { to, tab: groupTab };
  if (to === "p") return id && { to: "post", id };
  if (to === "about") return id && { to, ref: id };
  if (rest) return undefined;
  if (to === "notifications" || to === "settings") return { to };
  return to === "" || to === "feed" ? { to: "feed" } : undefined;
}

/**
 * Returns the address of a route: #/feed, #/p/p1, #/people/followers, #/groups/owned, #/u/ada, #/u/g_1/members, #/about/%23garden
 */
export function href(route: Route): string {
  switch (route.to) {
    case "people":
    case "groups":
      return `#/${route.to}/${route.tab}`;
    case "profile":
      return `#/u/${encodeURIComponent(route.uid)}${route.part && route.part !== "posts" ? `/${route.part}` : ""}`;
    case "about":
      return `#/about/${encodeURIComponent(route.ref)}`;
    case "post":
      return `#/p/${encodeURIComponent(route.id)}`;
    case "notifications":
    case "settings":
    case "feed":
    case "nowhere":
      return `#/${route.to}`;
  }
}

const keyOf = <K extends string>(all: Record<K, string>, key: string): K | undefined => (Object.hasOwn(all, key) ? (key as K) : undefined);

/** Returns the id or #name in an address; "" if the text can be neither. A #name is no id, but has the same limits. */
function idOf(text: string): string {
  try {
    const id = decodeURIComponent(text);
    return isId(id) ? id : "";
  } catch {
    return "";
  }
}

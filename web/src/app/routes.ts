import { isId } from "relationindex-client";

/** Where in the app one is: the part of the address after the #, so that any file server will do. */
export type Route =
  | { to: "feed" }
  | { to: "people"; tab: Tab }
  | { to: "groups"; tab: GroupTab }
  /** A person, or a group. */
  | { to: "profile"; uid: string; part?: Part }
  /** A post alone. */
  | { to: "post"; id: string }
  | { to: "notifications" }
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

/** What a group shows to its owner. */
export type Part = "posts" | "members" | "requests" | "blocked";
export const parts: Record<Part, string> = { posts: "Posts", members: "Members", requests: "Requests", blocked: "Blocked" };

/** What is not an address of the app is nowhere. */
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
  if (to === "notifications") return { to };
  return to === "" || to === "feed" ? { to: "feed" } : undefined;
}

/** #/feed, #/p/p1, #/people/followers, #/groups/owned, #/u/ada, #/u/g_1/members, #/about/%23garden */
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
    case "feed":
    case "nowhere":
      return `#/${route.to}`;
  }
}

const keyOf = <K extends string>(all: Record<K, string>, key: string): K | undefined => (Object.hasOwn(all, key) ? (key as K) : undefined);

/** An id out of an address, or a #name, which is none but is bounded as one; "" for what cannot be either. */
function idOf(text: string): string {
  try {
    const id = decodeURIComponent(text);
    return isId(id) ? id : "";
  } catch {
    return "";
  }
}

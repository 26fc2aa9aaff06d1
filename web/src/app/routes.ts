import { isId } from "relationindex-client";

/** Where in the app one is: the part of the address after the #, so that any file server will do. */
export type Route =
  | { to: "feed" }
  | { to: "people"; tab: Tab }
  | { to: "groups"; tab: GroupTab }
  /** A person, or a group. "": nobody can have this id. */
  | { to: "profile"; uid: string; part?: Part }
  /** A post alone. "" as above. */
  | { to: "post"; id: string }
  | { to: "notifications" }
  /** Posts about something: a #name, or an account, "" as above. */
  | { to: "about"; ref: string };

/** The lists of people, as their tabs name them. */
export type Tab = "everyone" | "following" | "followers" | "requests" | "blocked";
export const tabs: Record<Tab, string> = { everyone: "Everyone", following: "Following", followers: "Followers", requests: "Requests", blocked: "Blocked" };

/** The lists of groups. */
export type GroupTab = "joined" | "owned";
export const groupTabs: Record<GroupTab, string> = { joined: "Joined", owned: "Owned" };

/** What a group shows to its owner. */
export type Part = "posts" | "members" | "requests" | "blocked";
export const parts: Record<Part, string> = { posts: "Posts", members: "Members", requests: "Requests", blocked: "Blocked" };

/** What is not an address of the app is the feed. */
export function parse(hash: string): Route {
  const [to = "", rest = "", part = ""] = hash.replace(/^#\/?/, "").split("/");
  if (to === "people") return { to, tab: Object.hasOwn(tabs, rest) ? (rest as Tab) : "everyone" };
  if (to === "groups") return { to, tab: Object.hasOwn(groupTabs, rest) ? (rest as GroupTab) : "joined" };
  if (to === "u") return { to: "profile", uid: idOf(rest), part: Object.hasOwn(parts, part) ? (part as Part) : "posts" };
  if (to === "p") return { to: "post", id: idOf(rest) };
  if (to === "notifications") return { to };
  if (to === "about") return { to, ref: idOf(rest) };
  return { to: "feed" };
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
      return `#/${route.to}`;
  }
}

/** An id out of an address, or a #name, which is none but is bounded as one; "" for what cannot be either. */
function idOf(text: string): string {
  try {
    const id = decodeURIComponent(text);
    return isId(id) ? id : "";
  } catch {
    return "";
  }
}

/** Where in the app one is: the part of the address after the #, so that any file server will do. */
export type Route = { to: "feed" } | { to: "people"; tab: Tab } | { to: "profile"; uid: string };

/** The lists of people, as their tabs name them. */
export type Tab = "everyone" | "following" | "followers" | "blocked";
export const tabs: Record<Tab, string> = { everyone: "Everyone", following: "Following", followers: "Followers", blocked: "Blocked" };

/** What is not an address of the app is the feed. */
export function parse(hash: string): Route {
  const [to = "", rest = ""] = hash.replace(/^#\/?/, "").split("/");
  if (to === "people") return { to, tab: rest in tabs ? (rest as Tab) : "everyone" };
  if (to === "u" && rest) return { to: "profile", uid: unescape(rest) };
  return { to: "feed" };
}

/** #/feed, #/people/followers, #/u/ada */
export function href(route: Route): string {
  if (route.to === "people") return `#/people/${route.tab}`;
  if (route.to === "profile") return `#/u/${encodeURIComponent(route.uid)}`;
  return "#/feed";
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Frame around the pages of a signed-in user: the navigation, and the pages by their addresses. */
import { Bell, CircleUser, House, type LucideIcon, Settings, UserSearch, Users } from "lucide-react";
import { isGroup, isolatedText } from "relationindex-client";
import { type ReactElement, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { leavePage } from "../shared/say";
import { Words } from "../shared/words";
import { BadgeContext, ShownContext, useApp } from "./context";
import { href, parse, type Route } from "./routes";
import { AboutPage } from "./views/about";
import { Avatar } from "./views/avatar";
import { FeedPage } from "./views/feed";
import { GroupPage } from "./views/group";
import { GroupsPage } from "./views/groups";
import { Nowhere } from "./views/nowhere";
import { NotificationsPage } from "./views/notifications";
import { OnePostPage } from "./views/one-post";
import { PeoplePage } from "./views/people";
import { ProfilePage } from "./views/profile";
import { SettingsPage } from "./views/settings";
import { badgeText } from "./views/words";

/** The most pages that stay after the user has left them. They come back as they were, without a read; the oldest goes first. */
const mostHeld = 3;

/** How the user left an entry of the browser's history. */ interface Left {
  scrollY: number;
  focused: Element | null;
}

/** Returns the name of the current entry of the browser's history. The entry keeps its name, also after a reload. */
function historyEntry(): string {
  const state: unknown = history.state;
  if (typeof state === "string") return state;
  const name = `${performance.timeOrigin} ${performance.now()} ${Math.random()}`;
  history.replaceState(name, "");
  return name;
}

export function Shell(): ReactElement {
  const [pages, setPages] = useState(() => [parse(location.hash)]); // the last is shown
  const [entry, setEntry] = useState(historyEntry);
  const route = pages.at(-1)!;
  const { session } = useApp();
  const left = useRef(new Map<string, Left>());
  const main = useRef<HTMLElement>(null);

  useEffect(() => {
    history.scrollRestoration = "manual";
    let at = historyEntry();
    const go = () => {
      left.current.set(at, { scrollY: window.scrollY, focused: document.activeElement });
      for (const one of left.current.values()) if (!one.focused?.isConnected) one.focused = null; // its page has gone
      at = historyEntry();
      setEntry(at);
      const next = parse(location.hash);
      setPages((before) => {
        // The page of notifications does not stay: it would mark new notifications as seen while nobody sees them.
        const held = before.filter((page) => href(page) !== href(next) && page.to !== "notifications").slice(-mostHeld);
        return [...held, before.find((page) => href(page) === href(next)) ?? next];
      });
      leavePage();
    };
    window.addEventListener("hashchange", go);
    return () => window.removeEventListener("hashchange", go);
  }, []);

  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page moves the focus
  useLayoutEffect(() => {
    document.title = `${titles[route.to]} · relationindex`;
    if (first.current) {
      first.current = false;
      if (route.to === "nowhere" || session.entered) heading(main.current)?.focus({ preventScroll: true });
      return;
    }
    const was = left.current.get(entry);
    window.scrollTo(0, was?.scrollY ?? 0);
    // The keyboard continues from where it was, or from the new page's heading, which a screen reader reads.
    const target = was?.focused?.isConnected && main.current?.contains(was.focused) ? (was.focused as HTMLElement) : heading(main.current);
    target?.focus({ preventScroll: true });
  }, [entry]);

  return (
    <div className="columns">
      <Navigation route={route} />
      <main id="main" ref={main} tabIndex={-1}>
        {pages
          .toSorted((a, b) => (href(a) < href(b) ? -1 : 1)) // a page that moves in the document would lose its focus
          .map((page) => (
            <div key={href(page)} className="view" hidden={page !== route}>
              <ShownContext.Provider value={page === route}>
                <View route={page} />
              </ShownContext.Provider>
            </div>
          ))}
      </main>
    </div>
  );
}

const heading = (main: HTMLElement | null) => main?.querySelector<HTMLElement>(".view:not([hidden]) h1");

function View({ route }: { route: Route }): ReactElement {
  const badge = useContext(BadgeContext);
  switch (route.to) {
    case "feed":
      return <FeedPage />;
    case "people":
      return <PeoplePage key={route.tab} tab={route.tab} />;
    case "groups":
      return <GroupsPage key={route.tab} tab={route.tab} />;
    case "profile":
      return isGroup(route.uid) ? <GroupPage id={route.uid} part={route.part ?? "posts"} /> : <ProfilePage id={route.uid} />;
    case "post":
      return <OnePostPage id={route.id} />;
    case "notifications":
      return badge ? <NotificationsPage badge={badge} /> : <Nowhere />;
    case "settings":
      return <SettingsPage />;
    case "about":
      return <AboutPage about={route.ref} />;
    case "nowhere":
      return <Nowhere />;
  }
}

const titles: Record<Route["to"], string> = {
  feed: "Feed",
  people: "People",
  groups: "Groups",
  profile: "Profile",
  about: "Posts about it",
  post: "Post",
  notifications: "Notifications",
  settings: "Settings",
  nowhere: "This page does not exist",
};

function Navigation({ route }: { route: Route }): ReactElement {
  const { account } = useApp();
  const badge = useContext(BadgeContext);
  const own = route.to === "profile" && route.uid === account.id;
  const inGroup = route.to === "groups" || (route.to === "profile" && isGroup(route.uid));
  const count = badgeText(badge?.shown ?? 0);
  const link = (Icon: LucideIcon, label: string, to: Route, here: boolean, more?: ReactElement | false) => (
    <a href={href(to)} aria-current={here ? "page" : undefined}>
      <span className="nav-icon">
        <Icon size={24} strokeWidth={here ? 2.5 : 2} />
        {more}
      </span>
      <span className="label">{label}</span>
    </a>
  );
  return (
    <nav className="main-nav" aria-label="Main">
      <a className="brand" href={href({ to: "feed" })}>
        <img src="/icon.svg" alt="" width={32} height={32} />
        <span className="label">relationindex</span>
      </a>
      {link(House, "Feed", { to: "feed" }, route.to === "feed")}
      {link(UserSearch, "People", { to: "people", tab: "everyone" }, route.to === "people")}
      {link(Users, "Groups", { to: "groups", tab: "joined" }, inGroup)}
      {badge &&
        link(
          Bell,
          "Notifications",
          { to: "notifications" },
          route.to === "notifications",
          count !== "" && (
            <span className="count">
              {count}
              <span className="visually-hidden"> to look at</span>
            </span>
          ),
        )}
      {link(CircleUser, "Profile", { to: "profile", uid: account.id }, own)}
      <span className="wide">{link(Settings, "Settings", { to: "settings" }, route.to === "settings")}</span>
      <a className="own" href={href({ to: "profile", uid: account.id })} aria-hidden="true" tabIndex={-1}>
        <Avatar account={account} />
        <span className="name">
          <Words text={isolatedText(account.name)} />
        </span>
      </a>
    </nav>
  );
}

/**
 * Page of notifications: follow requests that wait for an answer, then all notifications, the newest first. The page marks the
 * notifications that it shows as seen.
 */
import { AtSign, CircleUser, Heart, type LucideIcon, MessageCircle, Sparkle, UserPlus } from "lucide-react";
import { errorMessage, getPosts, isId, type Notification, type Verb } from "relationindex-client";
import { useFollows, useNotifications } from "relationindex-client/react";
import { type ContextType, type ReactElement, useEffect, useRef, useState } from "react";
import { announce } from "../../shared/say";
import { type BadgeContext, useApp, useFace, useMine } from "../context";
import { href, type Route } from "../routes";
import { Avatar } from "./avatar";
import { Empty, ListView, Title, useKeptFocus } from "./list";
import { Name } from "./name";
import { partsOf } from "./notification-words";
import { PersonRow } from "./person";
import { Ago } from "./time";

type Badge = NonNullable<ContextType<typeof BadgeContext>>;

export function NotificationsPage({ badge: { notifiedAt, markSeen } }: { badge: Badge }): ReactElement {
  const list = useNotifications();
  // The time up to which all was seen when the page was opened. Later notifications stay marked as new. undefined: not known yet.
  const [seen, setSeen] = useState(notifiedAt);
  if (seen === undefined && notifiedAt !== undefined) setSeen(notifiedAt);
  const newest = list.items[0]?.at;
  useEffect(() => {
    if (!newest || seen === undefined) return;
    markSeen(newest).catch((error: unknown) => announce(`Not marked as seen. ${errorMessage(error)}`, true));
  }, [newest, seen, markSeen]);
  const excerpts = useExcerpts(list.items);
  // Requests and notifications show together: requests that came later would move the text that is being read.
  const requests = useFollows("followRequests");
  const both = requests.status === "loading" ? { ...list, status: "loading" as const, items: [] } : list;
  return (
    <>
      <Title>Notifications</Title>
      <Requests items={requests.items} />
      <ListView
        key={both.status === "loading" ? "loading" : "all"} // what shows while it loads does not move below the requests
        list={both}
        label="Notifications"
        row={(one) => <NotificationRow one={one} isNew={seen === null || (seen !== undefined && one.at > seen)} excerpt={excerpts.get(one.object)} />}
        skeleton={skeleton}
        empty={<Empty title="Nothing new yet">New followers, likes and comments show here.</Empty>}
      />
    </>
  );
}

const skeleton = (
  <div className="notification">
    <span className="skeleton verb" />
    <span className="skeleton text-bar" style={{ width: "64%" }} />
  </div>
);

const mostShown = 5;

function Requests({ items }: { items: ReturnType<typeof useFollows>["items"] }): ReactElement {
  const box = useRef<HTMLElement>(null);
  useKeptFocus(box);
  return (
    <section ref={box} className="requests" aria-label="Requests" hidden={items.length === 0}>
      <div className="row">
        <h2 className="grow">Requests to follow you</h2>
        {items.length > mostShown && (
          <a className="small" href={href({ to: "people", tab: "requests" })}>
            All requests
          </a>
        )}
      </div>
      <ul className="list" aria-label="Requests to follow you">
        {items.slice(0, mostShown).map((item) => (
          <li key={item.id} className="item">
            <PersonRow item={item} tab="requests" />
          </li>
        ))}
      </ul>
    </section>
  );
}

const icons: Record<Verb, LucideIcon> = { follow: UserPlus, request: CircleUser, like: Heart, comment: MessageCircle, mention: AtSign };

const mostFaces = 3;

/** The whole row is a link to what it tells of. */
function NotificationRow({ one, isNew, excerpt }: { one: Notification; isNew: boolean; excerpt: string | undefined }): ReactElement {
  const Icon = one.verb ? icons[one.verb] : Sparkle;
  const to = targetOf(one);
  const content = (
    <>
      <span className={one.verb === "like" ? "verb liked" : "verb"}>
        <Icon size={20} />
      </span>
      <span className="grow">
        <span className="faces">
          {one.actors.slice(0, mostFaces).map((id) => (
            <Face key={id} id={id} />
          ))}
          <span className="grow" />
          <span className="muted small">
            <Ago time={one.at.toDate()} />
          </span>
        </span>
        <span className="sentence">
          {partsOf(one).map((part, i) => ("actor" in part ? <Actor key={i} id={part.actor} /> : "words" in part ? part.words : part.what))}
          {isNew && <span className="visually-hidden"> New</span>}
        </span>
        {to?.to === "post" && (
          <span className="muted small clip excerpt" dir="auto">
            {excerpt || "\u00a0"}
          </span>
        )}
      </span>
    </>
  );
  const look = isNew ? "notification new" : "notification";
  return to ? (
    <a className={look} href={href(to)}>
      {content}
    </a>
  ) : (
    <div className={look}>{content}</div>
  );
}

const Face = ({ id }: { id: string }) => <Avatar small account={useFace(id) ?? { id, name: "", photoURL: "" }} />;

const Actor = ({ id }: { id: string }) => (
  <span className="name">
    <Name of={useFace(id)} />
  </span>
);

/** The beginnings of the posts that notifications tell of: one read each, once while the app is open. */
function useExcerpts(all: Notification[]): ReadonlyMap<string, string> {
  const me = useMine();
  const { excerpts } = useApp();
  const [, setKnown] = useState(0);
  const asked = useRef(new Set<string>());
  useEffect(() => {
    const ids = all.flatMap((one) => postOf(one) ?? []).filter((id) => !excerpts.has(id) && !asked.current.has(id));
    if (ids.length === 0) return;
    for (const id of ids) asked.current.add(id);
    getPosts(me, ids).then(
      (posts) => {
        for (const id of ids) excerpts.set(id, posts.get(id)?.text.slice(0, 140) ?? "");
        setKnown((before) => before + 1);
      },
      () => ids.forEach((id) => asked.current.delete(id)), // offline: the next look asks again
    );
  }, [me, all, excerpts]);
  return excerpts;
}

const postOf = ({ verb, object }: Notification): string | undefined => (verb && verb !== "follow" && verb !== "request" && isId(object) ? object : undefined);

function targetOf({ verb, object, actors, count }: Notification): Route | undefined {
  if (verb === "follow") return count === 1 && actors[0] ? { to: "profile", uid: actors[0] } : { to: "people", tab: "followers" };
  if (verb === "request") return { to: "people", tab: "requests" };
  return verb && isId(object) ? { to: "post", id: object } : undefined;
}

/** Panel of authors: a list to choose from, and the chosen author's index documents as bars that fill to capacity. */
import { isolatedText } from "relationindex-client";
import { useEffect } from "react";
import { type IndexDocument, type Notification, notification } from "../data/documents";
import { type Live, live, useWatched } from "../data/live";
import { notificationsOf } from "../data/queries";
import type { Window } from "../data/window";
import { bytes, count, number } from "../words/numbers";
import { tallies } from "../words/tallies";
import { useConsole } from "./context";
import { DocumentRow } from "./document-row";
import { Detail, Panel, Scroller, State, Table } from "./panel";
import { People } from "./people";
import { Group, Id, Rest, Text, When } from "./text";

export function AuthorPanel({ index }: { index: Live<Window> }) {
  const { db, names, author } = useConsole(),
    { account, newest = [], total = 0 } = index.value ?? {};
  useEffect(() => names.learn("users", author, account?.name ?? ""), [names, author, account]);
  const older = total - newest.length,
    followers = newest.reduce((n, d) => n + d.followers, 0);
  const summary = account ? `${count(total, "index document")}, ${count(followers, "follower")}${older > 0 ? ` in the newest ${newest.length}` : ""}` : "";
  const none = author
    ? account && newest.length === 0 && "No followers yet\nThe first follow opens an index document."
    : "No author chosen\nChoose one from the list, or let the Play menu make one.";
  const state = { of: index, what: "The index documents", loading: 4, none };
  const head = { id: author, title: author && names.person(author), badge: <Group id={author} />, about: tallies(account?.counts ?? {}) };
  const about = (d: IndexDocument) => (d.backfilled ? "" : "Not every post has its relation yet: backfill is under way.");
  const rows = newest.map((d) => <DocumentRow key={d.id} {...d} label={`index document ${isolatedText(d.id)}`} title={about(d)} />);
  const wide = { Followers: ` of ${number(db.capacity)}`, Bytes: ` of ${bytes(db.budgetBytes)}` };
  return (
    <Panel title="Author" summary={summary}>
      <People />
      <Detail {...head} {...state} label="Index documents" after={db.notifications && <Notifications />}>
        <Table name="index-documents" columns={["Index", "Followers", "Version", "Bytes"]} wide={wide} rows={rows} />
        <Rest n={older} />
      </Detail>
    </Panel>
  );
}

/** The newest notifications of the chosen account, as they are stored. */
function Notifications() {
  const { db, author } = useConsole();
  const known = useWatched(() => author !== "" && live(notification, notificationsOf(db, author)), [db, author]);
  const rows = known.value?.map((one) => <NotificationRow key={one.id} {...one} />) ?? [];
  return (
    <Scroller label="Notifications">
      <Table name="notifications" columns={["Notification", "Count", "By", "At"]} rows={rows} />
      {known.value?.length === 0 && <p className="small muted rest">No notifications.</p>}
      <State of={known} what="The notifications" />
    </Scroller>
  );
}

function NotificationRow({ id, count, actors, at }: Notification) {
  const { names } = useConsole();
  return (
    <tr className="opens">
      <th scope="row">
        <Id id={id} most={24} className="" />
      </th>
      <td className="figure">{number(count)}</td>
      <Text as="td" className="by" title={actors.join("\n")} text={actors.map((uid) => names.person(uid)).join(", ")} />
      <td>
        <When at={at} />
      </td>
    </tr>
  );
}

import { type Notification, notifications } from "relationindex-client";
import { useBadge, useList, useName } from "relationindex-client/react";

import { Problem, useAttempt } from "./attempt";
import { client, names } from "./client";
import { List } from "./List";

export function Notifications({ me }: { me: string }) {
  const told = useList(() => notifications(client.db, me), [me]);
  const { unseen, markSeen } = useBadge(client.db, me);
  const { problem, attempt } = useAttempt();
  const newest = told.items[0];
  return (
    <>
      <h2>Notifications</h2>
      <button disabled={unseen === 0} onClick={() => newest && attempt(() => markSeen(newest.at))}>{unseen} new</button>
      <Problem error={problem} />
      <List label="Notifications" list={told} row={(one) => <Told {...one} />} />
    </>
  );
}

function Told({ verb, count, actors }: Notification) {
  const name = useName(names, actors[0] ?? "");
  return <>{name}: {verb}, {count} in all</>;
}

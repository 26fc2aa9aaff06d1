import type { Notification } from "relationindex-client";
import { useBadge, useName, useNotifications } from "relationindex-client/react";

import { Problem, useAttempt } from "./attempt";
import { List } from "./List";

export function Notifications() {
  const told = useNotifications();
  const { unseen, markSeen } = useBadge();
  const { problem, attempt } = useAttempt();
  const newest = told.items[0];
  return (
    <>
      <h2>Notifications</h2>
      <button disabled={unseen === 0} onClick={() => newest && attempt(() => markSeen(newest.at))}>
        {unseen} new
      </button>
      <Problem error={problem} />
      <List label="Notifications" list={told} row={(one) => <Told {...one} />} />
    </>
  );
}

function Told({ verb, count, actors }: Notification) {
  const name = useName(actors[0] ?? "");
  return (
    <>
      {name}: {verb}, {count} in all
    </>
  );
}

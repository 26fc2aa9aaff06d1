/** Newest notifications of the chosen account, as they are stored. */
import type { ReactElement } from "react";
import { notification } from "../data/documents";
import { live, useWatched } from "../data/live";
import { notificationsOf } from "../data/queries";
import { number } from "../words/numbers";
import { useDb, useNames } from "./context";
import { Columns, Scroller, State } from "./panel";
import { Id, Text } from "./text";
import { When } from "./when";

export function Notifications({ account }: { account: string }): ReactElement {
  const db = useDb(),
    names = useNames();
  const known = useWatched(() => account !== "" && live(notification, notificationsOf(db, account)), [db, account]);
  const { value = [] } = known;
  return (
    <Scroller label="Notifications">
      {value.length > 0 && (
        <table className="notifications">
          <Columns of={[["Notification"], ["Count"], ["By"], ["At"]]} />
          <tbody>
            {value.map((one) => (
              <tr key={one.id} className="opens">
                <th scope="row">
                  <Id id={one.id} most={24} />
                </th>
                <td className="figure">{number(one.count)}</td>
                <Text as="td" className="by" title={one.actors.join("\n")} text={one.actors.map((id) => names.person(id)).join(", ")} />
                <td>
                  <When at={one.at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {known.value?.length === 0 && <p className="small muted rest">No notifications.</p>}
      <State of={known} what="The notifications" />
    </Scroller>
  );
}

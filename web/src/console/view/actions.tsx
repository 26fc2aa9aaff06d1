/** Panel of actions: a line for each action, with its costs. */
import { type Action, costs, totals } from "../data/actions";
import { cost, sentence } from "../words/action";
import { number, share } from "../words/numbers";
import { useConsole, useDev } from "./context";
import { Panel, Scroller, State } from "./panel";
import { Text, When } from "./text";

const mostShown = 50;
const bars = ["reads", "writes", "deletes"] as const;

export function ActionsPanel() {
  const { actions, open } = useDev(),
    known = open || actions.length > 0;
  const newest = actions.slice(0, mostShown),
    sum = totals(actions);
  const most = Math.max(1, ...newest.flatMap((a) => bars.map((kind) => a[kind])));
  const none = known && newest.length === 0 && "Nothing has happened yet\nFollow, post or edit: in the app, or from the Play menu above.";
  const rows = newest.map((a) => <ActionRow key={a.id} action={a} most={most} />);
  return (
    <Panel title="Actions" summary={actions.length === 0 ? "" : `${number(actions.length)} this session`}>
      <p className="lost" role="status" hidden={open !== false}>
        The dev server has ended. Start it again with <code>relationindex dev</code>.
      </p>
      <dl className="totals" aria-label="Totals of this session">
        {costs.map((kind) => (
          <div key={kind}>
            <dt>
              <span className={`swatch ${kind}`} aria-hidden="true" />
              {kind}
            </dt>
            <dd className="figure">{known ? number(sum[kind]) : "–"}</dd>
          </div>
        ))}
      </dl>
      <Scroller label="List of actions">
        <ol className="actions-list">{rows}</ol>
        <State of={known ? { value: newest } : {}} what="The actions" loading={open === false ? 0 : 4} kind="block" none={none} />
      </Scroller>
    </Panel>
  );
}

function ActionRow({ action, most }: { action: Action; most: number }) {
  const { db, names } = useConsole();
  return (
    <li className={action.done ? "action" : "action growing"} title={action.what.map((c) => `${c.document} ${c.change}`).join("\n")}>
      <p className="line">
        <Text className="what" text={sentence(action, db.collections, names)} />
        <span className="visually-hidden"> — </span>
        <span className="price">{cost(action)}</span>
      </p>
      <When at={action.at} />
      <div className="cost-bars" aria-hidden="true">
        {bars.map((kind) => (
          <span key={kind} className={action[kind] === 0 ? `${kind} none` : kind} style={{ width: `${share(action[kind], most) * 100}%` }} />
        ))}
      </div>
    </li>
  );
}

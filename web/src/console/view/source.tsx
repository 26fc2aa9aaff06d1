/** Choice of the source from which the app on this device reads the feed. A developer can choose another source than the best. */
import { type SourceName, sourcesOf } from "relationindex-client";
import { type ReactElement, useState } from "react";
import { choose, chosen, sources } from "../../shared/source";
import { useConfig } from "./context";

export function SourceChoice(): ReactElement {
  const config = useConfig(),
    all = sourcesOf(config);
  const [value, setValue] = useState(() => chosen(config));
  const turn = (to: SourceName | "") => {
    setValue(to);
    choose(to);
  };
  return (
    <label className="source row small muted">
      The app reads from
      <select className="input" value={value} onChange={(event) => turn(event.currentTarget.value as SourceName | "")}>
        <option value="">{`Best: ${sources[all[0] ?? "relations"].toLowerCase()}`}</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {sources[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Row of an index document, or of a relation, which copies one. */
import type { ReactElement, ReactNode } from "react";
import { bytes, number, outOf, version } from "../words/numbers";
import { Meter } from "./bar";
import { useDb } from "./context";
import { useFlash } from "./flash";
import { Text } from "./text";

interface DocumentRowProps {
  indexId: string;
  /** What the bar shows: "Followers in index document 00001". */
  label: string;
  title?: string;
  followers: number;
  version: number;
  /** The version of the index document, if it is newer. */
  newer?: number | undefined;
  sizeBytes: number;
  name: ReactNode;
  /** Further cells. */
  children?: ReactNode;
}

export function DocumentRow({ indexId, label, title, followers, version: of, newer, sizeBytes, name, children }: DocumentRowProps): ReactElement {
  const { capacity, budgetBytes } = useDb(),
    row = useFlash<HTMLTableRowElement>(of);
  return (
    <tr ref={row} className={newer === undefined ? "opens" : "opens stale"} data-index={indexId} title={title}>
      <th scope="row">{name}</th>
      <td className="fills">
        <Meter label={label} value={followers} max={capacity} text={outOf(followers, capacity)} />
      </td>
      <td className="figure">{number(followers)}</td>
      <td className="figure" title={number(of)}>
        {newer === undefined ? (
          version(of)
        ) : (
          <Text className="badge warn" title="Stale: its index document has a newer version" text={`${version(of)} of ${version(newer).slice(2)}`} />
        )}
      </td>
      <td className="figure" title={`${number(sizeBytes)} bytes of ${number(budgetBytes)}`}>
        {bytes(sizeBytes)}
      </td>
      {children}
    </tr>
  );
}

/** Row of an index document, or of a relation, which copies one. */
import type { ReactNode } from "react";
import { directIndex, type Relation } from "../data/documents";
import { bytes, number, outOf, version } from "../words/numbers";
import { Meter } from "./bar";
import { useConsole } from "./context";
import { useFlash } from "./flash";
import { Id, Text } from "./text";

interface DocumentRowProps extends Pick<Relation, "indexId" | "followers" | "version" | "sizeBytes"> {
  /** What the bar is about: "index document 00001". */
  label: string;
  title?: string;
  /** The version of the index document, if it is newer than the relation's. */
  newer?: number | undefined;
  children?: ReactNode;
}

export function DocumentRow({ label, indexId, title, followers, version: of, newer, sizeBytes, children }: DocumentRowProps) {
  const { capacity, budgetBytes } = useConsole().db,
    row = useFlash<HTMLTableRowElement>(of);
  const stale = newer && (
    <Text className="badge warn" title="Stale: its index document has a newer version" text={`${version(of)} of ${version(newer).slice(2)}`} />
  );
  return (
    <tr ref={row} className={stale ? "opens stale" : "opens"} data-index={indexId} title={title}>
      <th scope="row">{indexId === directIndex ? <code>direct</code> : <Id id={indexId} most={12} className="" />}</th>
      <td className="fills">
        <Meter label={`Followers in ${label}`} value={followers} max={capacity} text={outOf(followers, capacity)} />
      </td>
      <td className="figure">{number(followers)}</td>
      <td className="figure" title={number(of)}>
        {stale || version(of)}
      </td>
      <Text as="td" className="figure" title={`${number(sizeBytes)} bytes of ${number(budgetBytes)}`} text={bytes(sizeBytes)} />
      {children}
    </tr>
  );
}

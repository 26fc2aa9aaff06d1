import type { ReactElement } from "react";
import { Words } from "../../shared/words";
import { shownName } from "./words";

/** The name of an account. While the account is not known yet, a place of a name's size: what follows hardly moves when it comes. */
export const Name = ({ of }: { of: Parameters<typeof shownName>[0] }): ReactElement =>
  of === undefined ? <span className="skeleton text-bar" role="img" aria-label="Loading" style={{ width: "6em" }} /> : <Words text={shownName(of)} />;

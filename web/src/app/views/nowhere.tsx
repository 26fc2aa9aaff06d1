/** Page that is shown if the app has no page at an address. */
import type { ReactElement } from "react";
import { href } from "../routes";

export const Nowhere = (): ReactElement => (
  <div className="notice">
    <h1 tabIndex={-1}>This page does not exist</h1>
    <p>The address may be mistyped, or cut off.</p>
    <a className="button primary" href={href({ to: "feed" })}>
      Go to your feed
    </a>
  </div>
);

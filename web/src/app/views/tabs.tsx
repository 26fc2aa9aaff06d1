import type { ReactElement } from "react";

/** Tabs: a row of links to pages. The link to the current page is marked. */
export const Tabs = <T extends string>({ label, all, here, to }: { label: string; all: Record<T, string>; here: T; to: (tab: T) => string }): ReactElement => (
  <nav aria-label={label}>
    <ul className="tabs">
      {(Object.entries(all) as [T, string][]).map(([tab, name]) => (
        <li key={tab}>
          <a href={to(tab)} aria-current={tab === here ? "page" : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

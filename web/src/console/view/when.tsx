/** Says how long ago something was, and keeps it up to date. */
import { Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import type { ReactElement } from "react";
import { datesIn } from "../../app/views/dates";

const everyMs = 1000;
const dates = datesIn();

const clock: Value<Date> = new Value(new Date(), () => {
  const timer = setInterval(() => clock.set(new Date()), everyMs);
  return () => clearInterval(timer);
});

/** The time, each second. */
export const useNow = (): Date => useValue(clock);

/** null: the time is not known. */
export function When({ at }: { at: Date | null }): ReactElement {
  const now = useNow();
  const iso = at && !Number.isNaN(at.getTime()) ? at.toISOString() : "";
  return (
    <time className="small muted" dateTime={iso} title={iso}>
      {iso && at && dates.short(at, now)}
    </time>
  );
}

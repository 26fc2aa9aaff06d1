import { Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import type { ReactElement } from "react";
import { datesIn } from "./dates";

const { short, full } = datesIn();

/** The time, each minute, and when the user comes back to the page. */
const now: Value<Date> = new Value(new Date(), () => {
  const tick = () => document.hidden || now.set(new Date());
  const timer = setInterval(tick, 60_000);
  document.addEventListener("visibilitychange", tick);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
});

/** How long ago a time was. The tooltip has the date and the time in full. */
export function Ago({ time }: { time: Date }): ReactElement {
  const from = useValue(now);
  return (
    <time dateTime={time.toISOString()} title={full(time)}>
      {short(time, from > time ? from : new Date())}
    </time>
  );
}

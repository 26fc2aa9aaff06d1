const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

/** Says how long before `now` a time was: "now", "5 min. ago", "yesterday". */
export function ago(time: Date, now: Date = new Date()): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1000);
  if (Math.abs(seconds) < 10) return "now";
  if (Math.abs(seconds) < 60) return relative.format(seconds, "second");
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), "minute");
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3600), "hour");
  return relative.format(Math.round(seconds / 86_400), "day");
}

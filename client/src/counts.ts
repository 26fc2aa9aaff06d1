/** The numbers that the functions keep in `counts` of a document. */

/** Returns a number in `counts`; 0: missing, or not a number. */
export function countIn(data: Record<string, unknown>, name: string): number {
  const counts: unknown = data["counts"];
  const value: unknown = typeof counts === "object" && counts !== null ? (counts as Record<string, unknown>)[name] : 0;
  return typeof value === "number" && value > 0 ? Math.floor(value) : 0;
}

// Ids with a meaning; the Go package schema has the same functions.

/** Reports whether an id of users is a group's: g_…. Nobody signs in as a group. */
export const isGroup = (id: string): boolean => id.startsWith("g_");

/**
 * Reports whether a text can be a document id. For other texts, the SDK throws or the server rejects the request. An address in
 * the browser, or a field that another client wrote, may hold any text.
 */
export const isId = (id: string): boolean =>
  id !== "" && id !== "." && id !== ".." && !id.includes("/") && !/^__.*__$/s.test(id) && !/\p{Cs}/u.test(id) && new TextEncoder().encode(id).length <= 1_500;

// Ids that mean something by themselves: schema/ has the same.

/** Whether an id of the users collection is a group's, g_…: nobody signs in as one. */
export const isGroup = (id: string): boolean => id.startsWith("g_");

/**
 * Whether a text can be the id of a document. The SDK throws for some others, and the server refuses the rest. An address,
 * or a field of another's document, may hold any text.
 */
export const isId = (id: string): boolean =>
  id !== "" && id !== "." && id !== ".." && !id.includes("/") && !/^__.*__$/s.test(id) && !/\p{Cs}/u.test(id) && new TextEncoder().encode(id).length <= 1_500;

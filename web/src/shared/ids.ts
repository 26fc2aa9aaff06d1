// Ids that mean something by themselves: schema/ has the same.

/** Whether an id of the users collection is a group's, g_…: nobody signs in as one. */
export const isGroup = (id: string): boolean => id.startsWith("g_");

/** The indexId of a direct relation, _relations/{post}_00000: its followers are the people that the post names in `to`. */
export const directIndex = "00000";

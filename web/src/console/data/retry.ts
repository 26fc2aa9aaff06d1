/** Lets a failed or canceled job go on where it stopped. */

/** Returns what `dev` says it did. The error says why it did not. A second call finds the job under way, and changes nothing. */
export async function retryJob(id: string): Promise<string> {
  // The content type is one that another site's page cannot send without asking first.
  const answer = await fetch(`/dev/jobs/${encodeURIComponent(id)}/retry`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  const said = (await answer.json().catch(() => ({}))) as { message?: string; error?: { message?: string } };
  if (!answer.ok) throw new Error(said.error?.message ?? `dev answered ${answer.status}`);
  return said.message ?? "The job is queued.";
}

/** Retry of a failed or canceled job. The job continues where it stopped. */

/**
 * Returns the message of `dev` about the retry. If the retry fails, the error says why. A second call finds the job under way,
 * and changes nothing.
 */
export async function retryJob(id: string): Promise<string> {
  // Another site's page cannot send this content type without a preflight request.
  const answer = await fetch(`/dev/jobs/${encodeURIComponent(id)}/retry`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  const said = (await answer.json().catch(() => ({}))) as { message?: string; error?: { message?: string } };
  if (!answer.ok) throw new Error(said.error?.message ?? `dev answered ${answer.status}`);
  return said.message ?? "The job is queued.";
}

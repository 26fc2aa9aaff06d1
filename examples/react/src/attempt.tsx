import { useState } from "react";
import { errorMessage } from "relationindex-client";

/** Does what a person asks for, and keeps why the last of it failed. */
export function useAttempt() {
  const [problem, setProblem] = useState<unknown>();
  const attempt = (step: () => Promise<unknown>) => {
    setProblem(undefined);
    step().catch(setProblem);
  };
  return { problem, attempt };
}

export const Problem = ({ error }: { error: unknown }) => <p role="alert">{error ? errorMessage(error) : ""}</p>;

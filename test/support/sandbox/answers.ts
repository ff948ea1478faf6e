import type { SandboxAnswer } from "./open-sandbox.ts";

/** The id of the message that a send was answered with. */
export function messageId({ json, text }: SandboxAnswer): string {
  const id = (json as { messages?: { id?: string }[] } | undefined)?.messages?.[0]?.id;
  if (id === undefined) throw new Error(`no message id in ${text}`);
  return id;
}

/** The platform's error of an answer, without its trace id. */
export function errorOf({ json, text }: SandboxAnswer): Record<string, unknown> {
  const error = (json as { error?: Record<string, unknown> } | undefined)?.error;
  if (error === undefined) throw new Error(`no error in ${text}`);
  const { fbtrace_id: trace, ...rest } = error;
  if (typeof trace !== "string") throw new Error(`no trace id in ${text}`);
  return rest;
}

/** What stands in `error_data.details`. */
export function detailsOf(answer: SandboxAnswer): string | undefined {
  return (errorOf(answer)["error_data"] as { details?: string } | undefined)?.details;
}

/** The names of a list answer's items. */
export function namesOf({ json }: SandboxAnswer): string[] {
  return (json as { data: { name: string }[] }).data.map(({ name }) => name);
}

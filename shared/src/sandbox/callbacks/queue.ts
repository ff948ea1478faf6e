import type { SandboxContext } from "../http.ts";
import { insertCallbacks } from "../store.ts";

export interface Update {
  wabaId: string;
  /** Id of the message, template or preference. */
  subject: string;
  field: string;
  kind: string;
  value: unknown;
  /** Milliseconds since 1970; now when left out. */
  dueAt?: number | undefined;
}

/** Stores an update for the account's callback. */
export async function queueUpdate(context: SandboxContext, update: Update): Promise<void> {
  const now = context.options.now();
  const { wabaId, subject, field, kind, value, dueAt = now } = update;
  const row = { waba_id: wabaId, subject, field, kind, value: JSON.stringify(value), due_at: new Date(dueAt), created_at: new Date(now) };
  await insertCallbacks(context.sql, [row]);
  context.courier.expect(wabaId, dueAt);
}

import { listSandboxed } from "shared/db/platform-account";
import type { AdminContext } from "../context.ts";
import { SandboxRefusal } from "./client.ts";

/** Has the sandbox forget the messages that are older than their account's log. One that does not answer is asked the next time. */
export async function forgetSandboxMessages(
  { sql, sandbox, log }: Pick<AdminContext, "sql" | "sandbox" | "log">,
  step: () => Promise<void>,
): Promise<void> {
  if (sandbox === null) return;
  try {
    for (const { phone_number_id: phoneNumberId, kept_since: before } of await listSandboxed(sql)) {
      await step();
      await sandbox.forget({ phoneNumberId, before });
    }
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    log.warn({ err: error }, "the sandbox does not forget old messages");
  }
}

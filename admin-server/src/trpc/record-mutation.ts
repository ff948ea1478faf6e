import { newId } from "shared/db/new-id";
import { insertAuditEntry } from "shared/db/tables/audit/insert";
import type { RequestContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";

/**
 * Writes down who changed what. Of input and output only ids are kept, never a secret. The change stands already, so a failure here is
 * logged and does not turn it into an error.
 */
export async function recordMutation(context: RequestContext, caller: Caller, action: string, input: unknown, output: unknown): Promise<void> {
  const actor = caller.via.kind === "session" ? caller.email : `${caller.email} (token ${caller.via.id})`;
  const subject = idIn(output) ?? idIn(input) ?? null;
  try {
    await insertAuditEntry(context.sql, { id: newId(), accountId: caller.accountId, actor, action, subject, address: context.address });
  } catch (error) {
    context.log.error({ err: error, action, subject }, "audit entry not written");
  }
}

/** The member `id`, else the one of the object inside, as in `{site: {id}}`. */
function idIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value["id"] === "string") return value["id"].slice(0, 100);
  return Object.values(value)
    .map((member) => (isObject(member) && typeof member["id"] === "string" ? member["id"] : undefined))
    .find((id) => id !== undefined);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

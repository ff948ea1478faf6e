import { newId } from "shared/db/new-id";
import { insertAuditEntry } from "shared/db/tables/audit/insert";
import type { RequestContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";

export interface Mutation {
  accountId: string;
  actor: string;
  /** The procedure, such as `sites.create`. */
  action: string;
  /** The id of what was changed. */
  subject: string | null;
}

/** Writes down who changed what. The change stands already, so a failure here is logged and does not turn it into an error. */
export async function recordMutation({ sql, log, address }: RequestContext, mutation: Mutation): Promise<void> {
  try {
    await insertAuditEntry(sql, { id: newId(), address, ...mutation });
  } catch (error) {
    log.error({ err: error, action: mutation.action, subject: mutation.subject }, "audit entry not written");
  }
}

export const actorOf = ({ via, email }: Caller): string => (via.kind === "session" ? email : `${email} (token ${via.id})`);

/** Of input and output only an id is kept, never a secret: the output's, that of the object inside as in `{site: {id}}`, else the input's. */
export const subjectOf = (input: unknown, output: unknown): string | null => idIn(output) ?? idIn(input) ?? null;

function idIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value["id"] === "string") return value["id"].slice(0, 100);
  return Object.values(value)
    .map((member) => (isObject(member) && typeof member["id"] === "string" ? member["id"] : undefined))
    .find((id) => id !== undefined);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

import { insertAuditEntry } from "shared/db/audit";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import type { Logger } from "shared/server/logger";
import type { Caller } from "../session/caller.ts";

export interface Actor {
  accountId: string;
  /** An e-mail address, or the name of a command. */
  name: string;
  userId: string | null;
  /** The access token used; null for a session. */
  tokenId: string | null;
}

export interface Mutation {
  /** The procedure, such as `sites.create`. */
  action: string;
  /** The id of the changed object. */
  subject: string | null;
}

/** Records who changed what. The change is committed already, so a failure here is only logged. */
export async function recordMutation(
  { sql, log, address }: { sql: Sql; log: Logger; address: string | null },
  { accountId, name, userId, tokenId }: Actor,
  { action, subject }: Mutation,
): Promise<void> {
  const entry = { id: newId(), account_id: accountId, actor: name, actor_id: userId, token_id: tokenId, action, subject, address };
  try {
    await insertAuditEntry(sql, entry);
  } catch (error) {
    log.error({ err: error, entry }, "audit entry not written");
  }
}

export const callerAsActor = ({ accountId, email, userId, via }: Caller): Actor => ({
  accountId,
  name: email,
  userId,
  tokenId: via.kind === "access-token" ? via.id : null,
});

/** Only an id goes into the audit, never a secret: the output's own, that of an object within as in `{site: {id}}`, else the input's. */
export const subjectOf = (input: unknown, output: unknown): string | null => idIn(output) ?? idIn(input) ?? null;

function idIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value["id"] === "string") return value["id"].slice(0, 100);
  return Object.values(value)
    .map((member) => (isObject(member) && typeof member["id"] === "string" ? member["id"] : undefined))
    .find((id) => id !== undefined);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

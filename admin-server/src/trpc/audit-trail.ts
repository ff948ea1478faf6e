import { insertAuditEntry } from "shared/db/audit";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import type { Logger } from "shared/server/logger";
import type { Caller } from "../session/caller.ts";

/** Who did something. */
export interface Actor {
  accountId: string;
  /** An e-mail address, or the name of a command. */
  name: string;
  userId: string | null;
  /** The access token that they came with. */
  tokenId: string | null;
}

export interface Mutation {
  /** The procedure, such as `sites.create`. */
  action: string;
  /** The id of what was changed. */
  subject: string | null;
}

/** Writes down who changed what. The change stands already, so a failure here is logged and does not turn it into an error. */
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

import { type AuditChange, insertAuditEntry, lockForAudit } from "shared/db/audit";
import { changesBetween, readAudited } from "shared/db/audited";
import { newId } from "shared/db/ids";
import { type Sql, inTransaction } from "shared/db/statement";
import type { Caller } from "../session/caller.ts";
import { mutationInTurn } from "../session/turns.ts";
import madeSecrets from "./made-secrets.json" with { type: "json" };

export interface Actor {
  accountId: string;
  /** An e-mail address, or the name of a command. */
  name: string;
  userId: string | null;
  /** The access token used; null for a session. */
  tokenId: string | null;
}

/** The details of an entry beside its actor and action. */
export interface Told {
  /** The id of the changed object. */
  subject?: string | null | undefined;
  changes?: readonly AuditChange[] | undefined;
}

/** Records who changed what, by which procedure. `sql`: the transaction of the change, so that there is never one without the other. */
export const recordMutation = (
  { sql, address }: { sql: Sql; address: string | null },
  { accountId, name, userId, tokenId }: Actor,
  { action, subject = null, changes }: Told & { action: string },
): Promise<void> =>
  insertAuditEntry(sql, {
    id: newId(),
    account_id: accountId,
    actor: name,
    actor_id: userId,
    token_id: tokenId,
    action,
    subject,
    address,
    ...(changes !== undefined && { changes }),
  });

/**
 * Runs a mutation of the caller's account in one transaction with its audit entry, which tells the values before and after. The account's mutations run one
 * after the other, so that the values are those that the change met. A mutation that changes several objects writes an entry for each by itself; `isRecorded` tells.
 */
export async function inAuditedTransaction<T extends { data: unknown }>(
  { sql, address, isInTurn }: { sql: Sql; address: string; isInTurn: boolean },
  caller: Caller,
  { action, input, isRecorded }: { action: string; input: unknown; isRecorded: () => boolean },
  run: (sql: Sql) => Promise<T>,
): Promise<T> {
  const { accountId } = caller;
  // Waits before it takes a connection, so that one account's calls never hold all of the server's while they wait for each other.
  const inTurn = isInTurn ? <R>(act: () => Promise<R>) => act() : <R>(act: () => Promise<R>) => mutationInTurn(accountId, act);
  return inTurn(() =>
    inTransaction(sql, async (transaction) => {
      await lockForAudit(transaction, accountId, caller.email);
      const given = subjectOf(input, null);
      const before = await readAudited(transaction, action, accountId, given);
      const result = await run(transaction);
      if (isRecorded()) return result;
      const subject = subjectOf(input, result.data);
      const after = await readAudited(transaction, action, accountId, subject);
      // What it makes of one object, such as an operation, is another.
      const changes = [...changesBetween(subject === given ? before : new Map(), after), ...secretsOf(action)];
      await recordMutation({ sql: transaction, address }, callerAsActor(caller), { action, subject, changes });
      return result;
    }),
  );
}

/** The secrets that a procedure makes anew: their entry tells only that they changed. */
const secrets: Record<string, string[]> = madeSecrets;

const secretsOf = (action: string): AuditChange[] => (secrets[action] ?? []).map((member) => ({ member, secret: true }));

export const callerAsActor = ({ accountId, email, userId, via }: Caller): Actor => ({
  accountId,
  name: email,
  userId,
  tokenId: via.kind === "access-token" ? via.id : null,
});

/** The id for the audit, never a secret: the output's own, that of an object within as in `{site: {id}}`, else the input's. */
export const subjectOf = (input: unknown, output: unknown): string | null => idIn(output) ?? idIn(input) ?? null;

function idIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value["id"] === "string") return value["id"].slice(0, 100);
  return Object.values(value)
    .map((member) => (isObject(member) && typeof member["id"] === "string" ? member["id"] : undefined))
    .find((id) => id !== undefined);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

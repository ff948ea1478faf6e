import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { countRecent, insertOutgoing, type OutboxKind } from "shared/db/outbox";
import { outboxPlace } from "shared/secrets/sealed-columns";
import type { Vault } from "shared/secrets/vault";
import type { AdminContext } from "../context.ts";
import type { Letter } from "./letter.ts";

/** The content of an e-mail, as the outbox keeps it, encrypted. */
export interface MailContent {
  to: string;
  letter: Letter;
}

export interface NewMail extends MailContent {
  accountId: string;
  kind: "invite" | "reset" | "confirm";
  expiresAt: Date;
}

type MailContext = Pick<AdminContext, "sql" | "vault" | "mailer">;

/**
 * The most mails to an address by all accounts, and by one account, in this many hours, so that they fill nobody's mailbox and cost no mail server its
 * good name. The limit of links lasts few hours, so that a stranger who asks in somebody's name cannot keep them from their link for long.
 */
const limits: Record<NewMail["kind"], { hours: number; ofAddress: number; ofAccount: number }> = {
  invite: { hours: 24, ofAddress: 5, ofAccount: 100 },
  reset: { hours: 1, ofAddress: 3, ofAccount: 100 },
  confirm: { hours: 24, ofAddress: 3, ofAccount: 20 },
};

/** Has an e-mail sent once the transaction `sql` is committed. False if this server sends none, or if too many were written already for that address or by that account. */
export async function enqueueMail(
  { sql, vault, mailer }: MailContext,
  { accountId, kind, to, letter, expiresAt }: NewMail,
): Promise<boolean> {
  if (mailer === null) return false;
  const toHash = addressHash(vault, to);
  const { hours, ofAddress, ofAccount } = limits[kind];
  const written = await countRecent(sql, { toHash, accountId, kind, hours, most: ofAccount });
  if (written.of_address >= ofAddress || written.of_account >= ofAccount) return false;
  await enqueue({ sql, vault }, { accountId, kind, toHash, content: { to, letter } satisfies MailContent, expiresAt });
  return true;
}

/** Has something sent once the transaction `sql` is committed. */
export async function enqueue(
  { sql, vault }: { sql: Sql; vault: Vault },
  { accountId, kind, toHash, channelId, content, expiresAt }: NewContent,
): Promise<void> {
  const id = newId();
  const seal = await vault.sealer(sql);
  const sealed = seal(JSON.stringify(content), outboxPlace(accountId, id));
  const row = { id, account_id: accountId, kind, to_hash: toHash, content: sealed, expires_at: expiresAt };
  await insertOutgoing(sql, channelId === undefined ? row : { ...row, channel_id: channelId });
}

interface NewContent {
  accountId: string | null;
  kind: OutboxKind;
  toHash: string | null;
  /** The channel of an alert. */
  channelId?: string;
  content: object;
  expiresAt: Date;
}

export const addressHash = (vault: Vault, address: string): string => vault.fingerprint(`address ${address.toLowerCase()}`);

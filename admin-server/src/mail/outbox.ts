import { newId } from "shared/db/ids";
import { takeTries } from "shared/db/login-try";
import { hasProvenOwner } from "shared/db/membership";
import { insertOutgoing, type OutboxKind } from "shared/db/outbox";
import type { Sql } from "shared/db/statement";
import { type Vault, placeIn } from "shared/secrets/vault";
import type { AdminContext } from "../context.ts";
import { wideNetworkOf } from "../session/guess-limit.ts";
import { digest } from "../session/sessions.ts";
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
  /**
   * The address of the client who has the mail written, if its reader may be a stranger to the account. `isOwner`: it proves the address of the account's own
   * person. Null: the reader is known to the account, or asks for the mail.
   */
  by: { address: string; isOwner?: boolean } | null;
  /** True if somebody has asked for the mail to their own address. */
  isAsked?: boolean;
}

/**
 * The most mails to an address by all accounts, and by one account, in this many hours, so that they fill nobody's mailbox and cost no mail server its
 * good name. The limit of links lasts few hours, so that a stranger who asks in somebody's name cannot keep them from their link for long.
 */
const limits: Record<NewMail["kind"], { hours: number; ofAddress: number; ofAccount: number }> = {
  invite: { hours: 24, ofAddress: 5, ofAccount: 100 },
  reset: { hours: 1, ofAddress: 3, ofAccount: 100 },
  confirm: { hours: 24, ofAddress: 3, ofAccount: 20 },
};
/** The most mails to strangers in a day: by one account, from one network (see `wideNetworkOf`), and in all. */
const toStrangers = { ofAccount: 20, ofNetwork: 100, inAll: 1_000 };
const dayMinutes = 1_440;

/**
 * Has an e-mail sent once the transaction `sql` is committed. False if this server sends none, if too many were written already, or if the account's owner
 * has not shown yet that their own mailbox is theirs.
 */
export async function enqueueMail({ sql, vault, mailer }: Pick<AdminContext, "sql" | "vault" | "mailer">, mail: NewMail): Promise<boolean> {
  if (mailer === null) return false;
  const { accountId, kind, to, letter, expiresAt, by } = mail;
  if (by?.isOwner !== true && mail.isAsked !== true && !(await hasProvenOwner(sql, accountId))) return false;
  const toHash = addressHash(vault, mailboxOf(to));
  const { hours, ofAddress, ofAccount } = limits[kind];
  const count = (what: string, most: number, withinMinutes = dayMinutes) => ({ key: digest(`mail ${what}`), most, withinMinutes });
  const ofStrangers = (address: string) => [
    count(`to strangers of ${accountId}`, toStrangers.ofAccount),
    count(`to strangers from ${wideNetworkOf(address)}`, toStrangers.ofNetwork),
    count("to strangers in all", toStrangers.inAll),
  ];
  // Counted at all servers together.
  const taken = await takeTries(sql, [
    count(`${kind} to ${toHash}`, ofAddress, hours * 60),
    count(`${kind} of ${accountId}`, ofAccount, hours * 60),
    ...(by === null ? [] : ofStrangers(by.address)),
  ]);
  if ("waitSeconds" in taken) return false;
  await enqueue({ sql, vault }, { accountId, kind, toHash, content: { to, letter } satisfies MailContent, expiresAt });
  return true;
}

/** One mailbox has many addresses: what stands behind a plus only sorts its mails. */
const mailboxOf = (address: string): string => address.replace(/\+[^@]*(?=@)/u, "");

/** Has something sent once the transaction `sql` is committed. */
export async function enqueue(
  { sql, vault }: { sql: Sql; vault: Vault },
  { accountId, kind, toHash, channelId, content, expiresAt }: NewContent,
): Promise<void> {
  const id = newId();
  const seal = await vault.sealer(sql);
  const sealed = seal(JSON.stringify(content), placeIn("outbox.content", accountId ?? "", id));
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

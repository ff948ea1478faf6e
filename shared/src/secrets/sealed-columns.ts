import type { SiteMode } from "../core/site.ts";

/**
 * The columns that hold records of the vault, by their name in the records. Nothing can be sealed that is not listed here, and a rotation of the master key
 * goes through this list.
 */
export const sealedColumns = {
  "account.verify_token": { table: "account", column: "verify_token", row: "id", account: "t.id" },
  "account.data_key": { table: "account", column: "data_key", row: "id", account: "t.id" },
  "site_secret.secret": {
    table: "site_secret",
    column: "secret",
    row: "id",
    account:
      "(select case when site.mode = 'test' and t.kind = 'webhook_secret' then 'test ' else '' end || account_id from site where site.id = t.site_id)",
    locks: "site_id",
  },
  "platform_account.access_token": { table: "platform_account", column: "access_token", row: "account_id", account: "t.account_id" },
  "platform_account.app_secret": { table: "platform_account", column: "app_secret", row: "account_id", account: "t.account_id" },
  "test_connection.access_token": { table: "test_connection", column: "access_token", row: "account_id", account: "t.account_id" },
  "test_connection.app_secret": { table: "test_connection", column: "app_secret", row: "account_id", account: "t.account_id" },
  "assistant.api_key": { table: "assistant", column: "api_key", row: "account_id", account: "t.account_id" },
  "opt_out.phone": { table: "opt_out", column: "phone", row: "id", account: "t.account_id" },
  "opt_out.user_id": { table: "opt_out", column: "user_id", row: "id", account: "t.account_id" },
  "erasure.phone": { table: "erasure", column: "phone", row: "id", account: "t.account_id" },
  "erasure_request.person": { table: "erasure_request", column: "person", row: "id", account: "t.account_id" },
  "outbox.content": { table: "outbox", column: "content", row: "id", account: "coalesce(t.account_id::text, '')" },
  "alert_channel.target": { table: "alert_channel", column: "target", row: "id", account: "t.account_id" },
  "alert_channel.secret": { table: "alert_channel", column: "secret", row: "id", account: "t.account_id" },
  "totp.secret": { table: "totp", column: "secret", row: "user_id", account: "''" },
  "totp.pending": { table: "totp", column: "pending", row: "user_id", account: "''", sealedAs: "totp.secret" },
} as const satisfies Record<string, ResealableColumn>;

/** How the rows of a sealed column are found and named. */
export interface ResealableColumn {
  table: string;
  column: string;
  /** The column of the row's id. */
  row: string;
  /** SQL of the account's id, for a row of the table called `t`. */
  account: string;
  /** The column that its records name: values move there unchanged. */
  sealedAs?: "totp.secret";
  /** The column that names the site whose row is locked before this one. */
  locks?: string;
}

/** Columns under keys of their own: the key row of the database, and the sandbox, which has SANDBOX_KEY. */
type OtherColumn =
  | "vault_key.record"
  | "sandbox.account.app_secret"
  | "sandbox.account.verify_token"
  | "sandbox.account.stopped"
  | "sandbox.person.record";

/** The place at which an account's verify token is sealed. */
export const verifyTokenPlace = (account: string) => ({ column: "account.verify_token", row: account, account }) as const;

/** The place at which the key of an account's encrypted rows is sealed. */
export const dataKeyPlace = (account: string) => ({ column: "account.data_key", row: account, account }) as const;

/** The place at which a site's secret is sealed, but for a test site's webhook secret. */
export const secretPlace = (account: string, id: string) => ({ column: "site_secret.secret", row: id, account }) as const;

/**
 * The place at which a webhook secret is sealed. That of a test site is another: programs that know of no test sites cannot read it, so they refuse its
 * events and leave its messages to others, instead of sending them to the account's platform.
 */
export const webhookSecretPlace = (account: string, id: string, mode: SiteMode) =>
  secretPlace(mode === "test" ? `test ${account}` : account, id);

/** The place at which an account's access token or app secret is sealed. */
export const platformPlace = (account: string, secret: "access_token" | "app_secret") =>
  ({ column: `platform_account.${secret}`, row: account, account }) as const;

/** The same for the account's business account in the sandbox, by which its test sites send. */
export const testConnectionPlace = (account: string, secret: "access_token" | "app_secret") =>
  ({ column: `test_connection.${secret}`, row: account, account }) as const;

/** The place at which the key of an account's assistant is sealed. */
export const assistantKeyPlace = (account: string) => ({ column: "assistant.api_key", row: account, account }) as const;

/** The place at which a person's authenticator secret is sealed, also before it is confirmed. */
export const totpPlace = (userId: string) => ({ column: "totp.secret", row: userId, account: "" }) as const;

/** The place at which the content of the outbox is sealed. */
export const outboxPlace = (account: string | null, id: string) => ({ column: "outbox.content", row: id, account: account ?? "" }) as const;

/** The place at which the address of an alert's channel, or the secret of its requests, is sealed. */
export const channelPlace = (account: string, id: string, what: "target" | "secret") =>
  ({ column: `alert_channel.${what}`, row: id, account }) as const;

/** The place at which the phone of a request to erase is sealed. */
export const erasurePlace = (account: string, id: string) => ({ column: "erasure.phone", row: id, account }) as const;

/** The place at which the person of a shop's request to erase is sealed. */
export const shopErasurePlace = (account: string, id: string) => ({ column: "erasure_request.person", row: id, account }) as const;

export type SealedColumn = keyof typeof sealedColumns | OtherColumn;

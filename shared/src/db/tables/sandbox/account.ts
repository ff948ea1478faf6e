import type { Sql } from "../../connect.ts";

export const sandboxLimits = ["pair", "number", "management"] as const;
export type SandboxLimit = (typeof sandboxLimits)[number];

/** A business account of the sandbox with its one phone number and its one app. */
export interface SandboxAccount {
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly appId: string;
  readonly name: string;
  /** Digits only, country code first. */
  readonly phoneNumber: string;
  readonly accessToken: string;
  readonly appSecret: string;
  readonly callbackUrl: string;
  readonly verifyToken: string;
  readonly subscribed: boolean;
  readonly limits: readonly SandboxLimit[];
  readonly throttleStatus: number;
  readonly refuseCode: number | null;
  /** The platform's ids of people who stopped marketing of this account. */
  readonly stopped: readonly string[];
}

export const listSandboxAccounts = (sql: Sql) =>
  sql<SandboxAccount[]>`
    select waba_id as "wabaId", phone_number_id as "phoneNumberId", app_id as "appId", name, phone_number as "phoneNumber",
      access_token as "accessToken", app_secret as "appSecret", callback_url as "callbackUrl", verify_token as "verifyToken", subscribed,
      array_to_json(limits) as limits, throttle_status as "throttleStatus", refuse_code as "refuseCode",
      array_to_json(stopped) as stopped
    from sandbox.account order by created_at`;

export async function insertSandboxAccount(sql: Sql, account: SandboxAccount): Promise<void> {
  await sql`
    insert into sandbox.account (waba_id, phone_number_id, app_id, name, phone_number, access_token, app_secret, callback_url, verify_token,
      subscribed, limits, throttle_status, refuse_code)
    values (${account.wabaId}, ${account.phoneNumberId}, ${account.appId}, ${account.name}, ${account.phoneNumber}, ${account.accessToken},
      ${account.appSecret}, ${account.callbackUrl}, ${account.verifyToken}, ${account.subscribed}, ${[...account.limits]}::text[],
      ${account.throttleStatus}, ${account.refuseCode})`;
}

/** Writes what can change of an account. */
export async function updateSandboxAccount(sql: Sql, account: SandboxAccount): Promise<void> {
  await sql`
    update sandbox.account set callback_url = ${account.callbackUrl}, verify_token = ${account.verifyToken}, subscribed = ${account.subscribed},
      limits = ${[...account.limits]}::text[], throttle_status = ${account.throttleStatus}, refuse_code = ${account.refuseCode},
      stopped = ${[...account.stopped]}::text[]
    where waba_id = ${account.wabaId}`;
}

import { deletePasskeysOfUser } from "./passkey.ts";
import { type Sql, hasRows, one, scalar } from "./statement.ts";

/** The factors that a user has beside the password. */
export interface SecondFactors {
  /** True if the user has an authenticator app. */
  totp: boolean;
  /** The number of unused codes. */
  recovery_codes: number;
  passkeys: number;
}

export const findSecondFactors = (sql: Sql, userId: string) =>
  one(sql<[SecondFactors]>`
    select exists (select from totp where user_id = ${userId} and secret is not null) as totp,
      (select count(*)::integer from recovery_code where user_id = ${userId}) as recovery_codes,
      (select count(*)::integer from passkey where user_id = ${userId}) as passkeys`);

/** Whether one of the user's accounts demands a second factor. */
export const mustHaveSecondFactor = (sql: Sql, userId: string) =>
  hasRows(sql`
    select a.id from membership m join account a on a.id = m.account_id where m.user_id = ${userId} and a.require_second_factor limit 1`);

/** Whether the account of the membership `m` demands a second factor and the user has none. */
export const lacksSecondFactor = (sql: Sql) => sql`
  exists (select from account where id = m.account_id and require_second_factor)
    and not exists (select from totp where user_id = m.user_id and secret is not null)
    and not exists (select from passkey where user_id = m.user_id)`;

/** The app's sealed secret, and the step of its last accepted code. */
export const findTotp = (sql: Sql, userId: string) =>
  one(sql<{ secret: string; last_step: number }[]>`
    select secret, last_step::float8 as last_step from totp where user_id = ${userId} and secret is not null`);

/** Takes the code of a step, once. False if that step or a later one was taken, or if the app was replaced meanwhile. */
export const takeTotpStep = (sql: Sql, userId: string, secret: string, step: number) =>
  hasRows(sql`
    update totp set last_step = ${step} where user_id = ${userId} and secret = ${secret} and last_step < ${step} returning user_id`);

/** Starts an enrolment, in place of one that was not confirmed. The app in use stays valid. */
export const savePendingTotp = (sql: Sql, userId: string, pending: string, minutes: number) => sql`
  insert into totp (user_id, pending, pending_until) values (${userId}, ${pending}, now() + make_interval(mins => ${minutes}))
  on conflict (user_id) do update set pending = excluded.pending, pending_until = excluded.pending_until`;

export const findPendingTotp = (sql: Sql, userId: string) =>
  scalar(sql<{ pending: string }[]>`select pending from totp where user_id = ${userId} and pending_until > now()`);

/** Makes the pending app the user's, with these recovery codes instead of earlier ones. False when it is no longer pending. */
export async function confirmTotp(sql: Sql, userId: string, pending: string, step: number, codeHashes: readonly Buffer[]) {
  const rows = await sql`
    update totp set secret = pending, last_step = ${step}, pending = null, pending_until = null
    where user_id = ${userId} and pending = ${pending} and pending_until > now() returning user_id`;
  if (rows.length === 0) return false;
  await sql`delete from recovery_code where user_id = ${userId}`;
  await sql`insert into recovery_code ${sql(codeHashes.map((code_hash) => ({ user_id: userId, code_hash })))}`;
  return true;
}

/** Uses up the recovery code; false if there is none. If several calls come at once, one succeeds. */
export const takeRecoveryCode = (sql: Sql, userId: string, hash: Buffer) =>
  hasRows(sql`delete from recovery_code where user_id = ${userId} and code_hash = ${hash} returning code_hash`);

/** Deletes all factors that the user has beside the password, and sign-ins that wait for them. */
export async function deleteSecondFactors(sql: Sql, userId: string): Promise<void> {
  await deleteTotp(sql, userId);
  await deletePasskeysOfUser(sql, userId);
}

/** Deletes the app, its recovery codes, and sign-ins that wait for a code. False if there was no app. */
export async function deleteTotp(sql: Sql, userId: string): Promise<boolean> {
  await sql`delete from recovery_code where user_id = ${userId}`;
  await sql`delete from challenge where user_id = ${userId} and purpose <> 'spent'`;
  const rows = await sql<{ secret: string | null }[]>`delete from totp where user_id = ${userId} returning secret`;
  return rows.some(({ secret }) => secret !== null);
}

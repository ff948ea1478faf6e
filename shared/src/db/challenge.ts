import { type Sql, hasRows, scalar } from "./statement.ts";

/** `spent` is a challenge that was answered; it is kept until it expires, so that it is not answered again. */
export type ChallengePurpose = "second_factor" | "add_passkey" | "spent";

export interface NewChallenge {
  /** A SHA-256. */
  hash: Buffer;
  purpose: ChallengePurpose;
  user_id: string;
  expires_at: Date;
}

/** The most challenges that wait for one user and purpose; a further one ends the oldest. */
const most = 20;

/** Adds a challenge; false if there is one with that hash already. Also deletes expired ones. */
export async function insertChallenge(sql: Sql, challenge: NewChallenge): Promise<boolean> {
  const { user_id, purpose } = challenge;
  await sql`
    delete from challenge where hash in (
      select hash from challenge where expires_at < now()
      union all
      (select hash from challenge where user_id = ${user_id} and purpose = ${purpose} and purpose <> 'spent' order by expires_at desc offset ${most - 1})
    )`;
  return hasRows(sql`insert into challenge ${sql(challenge)} on conflict (hash) do nothing returning hash`);
}

/** Counts a try and answers the challenge's user; undefined when it has expired or was tried `mostTries` times. */
export const tryChallenge = (sql: Sql, hash: Buffer, purpose: ChallengePurpose, mostTries: number) =>
  scalar(sql<{ user_id: string }[]>`
    update challenge set tries = tries + 1
    where hash = ${hash} and purpose = ${purpose} and tries < ${mostTries} and expires_at > now()
    returning user_id`);

/** Deletes the challenge; false when there is none. If several calls come at once, one succeeds. */
export const takeChallenge = (sql: Sql, hash: Buffer, purpose: ChallengePurpose, userId: string) =>
  hasRows(sql`
    delete from challenge where hash = ${hash} and purpose = ${purpose} and user_id = ${userId} and expires_at > now() returning hash`);

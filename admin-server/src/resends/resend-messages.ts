import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { holdResendCandidates, insertResends, type Resend } from "shared/db/notification/resend";
import { inTransaction } from "shared/db/transaction";
import { type Insistence, judgeResend } from "./judge-resend.ts";
import { makeResend } from "./make-resend.ts";

/** What became of the wish to send a message again. `repeated`: the one that repeats it, from now on or since before. */
export type ResendOutcome = { of: string; repeated: string; isNew: boolean } | { of: string; refused: string };

/**
 * Has the account's messages sent again, each at most once however many ask for it and on however many servers; a gateway sends them. Answers for each of
 * those that there are. All in one transaction, so a server that dies here has done it or has not.
 */
export async function resendMessages(
  sql: Sql,
  accountId: string,
  ids: readonly string[],
  options: Insistence & { now: Date },
): Promise<ResendOutcome[]> {
  return await inTransaction(sql, async (transaction) => {
    const outcomes: ResendOutcome[] = [];
    const resends: Resend[] = [];
    for (const message of await holdResendCandidates(transaction, accountId, ids)) {
      const { id: of, resent_as } = message;
      const made =
        resent_as === null ? (judgeResend(message, options) ?? (await makeResend(transaction, message, accountId, options.now))) : null;
      if (typeof made === "string") outcomes.push({ of, refused: made });
      else if (made !== null) resends.push(made);
      else if (resent_as !== null) outcomes.push({ of, repeated: resent_as, isNew: false });
    }
    if (resends.length === 0) return outcomes;
    const added = await insertResends(transaction, accountId, newId(), resends);
    const overtaken = "A report of the platform has just changed it; look again";
    return [...outcomes, ...resends.map(({ of, id }) => (added.has(of) ? { of, repeated: id, isNew: true } : { of, refused: overtaken }))];
  });
}

import { listAuditInput } from "shared/core/input/team";
import { noInput } from "shared/core/input/values";
import { uuidFloor, uuidTime } from "shared/core/uuid";
import { listAuditEntries, listGuessedUsers, listResets, type UserConcernRow } from "shared/db/audit";
import { presentAuditEntry } from "../trpc/audit-lines.ts";
import { readPage, toLogPage } from "../trpc/paging.ts";
import { ownerProcedure, router } from "../trpc/trpc.ts";

export const auditRouter = router({
  list: ownerProcedure.input(listAuditInput).query(({ ctx, input }) => {
    const { accountId } = ctx.caller;
    return readPage("audit", input, (page) => listAuditEntries(ctx.sql, accountId, input, toLogPage(input, page)), presentAuditEntry);
  }),

  /** Events of the last days that an owner should know: other people's passwords and second factors that were reset, and users whose password somebody guesses. */
  concerns: ownerProcedure.input(noInput).query(async ({ ctx }) => {
    const { accountId, userId } = ctx.caller;
    const now = ctx.clock().getTime();
    const since = { userId, from: uuidFloor(now - resetDays * dayMs) };
    const [resets, factorResets, guesses] = await Promise.all([
      listResets(ctx.sql, accountId, "auth.resetPassword", since),
      listResets(ctx.sql, accountId, "users.resetSecondFactor", since),
      listGuessedUsers(ctx.sql, accountId, uuidFloor(now - dayMs), manyGuesses),
    ]);
    return { items: [...resets.map(presentReset), ...factorResets.map(presentFactorReset), ...guesses.map(presentGuesses)] };
  }),
});

const dayMs = 86_400_000;
const resetDays = 7;
/** Fewer wrong sign-ins in a day are typing errors. */
const manyGuesses = 10;

const presentReset = ({ user_id: userId, email, last_id }: Omit<UserConcernRow, "count">) => ({
  kind: "password_reset" as const,
  userId,
  email,
  at: new Date(uuidTime(last_id)).toISOString(),
});

const presentFactorReset = (row: UserConcernRow) => ({ ...presentReset(row), kind: "second_factor_reset" as const });

const presentGuesses = ({ count, ...row }: UserConcernRow) => ({ ...presentReset(row), kind: "failed_sign_ins" as const, count });

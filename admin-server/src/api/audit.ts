import { dayMs } from "shared/core/durations";
import { countAuditInput, listAuditInput } from "shared/core/input/team";
import { noInput } from "shared/core/input/values";
import { isUuid, uuidFloor, uuidTime } from "shared/core/uuid";
import {
  type AuditFilter,
  type AuditRow,
  findAuditWalkEnd,
  listAuditEntries,
  listGuessedUsers,
  listResets,
  type UserConcernRow,
} from "shared/db/audit";
import { readShopErasureNotices } from "shared/db/erasure/shop-request";
import { nameOperations } from "shared/db/operation/operation";
import { countRows, type LogPage, type Sql } from "shared/db/statement";
import { nameSubjects } from "shared/db/subject-names";
import { presentAuditEntry } from "../trpc/audit-lines.ts";
import { countRest, countStretches, endingAt, readPage, readStretches, toLogPage } from "../trpc/paging.ts";
import { ownerProcedure, router } from "../trpc/trpc.ts";

export const auditRouter = router({
  list: ownerProcedure.input(listAuditInput).query(({ ctx, input }) => {
    const { accountId } = ctx.caller;
    return readPage(
      "audit",
      input,
      async (page) => {
        const list = (part: LogPage) => listAuditEntries(ctx.sql, accountId, input, part);
        const stored = await readStretches(toLogPage(input, page), endingAt(endOf(ctx.sql, accountId, input)), list);
        return { ...stored, rows: await withNames(ctx.sql, accountId, stored.rows) };
      },
      ({ names, ...row }) => ({
        ...presentAuditEntry(row),
        subjectName: names?.name ?? null,
        siteName: names?.site_name ?? null,
        operation: names?.kind === undefined ? null : { kind: names.kind, about: names.about ?? null },
      }),
    );
  }),

  count: ownerProcedure
    .input(countAuditInput)
    .query(({ ctx, input }) =>
      countRest("audit", input, (page) =>
        countStretches(toLogPage(input, page), endingAt(endOf(ctx.sql, ctx.caller.accountId, input)), (part) =>
          countRows(ctx.sql, listAuditEntries(ctx.sql, ctx.caller.accountId, input, part)),
        ),
      ),
    ),

  /** What an owner should know: what shops ask to erase, and of the last days other people's passwords and second factors that were reset, and users whose password somebody guesses. */
  concerns: ownerProcedure.input(noInput).query(async ({ ctx }) => {
    const { accountId, userId } = ctx.caller;
    const now = ctx.clock().getTime();
    const since = { userId, from: uuidFloor(now - resetDays * dayMs) };
    const [resets, factorResets, guesses, requests] = await Promise.all([
      listResets(ctx.sql, accountId, "auth.resetPassword", since),
      listResets(ctx.sql, accountId, "users.resetSecondFactor", since),
      listGuessedUsers(ctx.sql, accountId, uuidFloor(now - dayMs), manyGuesses),
      readShopErasureNotices(ctx.sql, accountId),
    ]);
    const people = [
      ...resets.map(presentConcern("password_reset")),
      ...factorResets.map(presentConcern("second_factor_reset")),
      ...guesses.map((row) => ({ ...presentConcern("failed_sign_ins")(row), count: row.count })),
    ];
    return { items: [...presentRequests(requests), ...people] };
  }),
});

const endOf = (sql: Sql, accountId: string, input: AuditFilter) => (rest: LogPage) => findAuditWalkEnd(sql, accountId, input, rest);

type Names = Omit<Awaited<ReturnType<typeof nameSubjects>>[number], "id"> & Partial<Awaited<ReturnType<typeof nameOperations>>[number]>;

/** The entries with what their subjects are called now; nothing of one that is gone. */
async function withNames(sql: Sql, accountId: string, rows: readonly AuditRow[]) {
  const subjects = rows.flatMap(({ subject, action }) => (subject !== null && isUuid(subject) ? { id: subject, action } : []));
  const idsOf = (part: string) => subjects.flatMap(({ id, action }) => (action.startsWith(part) ? id : []));
  const [named, operations] = await Promise.all([
    nameSubjects(sql, accountId, { ids: idsOf(""), messages: idsOf("notifications."), events: idsOf("events.") }),
    nameOperations(sql, accountId, idsOf("")),
  ]);
  // A replay has the id of its event.
  const byId = new Map<string, Names>([...operations, ...named].map((each) => [each.id, each]));
  return rows.map((row) => ({ ...row, names: byId.get(row.subject ?? "") }));
}

/** Shops' requests to erase a person that wait for an owner, and those that nobody has decided in time. */
const presentRequests = ({ asked, asked_at, by_time, by_time_at }: Awaited<ReturnType<typeof readShopErasureNotices>>) => [
  ...(asked_at === null ? [] : [{ kind: "erasures_asked" as const, count: asked, at: asked_at.toISOString() }]),
  ...(by_time_at === null ? [] : [{ kind: "erasures_confirmed" as const, count: by_time, at: by_time_at.toISOString() }]),
];

const resetDays = 7;
/** Fewer wrong sign-ins in a day are typing errors. */
const manyGuesses = 10;

const presentConcern =
  <Kind extends string>(kind: Kind) =>
  ({ user_id: userId, email, last_id }: UserConcernRow) => ({ kind, userId, email, at: new Date(uuidTime(last_id)).toISOString() });

import { listOperationsInput } from "shared/core/input/operations";
import { idInput } from "shared/core/input/values";
import { operationFacts, outcomes } from "shared/core/operation";
import { findOperation, listOperations, type OperationRow, stopOperation } from "shared/db/operation/operation";
import type { CallerContext } from "../context.ts";
import { takeBackAtOnce } from "../operations/take-back.ts";
import { conflict, notFound } from "../trpc/errors.ts";
import { present, readPage, requireSite } from "../trpc/paging.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

/** What works on many messages, events or bindings: how far it is, and what became of each. */
export const operationsRouter = router({
  get: viewerProcedure
    .input(idInput)
    .query(async ({ ctx, input }) => ({ operation: presentOperation(await readOperation(ctx, input.id)) })),

  list: viewerProcedure.input(listOperationsInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    await requireSite(ctx.sql, accountId, input.siteId);
    const filter = { ...input, erasures: role === "owner" };
    return await readPage("operations", input, (page) => listOperations(ctx.sql, accountId, filter, page), presentOperation);
  }),

  stop: operatorProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    const row = await readOperation(ctx, id);
    if (isEndOfPause(row)) throw conflict("The end of a pause cannot be stopped; pause the site again, and what has not left waits");
    if (!operationFacts[row.kind].canStop) throw conflict("This operation cannot be stopped; it ends by itself");
    if (await stopOperation(ctx.sql, ctx.caller.accountId, id)) await takeBackAtOnce(ctx.sql, row);
    return { operation: presentOperation(await readOperation(ctx, id)) };
  }),
});

/** What leaves with the end of a site's pause is not scheduled again: another pause stops it. */
const isEndOfPause = ({ kind, subject_id }: Pick<OperationRow, "kind" | "subject_id">): boolean =>
  kind === "send_now" && subject_id !== null;

/** Only owners see who is forgotten. @throws NOT_FOUND */
async function readOperation({ sql, caller }: Pick<CallerContext, "sql" | "caller">, id: string): Promise<OperationRow> {
  const row = await findOperation(sql, caller.accountId, id);
  if (row === undefined || (row.kind === "erasure" && caller.role !== "owner")) throw notFound("operation");
  return row;
}

/**
 * `total`: its messages, events, deliveries, bindings, or parts of the account. `done`: those of which it is known what became of them, each with one of
 * `outcomes`, as of now: also after the end.
 */
function presentOperation(row: OperationRow) {
  const { own, hasMessages } = operationFacts[row.kind];
  const counts = Object.fromEntries(
    outcomes.flatMap((outcome) => (common.has(outcome) || outcome === own ? [[outcome, row[outcome]]] : [])),
  ) as Outcomes;
  const done = outcomes.reduce((sum, outcome) => sum + row[outcome], 0);
  return {
    ...present(row, "id", "kind", "site_id", "subject_id", "finished_at", "state"),
    by: row.created_by,
    startedAt: row.created_at.toISOString(),
    total: Math.max(row.total, done + row.waiting),
    done,
    outcomes: counts,
    canStop: operationFacts[row.kind].canStop && !isEndOfPause(row) && row.state === "running",
    /** Whether `notifications.list` finds its messages by `operationId`. */
    hasMessages,
  };
}

const common = new Set<string>(["sent", "delivered", "failed", "skipped"]);

type Outcomes = Record<"sent" | "delivered" | "failed" | "skipped", number> & Partial<Record<"cancelled" | "changed", number>>;

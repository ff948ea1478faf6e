import { dayMs } from "shared/core/durations";
import { listProblemsInput, noteProblemInput, snoozeProblemInput } from "shared/core/input/problems";
import { idInput } from "shared/core/input/values";
import { maskPhonesIn } from "shared/core/mask";
import { say } from "shared/core/wording";
import { noteCleared } from "shared/db/problem/notice";
import { changeProblem, findProblem, isPlace, listProblems, mirrorAlerts, resolveByHand, writeNote } from "shared/db/problem/problem";
import type { RequestContext } from "../context.ts";
import { presentProblem } from "../problems/look.ts";
import { lookNow } from "../problems/watch.ts";
import type { Caller } from "../session/caller.ts";
import { conflict, invalidInput, absent, notFound, requireSeen } from "../trpc/errors.ts";
import { readPage, requireSite } from "../trpc/paging.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const problemsRouter = router({
  list: viewerProcedure.input(listProblemsInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    const { state, siteId, kind } = input;
    await requireSite(ctx.sql, accountId, siteId);
    // Further pages go on with the list that the first one began.
    if (input.cursor == null) await lookNow(ctx, accountId);
    return readPage("problems", input, (page) => listProblems(ctx.sql, accountId, { state, siteId, kind }, page), presentProblem(role), {
      keyOf: ({ place }) => place,
      isKey: isPlace,
    });
  }),

  acknowledge: operatorProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    await change(ctx, ctx.caller, id, { acknowledgedBy: ctx.caller.email });
    return { problem: await readProblem(ctx, ctx.caller, id) };
  }),

  snooze: operatorProcedure.input(snoozeProblemInput).mutation(async ({ ctx, input: { id, until } }) => {
    const ahead = until.getTime() - ctx.clock().getTime();
    if (ahead <= 0) throw invalidInput([{ path: ["until"], said: say("Must be in the future") }]);
    if (ahead > longestSnoozeDays * dayMs)
      throw invalidInput([{ path: ["until"], said: say("Must be at most {most} days ahead", { most: longestSnoozeDays }) }]);
    await change(ctx, ctx.caller, id, { snoozedUntil: until });
    return { problem: await readProblem(ctx, ctx.caller, id) };
  }),

  /** If it returns, it is open again and counts anew. */
  resolve: operatorProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    const { accountId } = ctx.caller;
    await readProblem(ctx, ctx.caller, id);
    const ids = (await resolveByHand(ctx.sql, accountId, id)).map((row) => row.id);
    await mirrorAlerts(ctx.sql, [], ids);
    await noteCleared(ctx.sql, ids, { quietUntil: null, urgent: [] });
    return { problem: await readProblem(ctx, ctx.caller, id) };
  }),

  note: operatorProcedure.input(noteProblemInput).mutation(async ({ ctx, input: { id, note, ifNote } }) => {
    const problem = await readProblem(ctx, ctx.caller, id);
    requireSeen(problem.note ?? "", ifNote === null ? "" : ifNote, problem);
    // Nobody's phone is kept, so nothing of it has to be erased.
    await writeNote(ctx.sql, ctx.caller.accountId, id, note === null || note === "" ? null : maskPhonesIn(note));
    return { problem: await readProblem(ctx, ctx.caller, id) };
  }),
});

const longestSnoozeDays = 90;

async function change({ sql }: RequestContext, caller: Caller, id: string, to: Parameters<typeof changeProblem>[3]): Promise<void> {
  const { accountId } = caller;
  if (await changeProblem(sql, accountId, id, to)) return;
  if ((await findProblem(sql, accountId, id)) === undefined) throw notFound("problem");
  throw conflict("The problem is resolved");
}

const readProblem = async ({ sql }: RequestContext, { accountId, role }: Caller, id: string) =>
  presentProblem(role)((await findProblem(sql, accountId, id)) ?? absent("problem"));

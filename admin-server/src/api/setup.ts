import { TRPCError } from "@trpc/server";
import { applySetupInput, exportSetupInput, templateKey } from "shared/core/input/setup";
import { lockForAudit } from "shared/db/audit";
import { inTransaction } from "shared/db/transaction";
import type { z } from "zod";
import type { RequestContext } from "../context.ts";
import { type SetupWay, spendOfSetups } from "../session/allowance.ts";
import type { Caller } from "../session/caller.ts";
import { mutationInTurn, setupInTurn } from "../session/turns.ts";
import { type Change, type Ids, type Plan, planSetup, type Step } from "../setup/plan.ts";
import { type Call, readCurrent, toSetup } from "../setup/read.ts";
import { refusedAt } from "../trpc/errors.ts";
import { requireProofOfMany } from "../trpc/roles.ts";
import { operatorProcedure, router } from "../trpc/trpc.ts";

/** Calls another procedure within the call of one. */
export type CallWithin = (context: RequestContext, path: string, input: object) => Promise<unknown>;

type SetupContext = RequestContext & { caller: Caller };

/** The set-up of an account as one value. Everything in it is read and changed by the procedures of its parts, so their rights, rules and audit hold. */
export const createSetupRouter = (call: CallWithin) =>
  router({
    export: operatorProcedure.input(exportSetupInput).query(async ({ ctx, input }) => {
      const current = await readCurrent(ctx.sql, ctx.caller.accountId, (path, given) => call(ctx, path, given), input.siteId);
      return { setup: toSetup(current, input.siteId !== undefined) };
    }),

    /** Tries all changes and takes them back: what would be refused is refused. */
    plan: operatorProcedure.input(applySetupInput).query(async ({ ctx, input }) => {
      const kept: { plan?: Applied } = {};
      await inOneTransaction(ctx, call, "tried", async (run) => {
        kept.plan = await run(input);
        throw new TakenBack();
      }).catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error;
      });
      const { changes, besides, warnings } = kept.plan ?? { changes: [], besides: [], warnings: [] };
      return { changes, besides, warnings };
    }),

    /** In one transaction: all of it or nothing. */
    update: operatorProcedure
      .meta({ ownTransactions: true })
      .input(applySetupInput)
      .mutation(async ({ ctx, input }) => {
        const applied = await inOneTransaction(ctx, call, "made", (run) => run(input));
        // Each change has its own entry.
        ctx.recordNothing();
        return applied;
      }),
  });

class TakenBack extends Error {
  override readonly name = "TakenBack";
}

export interface Warning {
  site: string;
  binding: string;
  message: string;
}

export interface Applied {
  changes: Change[];
  besides: Plan["besides"];
  /** Why bindings that were made or changed send nothing yet. */
  warnings: Warning[];
  /** The secrets of new sites and first endpoints, which are shown once. */
  secrets: Record<string, unknown>[];
}

async function inOneTransaction<T>(
  context: SetupContext,
  call: CallWithin,
  way: SetupWay,
  act: (run: (input: z.output<typeof applySetupInput>) => Promise<Applied>) => Promise<T>,
): Promise<T> {
  const { accountId, email } = context.caller;
  const change = () =>
    inTransaction(context.sql, async (sql) => {
      await lockForAudit(sql, accountId, email);
      const within = { ...context, sql, isInTurn: true };
      return act((input) => applySetup({ sql, caller: context.caller, way }, (path, given) => call(within, path, given), input));
    });
  return setupInTurn(accountId, () => mutationInTurn(accountId, change));
}

async function applySetup(
  { sql, caller, way }: Pick<SetupContext, "sql" | "caller"> & { way: SetupWay },
  call: Call,
  { setup, prune }: z.output<typeof applySetupInput>,
): Promise<Applied> {
  const { accountId } = caller;
  const current = await readCurrent(sql, accountId, call);
  const { steps, besides } = planSetup(current, setup, prune);
  requireProofOfMany(caller, steps.filter(({ action }) => action === "remove").length);
  spendOfSetups(accountId, way, steps.length);
  const ids: Ids = {
    sites: new Map(current.sites.map(({ name, id }) => [name, id])),
    templates: new Map(current.templates.map((template) => [templateKey(template), template.id])),
  };
  const warnings: Warning[] = [];
  const secrets: Record<string, unknown>[] = [];
  for (const step of steps) {
    for (const { path, input } of step.calls) {
      const answer = (await call(path, input(ids)).catch((error: unknown) => refuseAt(step, error))) as Answer;
      if (path === "sites.create" && answer.site !== undefined) ids.sites.set(step.name, answer.site.id);
      if (path === "templates.create" && answer.template !== undefined) ids.templates.set(step.name, answer.template.id);
      if (answer.binding !== undefined && answer.binding.problems.length > 0)
        warnings.push({ site: step.site ?? "", binding: step.name, message: answer.binding.problems.join("; ") });
      const { apiKey, webhookSecret, webhookSecretStandard, secret } = answer;
      const made = { apiKey, webhookSecret, webhookSecretStandard, outboundSecret: secret };
      if (apiKey !== undefined || secret !== undefined)
        secrets.push({
          site: step.site ?? step.name,
          ...Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)),
        });
    }
  }
  return { changes: steps.map(toChange), besides, warnings, secrets };
}

interface Answer {
  site?: { id: string };
  template?: { id: string };
  binding?: { problems: string[] };
  apiKey?: string;
  webhookSecret?: string;
  webhookSecretStandard?: string;
  secret?: string;
}

function toChange(step: Step): Change {
  const { place: _, calls: __, ...change } = step;
  return change;
}

/** The refusal of a part, at its place in the file. */
function refuseAt({ place, kind, name }: Step, error: unknown): never {
  if (!(error instanceof TRPCError) || error.code === "INTERNAL_SERVER_ERROR") throw error;
  throw refusedAt(error, ["setup", ...place], `${kind} ${name}`);
}

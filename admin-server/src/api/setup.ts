import { createHash } from "node:crypto";
import { TRPCError } from "@trpc/server";
import { applySetupInput, copySetupInput, exportSetupInput, templateKey } from "shared/core/input/setup";
import { shorten } from "shared/core/text";
import { lockForAudit } from "shared/db/audit";
import { inTransaction } from "shared/db/statement";
import { failureCode, type GuardedPost } from "shared/guarded-request";
import { z } from "zod";
import type { CallerContext, RequestContext } from "../context.ts";
import { type SetupWay, spendOfSetups } from "../session/allowance.ts";
import { copyInTurn, mutationInTurn, setupInTurn } from "../session/turns.ts";
import { type Ask, askBy, Failed, type Login, type Post, promotionOf } from "../setup/elsewhere.ts";
import { type Change, type Ids, planSetup, type Step } from "../setup/plan.ts";
import { type Call, readCurrent, toSetup } from "../setup/read.ts";
import { conflict, refusedAt } from "../trpc/errors.ts";
import { requireProofOfMany, requireProofOfPerson } from "../trpc/roles.ts";
import { operatorCallProcedure, operatorProcedure, router } from "../trpc/trpc.ts";

/** Calls another procedure within the call of one. */
export type CallWithin = (context: RequestContext, path: string, input: object) => Promise<unknown>;

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
      const { secrets: _, ...plan } = kept.plan ?? { changes: [], besides: [], warnings: [], secrets: [], planned: "" };
      return plan;
    }),

    /** In one transaction: all of it or nothing. */
    update: operatorCallProcedure.input(applySetupInput).mutation(async ({ ctx, input }) => {
      const applied = await inOneTransaction(ctx, call, "made", (run) => run(input));
      // Each change has its own entry.
      ctx.recordNothing();
      return applied;
    }),

    /** The same of one site's recipients and bindings, for another site; that of another installation is asked as a program asks it. */
    copy: operatorCallProcedure.input(copySetupInput).mutation(async ({ ctx, input: { siteId, to, prune, apply, planned } }) => {
      const here: Ask = <Answer>(path: string, given: object) => call(ctx, path, given) as Promise<Answer>;
      const isHere = "siteId" in to;
      if (!isHere) requireProofOfPerson(ctx.caller);
      const there = isHere ? here : askElsewhere(ctx.poster, to);
      let isSent = false;
      const copied = await copyInTurn(ctx.caller.accountId, async () => {
        const { setup, ...sites } = await promotionOf(here, siteId, there, isHere ? to.siteId : to.site);
        if (isHere && sites.from === sites.to) throw conflict("Choose another site");
        const values = { name: setup.sites?.[0]?.name, ...(!isHere && { url: new URL(to.url).origin }), apply };
        const changes = Object.entries(values).map(([member, after = null]) => ({ member, after }));
        const record = async () => ctx.record(ctx.sql, { subject: siteId, changes });
        // What another server was sent is known there, whatever becomes of it.
        if (!isHere) await record();
        isSent = apply;
        const answer = await there(apply ? "setup.update" : "setup.plan", { setup, prune, ...(apply && { planned }) });
        const plan = planSchema.safeParse(answer).data;
        if (plan === undefined) throw new Failed("its answer is no plan");
        if (isHere && apply && plan.changes.length > 0) await record();
        return plan;
      }).catch((error: unknown) => refuseElsewhere(error, isSent));
      ctx.recordNothing();
      return { applied: apply, ...copied };
    }),
  });

/** All calls of a copy together, which end before the call of ours does. */
const elsewhere = { maxBytes: 4_000_000, allMs: 25_000 };

function askElsewhere(poster: GuardedPost, login: Login): Ask {
  const end = Date.now() + elsewhere.allMs;
  const post: Post = async (address, headers, body, timeoutMs) => {
    const { origin } = new URL(address);
    const answer = await poster.post(address, { headers, body }, { ...elsewhere, timeoutMs }).catch((error: unknown) => {
      throw new Failed(`${origin}: ${whys[failureCode(error)] ?? (error as Error).message}`);
    });
    if (answer.isCut) throw new Failed(`${origin}: the answer is too large, or broke off`);
    return { status: answer.statusCode, text: answer.bytes.toString() };
  };
  return (path, input) => askBy(post, login, path, input, Math.max(1, end - Date.now()));
}

const whys: Partial<Record<string, string>> = {
  unreachable: "no connection",
  unknown_host: "the host is not known",
  bad_certificate: "the certificate is not valid",
};

/** What another server answered is known only once it was read. */
const planSchema = z.object({
  changes: z.array(
    z.object({
      action: z.enum(["create", "change", "remove"]),
      kind: z.string(),
      name: z.string(),
      site: z.string().nullable(),
      members: z.array(z.object({ member: z.string(), before: z.unknown(), after: z.unknown() })),
    }),
  ),
  besides: z.array(z.object({ kind: z.string(), name: z.string(), site: z.string().nullable() })),
  warnings: z.array(z.object({ site: z.string(), binding: z.string(), message: z.string() })),
  planned: z.string(),
});

/** `isSent`: the change itself was asked for, so a lost answer does not tell that nothing was taken. */
function refuseElsewhere(error: unknown, isSent: boolean): never {
  if (!(error instanceof Failed)) throw error;
  const message = shorten([error.message, ...error.issues.map(({ path, message: why }) => `${path.join(".")}: ${why}`)].join("; "), 1_000);
  if (isSent && ["FAILED", "TIMEOUT", "INTERNAL_SERVER_ERROR"].includes(error.code))
    throw conflict("It is not known whether the other installation took the set-up: look there. {message}", { message });
  throw conflict("The other installation took nothing: {message}", { message });
}

class TakenBack extends Error {
  override readonly name = "TakenBack";
}

type Applied = Awaited<ReturnType<typeof applySetup>>;

async function inOneTransaction<T>(
  context: CallerContext,
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
  { sql, caller, way }: Pick<CallerContext, "sql" | "caller"> & { way: SetupWay },
  call: Call,
  { setup, prune, planned: shown }: z.output<typeof applySetupInput>,
) {
  const { accountId } = caller;
  const current = await readCurrent(sql, accountId, call);
  const { steps, besides } = planSetup(current, setup, prune);
  const changes = steps.map((step): Change => {
    const { place: _, calls: __, ...change } = step;
    return change;
  });
  const planned = createHash("sha256").update(JSON.stringify(changes)).digest("base64url");
  if (shown !== undefined && shown !== planned) throw conflict("What would change is no longer what was shown: look at it again");
  requireProofOfMany(caller, steps.filter(({ action }) => action === "remove").length);
  spendOfSetups(accountId, way, steps.length);
  const ids: Ids = {
    sites: new Map(current.sites.map(({ name, id }) => [name, id])),
    templates: new Map(current.templates.map((template) => [templateKey(template), template.id])),
  };
  const warnings: { site: string; binding: string; message: string }[] = [];
  const secrets: Record<string, unknown>[] = [];
  for (const step of steps) {
    for (const { path, input } of step.calls) {
      const answer = (await call(path, input(ids)).catch((error: unknown) => refuseAt(step, error))) as Answer;
      if (path === "sites.create" && answer.site !== undefined) ids.sites.set(step.name, answer.site.id);
      if (path === "templates.create" && answer.template !== undefined) ids.templates.set(step.name, answer.template.id);
      if (answer.binding !== undefined && answer.binding.problems.length > 0)
        warnings.push({ site: step.site ?? "", binding: step.name, message: answer.binding.problems.join(" ") });
      const { apiKey, webhookSecret, webhookSecretStandard, secret } = answer;
      const made = { apiKey, webhookSecret, webhookSecretStandard, outboundSecret: secret };
      if (apiKey !== undefined || secret !== undefined)
        secrets.push({
          site: step.site ?? step.name,
          ...Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)),
        });
    }
  }
  return {
    changes,
    besides,
    /** Why bindings that were made or changed send nothing yet. */
    warnings,
    /** The secrets of new sites and first endpoints, which are shown once. */
    secrets,
    /** Of the changes. Given back, it has them made as they were shown, or not at all. */
    planned,
  };
}

type Answer = Partial<Record<"site" | "template", { id: string }>> & { binding?: { problems: string[] } } & Partial<
    Record<"apiKey" | "webhookSecret" | "webhookSecretStandard" | "secret", string>
  >;

/** The refusal of a part, at its place in the file. */
function refuseAt({ place, kind, name }: Step, error: unknown): never {
  if (!(error instanceof TRPCError) || error.code === "INTERNAL_SERVER_ERROR") throw error;
  throw refusedAt(error, ["setup", ...place], `${kind} ${name}`);
}

import { type TRPCError, getTRPCErrorShape, initTRPC } from "@trpc/server";
import { canonical } from "shared/core/json";
import type { Role } from "shared/core/role";
import { isUuid, uuidTime } from "shared/core/uuid";
import { hurryWatch } from "shared/db/alert/watch";
import { findChanger, findLastAct } from "shared/db/audit";
import { findMade, insertMade } from "shared/db/made-once";
import { findMemberName } from "shared/db/membership";
import { type Sql, isCollision } from "shared/db/statement";
import type { CallContext, RequestContext } from "../context.ts";
import { spendOfAccount } from "../session/allowance.ts";
import type { Caller } from "../session/caller.ts";
import { requireStillLetIn } from "../session/sessions.ts";
import { type Actor, type Told, callerAsActor, inAuditedTransaction, recordMutation, subjectOf } from "./audit-trail.ts";
import { Gone, Outdated, conflict, formatError, translateError } from "./errors.ts";
import { refuseHuge } from "./input-bounds.ts";
import { requireAdmission, requireProofFor, requireRole, requireScope } from "./roles.ts";

/**
 * `ownTransactions`: the mutation calls another server or signs somebody in, and opens its own transactions. All of `auth` does, so that a refused try
 * counts all the same. Such a mutation records itself in the transaction of its change, see `CallContext`; else it is recorded once it has succeeded.
 */
export interface Meta {
  ownTransactions?: true;
  /** The least role; absent where everybody may call. */
  role?: Role;
  /** A query that a replica may answer, a little behind. */
  mayLag?: true;
}

const t = initTRPC
  .context<RequestContext>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter: formatError,
    sse: {
      // Clients reconnect by themselves and are authenticated again, so an ended session can watch for five more minutes at most.
      maxDurationMs: 300_000,
      ping: { enabled: true, intervalMs: 15_000 },
      client: { reconnectAfterInactivityMs: 45_000 },
    },
  });

export const { router, mergeRouters } = t;

/** An error outside of tRPC's own answers, told as they tell it. */
export const shapeOf = (error: TRPCError) =>
  getTRPCErrorShape({ config: t._config, error, type: "unknown", path: undefined, input: undefined, ctx: undefined });

/** Waits for the call's turn, and turns an absent input into `{}`, so that the refusal names what is missing. */
const withInput = t.procedure.use(async ({ ctx, type, next, getRawInput }) => {
  await ctx.turns.next();
  const answer = next({
    getRawInput: async () => {
      const input = await getRawInput();
      refuseHuge(input);
      return input === undefined ? {} : input;
    },
  });
  return type === "query" ? ctx.turns.inTime(answer) : answer;
});

/** Open to everybody, and the base of all other procedures: translates database errors, and ensures that every successful mutation leaves an entry in the audit. */
export const publicProcedure = withInput.use(async ({ ctx, next, path: action, type, getRawInput }) => {
  const { caller } = ctx;
  if (caller !== null) requireScope(caller, action, type);
  if (type === "mutation" && caller?.via.kind === "session" && !ctx.isInTurn) spendOfAccount(caller.accountId);
  let isRecorded = false;
  const write = async (sql: Sql, actor: Actor, told: Told): Promise<void> => {
    await recordMutation({ sql, address: ctx.address }, actor, { action, ...told });
    isRecorded = true;
  };
  const call: Pick<CallContext, "record" | "actAs" | "recordNothing" | "isRecorded"> = {
    record: async (sql, told = {}) => {
      if (caller === null) throw new Error(`${action} changed something without an actor: call actAs`);
      await write(sql, callerAsActor(caller), told);
    },
    actAs: async (actor, told = {}, sql?: Sql) => {
      if (sql !== undefined || !isRecorded) await write(sql ?? ctx.sql, actor, { subject: actor.userId, ...told });
    },
    recordNothing: () => void (isRecorded = true),
    isRecorded: () => isRecorded,
  };
  const result = await next({ ctx: { ...ctx, ...call } });
  if (!result.ok) {
    const { cause } = result.error;
    if (cause instanceof Outdated && caller !== null) {
      const about = { action, subject: subjectOf(await getRawInput(), null), at: cause.told.at };
      Object.assign(cause.told, await nameOf(ctx.sql, caller.accountId, await findChanger(ctx.sql, caller.accountId, about)));
    }
    if (cause instanceof Gone && caller !== null && caller.role !== "viewer")
      await tellGone(ctx.sql, caller.accountId, cause, await getRawInput());
    throw translateError(result.error);
  }
  if (type === "mutation" && !isRecorded) await call.record(ctx.sql, { subject: subjectOf(await getRawInput(), result.data) });
  return result;
});

const nameOf = async (sql: Sql, accountId: string, by: string | null) => ({
  by,
  name: by && ((await findMemberName(sql, accountId, by)) ?? null),
});

/** Adds who has deleted what the input names, or has cancelled or sent it, as far as the audit knows. */
async function tellGone(sql: Sql, accountId: string, { told }: Gone, input: unknown): Promise<void> {
  const named = input as Partial<Record<string, unknown>> | null;
  const id = named?.[`${told.what}Id`] ?? named?.["id"];
  if (typeof id !== "string" || !isUuid(id)) return;
  const act = await findLastAct(sql, accountId, id, told.how === "deleted" ? "delete|revoke|remove|changeMany" : "cancel|sendNow");
  const at = act && new Date(uuidTime(act.id)).toISOString();
  Object.assign(told, { id }, at && { at, ...(await nameOf(sql, accountId, act.actor)) });
}

export const viewerProcedure = procedureFor("viewer");
/** A viewer's query of what the gateways write, which a replica may answer. */
export const readerProcedure = procedureFor("viewer").meta({ mayLag: true });
export const operatorProcedure = procedureFor("operator");
export const ownerProcedure = procedureFor("owner");
/** The same for mutations that open their own transactions, see `Meta`. */
export const operatorCallProcedure = operatorProcedure.meta({ ownTransactions: true });
export const ownerCallProcedure = ownerProcedure.meta({ ownTransactions: true });

function procedureFor(needed: Role) {
  return publicProcedure.meta({ role: needed }).use(async ({ ctx, next, path: action, type, meta, getRawInput }) => {
    const caller = requireRole(ctx.caller, needed);
    requireAdmission(caller, action);
    if (type === "mutation") requireProofFor(caller, action);
    if (meta?.mayLag === true && !ctx.isInTurn) {
      const reading = await ctx.replica?.forReader(caller.accountId);
      const read = reading && (await next({ ctx: { ...ctx, caller, sql: reading.sql } }));
      if (read?.ok === true) ctx.noteLag?.(reading?.lag ?? 0);
      if (read && (read.ok || ctx.replica?.mayRepeat(read.error.cause) !== true)) return read;
      if (ctx.replica !== undefined) ctx.noteLag?.(0);
    }
    if (type !== "mutation" || action.startsWith("auth.")) return next({ ctx: { ...ctx, caller } });
    if (meta?.ownTransactions === true) {
      const answer = await next({ ctx: { ...ctx, caller } });
      if (answer.ok) await lookSoon(ctx, caller, action);
      return answer;
    }
    const input = await getRawInput();
    const result = await inAuditedTransaction(ctx, caller, { action, input, isRecorded: ctx.isRecorded }, async (sql) => {
      await requireStillLetIn(sql, caller);
      const ran = await next({ ctx: { ...ctx, caller, sql } });
      // The transaction rolls back. A collision is thrown by its cause, so that the transaction is tried again.
      if (!ran.ok) throw isCollision(ran.error.cause) ? (ran.error.cause as Error) : ran.error;
      return ran;
    });
    // The call has written its entry already.
    ctx.recordNothing();
    await lookSoon(ctx, caller, action);
    return result;
  });
}

/** Procedures that neither cause nor mend a problem. */
const harmless = /^(?:(?:alerts|assistant|optOuts|problems|sandbox|tokens|users|views)\.|bindings\.plan$)/u;

/** Makes the account's problems be looked at anew: a change may have mended one. It waits for no lock that the change holds. */
async function lookSoon({ sql, log }: RequestContext, { accountId }: Caller, action: string): Promise<void> {
  if (harmless.test(action)) return;
  await hurryWatch(sql, accountId).catch((error: unknown) => log.warn({ err: error, accountId }, "a look at the account was not hurried"));
}

export type CreateContext = CallContext & { caller: Caller };

/**
 * Lets a create with the caller's own `clientId` make its object once: the same input again is answered by `read`, with `existing: true`. It stands after the
 * input of a mutation that runs in the audit's transaction, where an account's mutations run one after the other.
 */
export const once = (read: (context: CreateContext, id: string) => Promise<object>) =>
  t.middleware(async ({ ctx, path, next, getRawInput }) => {
    const { clientId, ...input } = (await getRawInput()) as { clientId?: string };
    if (clientId === undefined) return await next();
    const call = ctx as CreateContext;
    const { sql, vault, caller } = call;
    const account_id = caller.accountId;
    const texts = [`${path} ${clientId}`, canonical(input, () => true)];
    const [key, digest] = texts.map((text) => vault.fingerprint(`made once ${account_id} ${text}`));
    const made = await findMade(sql, account_id, key ?? "");
    if (made === undefined) {
      const result = await next();
      const object_id = result.ok ? subjectOf(null, result.data) : null;
      if (object_id !== null) await insertMade(sql, { account_id, key: key ?? "", input: digest ?? "", object_id });
      return result;
    }
    if (made.input !== digest) throw conflict("This clientId has been used with another input: choose another one");
    call.recordNothing();
    return { ok: true, data: { ...(await read(call, made.object_id)), existing: true } } as Awaited<ReturnType<typeof next>>;
  });

import { initTRPC } from "@trpc/server";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import { isCollision } from "shared/db/transaction";
import type { CallContext, RequestContext } from "../context.ts";
import { requireStillLetIn } from "../session/sessions.ts";
import { type Actor, callerAsActor, inAuditedTransaction, recordMutation, subjectOf, type Told } from "./audit-trail.ts";
import { formatError, translateError } from "./errors.ts";
import { requireAdmission, requireProofFor, requireRole, requireScope } from "./roles.ts";

/**
 * `ownTransactions`: the mutation calls another server or signs somebody in, and opens its own transactions. All of `auth` does, so that a refused try
 * counts all the same. Such a mutation records itself in the transaction of its change, see `CallContext`; else it is recorded once it has succeeded.
 */
export interface Meta {
  ownTransactions: true;
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

/** Turns an absent input into `{}`, so that the refusal names what is missing. */
const withInput = t.procedure.use(async ({ next, getRawInput }) =>
  next({
    getRawInput: async () => {
      const input = await getRawInput();
      return input === undefined ? {} : input;
    },
  }),
);

/** Open to everybody, and the base of all other procedures: translates database errors, and ensures that every successful mutation leaves an entry in the audit. */
export const publicProcedure = withInput.use(async ({ ctx, next, path: action, type, getRawInput }) => {
  const { caller } = ctx;
  if (caller !== null) requireScope(caller, action, type);
  let isRecorded = false;
  const write = async (sql: Sql, actor: Actor, told: Told): Promise<void> => {
    await recordMutation({ sql, address: ctx.address }, actor, { action, ...told });
    isRecorded = true;
  };
  const call: Pick<CallContext, "record" | "actAs" | "recordNothing" | "isRecorded"> = {
    record: async (sql, told = {}) => (caller === null ? unknownActor(action) : write(sql, callerAsActor(caller), told)),
    actAs: async (actor, told = {}, sql?: Sql) => {
      if (sql !== undefined || !isRecorded) await write(sql ?? ctx.sql, actor, { subject: actor.userId, ...told });
    },
    recordNothing: () => void (isRecorded = true),
    isRecorded: () => isRecorded,
  };
  const result = await next({ ctx: { ...ctx, ...call } });
  if (!result.ok) throw translateError(result.error);
  if (type === "mutation" && !isRecorded) await call.record(ctx.sql, { subject: subjectOf(await getRawInput(), result.data) });
  return result;
});

function unknownActor(action: string): never {
  throw new Error(`${action} changed something without an actor: call actAs`);
}

export const viewerProcedure = procedureFor("viewer");
export const operatorProcedure = procedureFor("operator");
export const ownerProcedure = procedureFor("owner");

function procedureFor(needed: Role) {
  return publicProcedure.use(async ({ ctx, next, path: action, type, meta, getRawInput }) => {
    const caller = requireRole(ctx.caller, needed);
    requireAdmission(caller, action);
    if (type === "mutation") requireProofFor(caller, action);
    if (type !== "mutation" || meta?.ownTransactions === true || action.startsWith("auth.")) return next({ ctx: { ...ctx, caller } });
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
    return result;
  });
}

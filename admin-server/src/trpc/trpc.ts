import { initTRPC } from "@trpc/server";
import type { Role } from "shared/core/role";
import type { RequestContext } from "../context.ts";
import { type Actor, callerAsActor, recordMutation, subjectOf } from "./audit-trail.ts";
import { formatError, translateError } from "./errors.ts";
import { requireRole } from "./roles.ts";

const t = initTRPC.context<RequestContext>().create({
  isDev: false,
  errorFormatter: formatError,
  sse: {
    // A client comes back by itself, and is asked anew who it is: a session that has ended watches for five minutes more at the most.
    maxDurationMs: 300_000,
    ping: { enabled: true, intervalMs: 15_000 },
    client: { reconnectAfterInactivityMs: 45_000 },
  },
});

export const router = t.router;

/** An absent input is an empty one, however it is called: what is missing is then named. */
const withInput = t.procedure.use(async ({ next, getRawInput }) =>
  next({
    getRawInput: async () => {
      const input = await getRawInput();
      return input === undefined ? {} : input;
    },
  }),
);

/**
 * Anybody. A refusal of the database becomes one of ours, and every mutation that succeeds leaves an audit entry: of the caller, or of the person whom it
 * let in, who is named with `actAs`. There is no other procedure to begin with, so none can forget it.
 */
export const publicProcedure = withInput.use(async ({ ctx, next, path, type, getRawInput }) => {
  let actor: Actor | null = ctx.caller && callerAsActor(ctx.caller);
  const actAs = (letIn: Actor): void => void (actor = letIn);
  const result = await next({ ctx: { ...ctx, actAs } });
  if (!result.ok) throw translateError(result.error);
  if (type === "mutation") {
    if (actor === null) throw new Error(`${path} has changed something in nobody's name: call actAs`);
    await recordMutation(ctx, actor, { action: path, subject: subjectOf(await getRawInput(), result.data) });
  }
  return result;
});

/** Whoever is signed in: viewers, operators and owners. */
export const viewerProcedure = procedureFor("viewer");
export const operatorProcedure = procedureFor("operator");
export const ownerProcedure = procedureFor("owner");

function procedureFor(needed: Role) {
  return publicProcedure.use(async ({ ctx, next }) => next({ ctx: { ...ctx, caller: requireRole(ctx.caller, needed) } }));
}

import { initTRPC } from "@trpc/server";
import type { Role } from "shared/core/role";
import type { RequestContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { type Actor, callerAsActor, recordMutation, subjectOf } from "./audit-trail.ts";
import { formatError, translateError } from "./errors.ts";
import { requireEnrolled, requireProof, requireProofOfPerson, requireRole, requireScope } from "./roles.ts";

const t = initTRPC.context<RequestContext>().create({
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

/**
 * Open to everybody, and the base of all other procedures: translates database errors, and writes an audit entry for every mutation that succeeds, in the name of
 * the caller or of the person named with `actAs`; none when that is `nobody`.
 */
export const publicProcedure = withInput.use(async ({ ctx, next, path, type, getRawInput }) => {
  if (ctx.caller !== null) requireScope(ctx.caller, path, type);
  let actor = (ctx.caller && callerAsActor(ctx.caller)) as Actor | "nobody" | null;
  const actAs = (letIn: Actor | "nobody"): void => void (actor = letIn);
  const result = await next({ ctx: { ...ctx, actAs } });
  if (!result.ok) throw translateError(result.error);
  if (type === "mutation") {
    if (actor === null) throw new Error(`${path} changed something without an actor: call actAs`);
    if (actor !== "nobody") await recordMutation(ctx, actor, { action: path, subject: subjectOf(await getRawInput(), result.data) });
  }
  return result;
});

export const viewerProcedure = procedureFor("viewer");
export const operatorProcedure = procedureFor("operator");
export const ownerProcedure = procedureFor("owner");

/** For what would let a stolen session or token stay: takes a proof of the person. */
export const provenViewerProcedure = procedureFor("viewer", requireProof);
export const provenOperatorProcedure = procedureFor("operator", requireProof);
export const provenOwnerProcedure = procedureFor("owner", requireProof);
/** Takes a proof of a person, and the scope alone of an access token. */
export const rotatingProcedure = procedureFor("operator", requireProofOfPerson);

function procedureFor(needed: Role, check: (caller: Caller) => void = () => undefined) {
  return publicProcedure.use(async ({ ctx, next, path }) => {
    const caller = requireRole(ctx.caller, needed);
    requireEnrolled(caller, path);
    check(caller);
    return next({ ctx: { ...ctx, caller } });
  });
}

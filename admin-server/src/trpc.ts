import { initTRPC, TRPCError } from "@trpc/server";
import { isAtLeast, type Role } from "shared/core/input/role";
import type { RequestContext } from "./context.ts";
import { formatError } from "./trpc/format-error.ts";
import { actorOf, recordMutation, subjectOf } from "./trpc/record-mutation.ts";
import { translateError } from "./trpc/translate-error.ts";

const t = initTRPC.context<RequestContext>().create({ isDev: false, errorFormatter: formatError });

export const router = t.router;

/** Anybody. A refusal of the database becomes one of ours. */
export const publicProcedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (!result.ok) throw translateError(result.error);
  return result;
});

/** Whoever is signed in: viewers, operators and owners. */
export const viewerProcedure = procedureFor("viewer");
export const operatorProcedure = procedureFor("operator");
export const ownerProcedure = procedureFor("owner");

/** Every mutation of a signed-in caller that succeeds leaves an audit entry. */
function procedureFor(needed: Role) {
  return publicProcedure.use(async ({ ctx, next, path, type, getRawInput }) => {
    const { caller } = ctx;
    if (caller === null) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first" });
    if (!isAtLeast(caller.role, needed)) {
      throw new TRPCError({ code: "FORBIDDEN", message: `This takes the role ${needed}; yours is ${caller.role}` });
    }
    const result = await next({ ctx: { ...ctx, caller } });
    if (type === "mutation" && result.ok) {
      const subject = subjectOf(await getRawInput(), result.data);
      await recordMutation(ctx, { accountId: caller.accountId, actor: actorOf(caller), action: path, subject });
    }
    return result;
  });
}

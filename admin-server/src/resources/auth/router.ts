import { changePasswordInput, loginInput, signUpInput } from "shared/core/input/auth";
import { findAccount } from "shared/db/tables/account/find";
import { listSessions } from "shared/db/tables/session/find";
import { sessionId } from "../../session/adapter.ts";
import { strongPasswordSchema } from "../../session/new-password.ts";
import { presentUser } from "../../session/sign-in.ts";
import { publicProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { changePassword } from "./change-password.ts";
import { logIn } from "./log-in.ts";
import { readState } from "./read-state.ts";
import { checkSignUpIsOpen, signUp } from "./sign-up.ts";

export const authRouter = router({
  /** What the first page shows: whether an account can be opened here, and whether that takes the setup code. */
  state: publicProcedure.query(({ ctx }) => readState(ctx)),

  login: publicProcedure.input(loginInput).mutation(({ ctx, input }) => logIn(ctx, input)),

  signUp: publicProcedure
    // Before the input is looked at: where it is closed, nothing else matters.
    .use(async ({ ctx, next }) => {
      await checkSignUpIsOpen(ctx);
      return next();
    })
    .input(signUpInput.extend({ password: strongPasswordSchema }))
    .mutation(({ ctx, input }) => signUp(ctx, input)),

  /** An access token is not ended by it: revoke that. */
  logout: viewerProcedure.mutation(async ({ ctx }) => {
    if (ctx.caller.via.kind === "session") await ctx.sessions.end(ctx.caller.via.token);
    ctx.setCookie(ctx.sessions.blankCookie());
    return {};
  }),

  me: viewerProcedure.query(async ({ ctx }) => {
    const { userId: id, email, name, role, accountId } = ctx.caller;
    const account = await findAccount(ctx.sql, accountId);
    if (account === undefined) throw notFound("account");
    return { user: presentUser({ id, email, name, role }), account: { id: account.id, name: account.name } };
  }),

  changePassword: viewerProcedure
    .input(changePasswordInput.extend({ newPassword: strongPasswordSchema }))
    .mutation(({ ctx, input }) => changePassword(ctx, ctx.caller, input)),

  sessions: viewerProcedure.query(async ({ ctx }) => {
    const { userId, via } = ctx.caller;
    const current = via.kind === "session" ? sessionId(via.token) : null;
    const rows = await listSessions(ctx.sql, userId);
    return {
      sessions: rows.map((row) => ({
        createdAt: row.created_at.toISOString(),
        expiresAt: row.expires_at.toISOString(),
        current: row.id === current,
      })),
    };
  }),

  /** Ends every session of the caller, this one too. */
  signOutEverywhere: viewerProcedure.mutation(async ({ ctx }) => {
    await ctx.sessions.endAll(ctx.caller.userId, null);
    ctx.setCookie(ctx.sessions.blankCookie());
    return {};
  }),
});

import { idInput } from "shared/core/input/common";
import { listInput } from "shared/core/input/common";
import { changePasswordInput, loginInput, resetPasswordInput, signUpInput } from "shared/core/input/team";
import { findAccount } from "shared/db/account";
import { listSessions } from "shared/db/session";
import { deleteSessionByHandle } from "shared/db/session";
import { readCursor, toPage } from "../../list-page.ts";
import { sessionId } from "../../session/adapter.ts";
import type { Caller } from "../../session/caller.ts";
import { strongPasswordSchema } from "../../session/new-password.ts";
import { presentUser } from "../../session/sign-in.ts";
import { publicProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { changePassword } from "./change-password.ts";
import { logIn } from "./log-in.ts";
import { presentSession } from "./present.ts";
import { readState } from "./read-state.ts";
import { resetPassword } from "./reset-password.ts";
import { checkSignUpIsOpen, signUp } from "./sign-up.ts";

export const authRouter = router({
  /** What the first page shows: whether somebody is signed in, whether an account can be opened here, and whether that takes the setup code. */
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

  /** By a link that an owner made. */
  resetPassword: publicProcedure
    .input(resetPasswordInput.extend({ password: strongPasswordSchema }))
    .mutation(({ ctx, input }) => resetPassword(ctx, input)),

  /** The caller's own, newest first. */
  sessions: viewerProcedure.input(listInput).query(async ({ ctx, input }) => {
    const before = readCursor("sessions", input.cursor);
    const rows = await listSessions(ctx.sql, ctx.caller.userId, { before, limit: input.limit + 1 });
    const current = currentSession(ctx.caller);
    return toPage(
      "sessions",
      rows,
      input.limit,
      (row) => row.handle,
      (row) => presentSession(row, current),
    );
  }),

  revokeSession: viewerProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const ended = await deleteSessionByHandle(ctx.sql, ctx.caller.userId, input.id);
    if (ended === undefined) throw notFound("session");
    if (ended === currentSession(ctx.caller)) ctx.setCookie(ctx.sessions.blankCookie());
    return { id: input.id };
  }),

  /** Ends every session of the caller, this one too. */
  signOutEverywhere: viewerProcedure.mutation(async ({ ctx }) => {
    await ctx.sessions.endAll(ctx.caller.userId, null);
    ctx.setCookie(ctx.sessions.blankCookie());
    return {};
  }),
});

const currentSession = ({ via }: Caller): string | null => (via.kind === "session" ? sessionId(via.token) : null);

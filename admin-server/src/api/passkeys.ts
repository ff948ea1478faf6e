import { addPasskeyInput, passkeySignInInput } from "shared/core/input/team";
import { idInput, listInput, noInput } from "shared/core/input/values";
import { deletePasskey, listPasskeys, type PasskeyRow } from "shared/db/passkey";
import { inTransaction } from "shared/db/transaction";
import { register, registrationOptions, signatureOptions, signInByPasskey } from "../session/passkeys.ts";
import { notFound } from "../trpc/errors.ts";
import { readPage } from "../trpc/paging.ts";
import { provenViewerProcedure, publicProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

/** Part of `auth`. */
export const passkeysRouter = router({
  /** The caller's own, newest first. */
  passkeys: viewerProcedure
    .input(listInput)
    .query(({ ctx, input }) => readPage("passkeys", input, (page) => listPasskeys(ctx.sql, ctx.caller.userId, page), presentPasskey)),

  /** `options` are for the browser's `navigator.credentials.create`. */
  startPasskey: provenViewerProcedure.input(noInput).mutation(async ({ ctx }) => ({ options: await registrationOptions(ctx, ctx.caller) })),

  /** `response`: what the browser answered to the options of `startPasskey`. */
  addPasskey: provenViewerProcedure.input(addPasskeyInput).mutation(async ({ ctx, input: { name, response } }) => ({
    passkey: presentPasskey(await register(ctx, ctx.caller, name, response)),
  })),

  removePasskey: provenViewerProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    await inTransaction(ctx.sql, async (sql) => {
      if (!(await deletePasskey(sql, ctx.caller.userId, id))) throw notFound("passkey");
      await ctx.record(sql, { subject: id });
    });
    return { id };
  }),

  /** `options` are for the browser's `navigator.credentials.get`. */
  startPasskeySignIn: publicProcedure.input(noInput).mutation(async ({ ctx }) => {
    ctx.recordNothing();
    return signatureOptions(ctx, { for: "sign in" });
  }),

  passkeySignIn: publicProcedure.input(passkeySignInInput).mutation(({ ctx, input }) => signInByPasskey(ctx, input)),

  /** As `startPasskeySignIn`, for `confirm`. */
  startPasskeyConfirm: viewerProcedure.input(noInput).mutation(async ({ ctx }) => {
    ctx.recordNothing();
    return signatureOptions(ctx, { for: "confirm", userId: ctx.caller.userId });
  }),
});

const presentPasskey = (row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});

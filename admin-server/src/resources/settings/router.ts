import { renameAccountInput, updateSettingsInput } from "shared/core/input/sites";
import { renameAccount } from "shared/db/account";
import { operatorProcedure, ownerProcedure, router, viewerProcedure } from "../../trpc.ts";
import { connectSandbox } from "./connect-sandbox.ts";
import { readSettings } from "./read-settings.ts";
import { testConnection } from "./test-connection.ts";
import { updateSettings } from "./update-settings.ts";

export const settingsRouter = router({
  get: viewerProcedure.query(({ ctx }) => readSettings(ctx, ctx.caller)),

  update: operatorProcedure.input(updateSettingsInput).mutation(async ({ ctx, input }) => {
    await updateSettings(ctx, ctx.caller, input);
    return readSettings(ctx, ctx.caller);
  }),

  renameAccount: ownerProcedure.input(renameAccountInput).mutation(async ({ ctx, input: { name } }) => {
    const { accountId } = ctx.caller;
    await renameAccount(ctx.sql, accountId, name);
    return { account: { id: accountId, name } };
  }),

  testConnection: operatorProcedure.mutation(({ ctx }) => testConnection(ctx, ctx.caller)),

  connectSandbox: ownerProcedure.mutation(async ({ ctx }) => {
    await connectSandbox(ctx, ctx.caller);
    return readSettings(ctx, ctx.caller);
  }),
});

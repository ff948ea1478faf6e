import { markReadInput, sandboxMessagesInput } from "shared/core/input/sandbox";
import { readCursor, toPage } from "../../list-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { openSandbox } from "./open-sandbox.ts";

export const sandboxRouter = router({
  messages: viewerProcedure.input(sandboxMessagesInput).query(async ({ ctx, input }) => {
    const after = readCursor("sandbox", input.cursor);
    const all = await openSandbox(ctx, ctx.caller, (sandbox, phoneNumberId) => sandbox.messages({ phoneNumberId, to: input.to }));
    const from = after === null ? 0 : all.findIndex((message) => message.id === after) + 1;
    return toPage("sandbox", all.slice(from), input.limit, (message) => message.id, (message) => message);
  }),

  markRead: operatorProcedure.input(markReadInput).mutation(async ({ ctx, input }) => {
    await openSandbox(ctx, ctx.caller, async (sandbox, phoneNumberId) => {
      const own = await sandbox.messages({ phoneNumberId, to: undefined });
      if (!own.some((message) => message.id === input.id)) throw notFound("message");
      await sandbox.markRead(input.id);
    });
    return { id: input.id };
  }),
});

import { markReadInput, sandboxMessagesInput } from "shared/core/input/log";
import { readCursor, toPage } from "../../list-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { requirePhoneSearch } from "../../trpc/shown-phone.ts";
import { openSandbox } from "./open-sandbox.ts";
import { messageHandle, presentMessage } from "./present.ts";

export const sandboxRouter = router({
  messages: viewerProcedure.input(sandboxMessagesInput).query(async ({ ctx, input }) => {
    const after = readCursor("sandbox", input.cursor, () => true);
    requirePhoneSearch(ctx.caller.role, input.to);
    // The sandbox knows no pages: a later one is cut out of all there is.
    const limit = after === null ? input.limit + 1 : undefined;
    const messages = await openSandbox(ctx, ctx.caller, (sandbox, phoneNumberId) =>
      sandbox.messages({ phoneNumberId, to: input.to, limit }),
    );
    const start = after === null ? 0 : messages.findIndex((message) => messageHandle(message) === after) + 1;
    return toPage("sandbox", messages.slice(start), input.limit, messageHandle, (message) => presentMessage(message, ctx.caller.role));
  }),

  markRead: operatorProcedure.input(markReadInput).mutation(async ({ ctx, input }) => {
    await openSandbox(ctx, ctx.caller, async (sandbox, phoneNumberId) => {
      const own = await sandbox.messages({ phoneNumberId });
      if (!own.some((message) => message.id === input.id)) throw notFound("message");
      await sandbox.markRead(input.id);
    });
    return { id: input.id };
  }),
});

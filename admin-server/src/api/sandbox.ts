import { createHash } from "node:crypto";
import { markReadInput, sandboxAnswerInput, sandboxMessagesInput } from "shared/core/input/log";
import type { JsonValue } from "shared/core/json";
import { knownValues, maskKnownWithin, textsOf } from "shared/core/mask";
import { may, type Role } from "shared/core/role";
import { findPlatformAccount } from "shared/db/platform-account";
import type { AdminContext } from "../context.ts";
import { SandboxRefusal, type SandboxClient, type SandboxMessage } from "../sandbox/client.ts";
import type { Caller } from "../session/caller.ts";
import { conflict, notFound, Refusal } from "../trpc/errors.ts";
import { readPage } from "../trpc/paging.ts";
import { requirePhoneSearch, shownPhone } from "../trpc/roles.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const sandboxRouter = router({
  messages: viewerProcedure.input(sandboxMessagesInput).query(({ ctx, input }) => {
    const { role } = ctx.caller;
    return readPage(
      "sandbox",
      input,
      ({ before, limit }) => {
        requirePhoneSearch(role, input.to);
        return openSandbox(ctx, ctx.caller, async (sandbox, owner) => {
          // The sandbox has no pages: a later one is cut out of all its messages.
          const messages = await sandbox.messages({ owner, to: input.to, limit: before === null ? limit : undefined });
          return before === null ? messages : messages.slice(messages.findIndex((message) => messageHandle(message) === before) + 1);
        });
      },
      (message) => presentMessage(message, role),
      { keyOf: messageHandle, isKey: () => true },
    );
  }),

  markRead: operatorProcedure
    .meta({ ownTransactions: true })
    .input(markReadInput)
    .mutation(async ({ ctx, input }) => {
      await openSandbox(ctx, ctx.caller, async (sandbox, owner) => {
        const own = await sandbox.messages({ owner });
        if (!own.some((message) => message.id === input.id)) throw notFound("message");
        // The entry is written before the call, since the sandbox keeps no audit.
        await ctx.record(ctx.sql, { subject: input.id });
        await sandbox.markRead(input.id);
      });
      return { id: input.id };
    }),

  answer: operatorProcedure
    .meta({ ownTransactions: true })
    .input(sandboxAnswerInput)
    .mutation(async ({ ctx, input }) => {
      await openSandbox(ctx, ctx.caller, async (sandbox, owner) => {
        // The entry is written before the call, since the sandbox keeps no audit.
        await ctx.record(ctx.sql);
        await sandbox.answer({ owner, ...input });
      });
      return { from: input.from };
    }),
});

/**
 * Calls the sandbox for the account, as the owner of its number there; ids that its people entered are ignored. @throws TRPCError CONFLICT while the
 * account is not connected to it, or it does not answer
 */
async function openSandbox<T>(
  { sql, sandbox }: AdminContext,
  { accountId }: Caller,
  act: (sandbox: SandboxClient, owner: string) => Promise<T>,
): Promise<T> {
  const platform = await findPlatformAccount(sql, accountId);
  if (sandbox === null || platform?.sandbox !== true)
    throw conflict("The account is not connected to the sandbox: connect it in the settings");
  try {
    return await act(sandbox, accountId);
  } catch (error) {
    if (error instanceof SandboxRefusal) throw new Refusal("CONFLICT", error.said);
    throw error;
  }
}

/** Stands for the message's id, which contains the recipient's phone, lightly encoded. */
const messageHandle = ({ id }: Pick<SandboxMessage, "id">): string => createHash("sha256").update(id).digest("hex");

function presentMessage(message: SandboxMessage, role: Role): SandboxMessage {
  if (may(role, "seePhones")) return message;
  const { at, status, readAt, ...told } = message;
  const values = knownValues([...textsOf(message.components as JsonValue), message.to]);
  const shown = maskKnownWithin(told as JsonValue, values) as typeof told;
  return {
    ...shown,
    template: message.template,
    language: message.language,
    at,
    status,
    ...(readAt !== undefined && { readAt }),
    id: messageHandle(message),
    to: shownPhone(message.to, role),
  };
}

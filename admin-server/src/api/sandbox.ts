import { createHash } from "node:crypto";
import { markReadInput, sandboxMessagesInput } from "shared/core/input/log";
import type { Role } from "shared/core/role";
import { findPlatformAccount } from "shared/db/platform-account";
import type { AdminContext } from "../context.ts";
import { SandboxRefusal, type SandboxClient, type SandboxMessage } from "../sandbox/client.ts";
import type { Caller } from "../session/caller.ts";
import { notFound, conflict } from "../trpc/errors.ts";
import { readCursor, toPage } from "../trpc/paging.ts";
import { requirePhoneSearch, seesPhones, shownPhone, shownValue } from "../trpc/roles.ts";
import { operatorProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

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

/** Does something with the account's own number in the sandbox. Refused while the account is not connected to it. */
async function openSandbox<T>(
  { sql, sandbox }: AdminContext,
  { accountId }: Caller,
  act: (sandbox: SandboxClient, phoneNumberId: string) => Promise<T>,
): Promise<T> {
  const platform = await findPlatformAccount(sql, accountId);
  if (sandbox === null || platform?.sandbox !== true)
    throw conflict("The account is not connected to the sandbox: connect it in the settings");
  try {
    return await act(sandbox, platform.phone_number_id);
  } catch (error) {
    if (error instanceof SandboxRefusal) throw conflict(error.message);
    throw error;
  }
}

/** A message's id holds its recipient, in a form that is easily read back. */
const messageHandle = ({ id }: Pick<SandboxMessage, "id">): string => createHash("sha256").update(id).digest("hex");

const presentMessage = (message: SandboxMessage, role: Role): SandboxMessage =>
  seesPhones(role) ? message : { ...shownValue(message, role), id: messageHandle(message), to: shownPhone(message.to, role) };

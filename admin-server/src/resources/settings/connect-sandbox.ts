import type { AdminContext } from "../../context.ts";
import { SandboxRefusal } from "../../sandbox/client.ts";
import { connectToSandbox } from "../../sandbox/connect.ts";
import type { Caller } from "../../session/caller.ts";
import { conflict } from "../../trpc/refusals.ts";

/** Connects the account to its own business account in the sandbox: the same one whenever it comes back. */
export async function connectSandbox(context: AdminContext, { accountId }: Caller): Promise<void> {
  const { sandbox } = context;
  if (sandbox === null)
    throw conflict("This server talks to the real platform (PLATFORM_API_URL is set): there is no sandbox to connect to");
  try {
    await connectToSandbox(context, sandbox, accountId);
  } catch (error) {
    if (error instanceof SandboxRefusal) throw conflict(error.message);
    throw error;
  }
}

import { findPlatformAccount } from "shared/db/platform-account";
import type { AdminContext } from "../../context.ts";
import { SandboxRefusal, type SandboxClient } from "../../sandbox/client.ts";
import type { Caller } from "../../session/caller.ts";
import { conflict } from "../../trpc/refusals.ts";

/** Does something with the account's own number in the sandbox. Refused while the account is not connected to it. */
export async function openSandbox<T>(
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

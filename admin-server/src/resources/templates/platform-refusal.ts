import { TRPCError } from "@trpc/server";
import type { PlatformCredentials } from "shared/platform/credentials";
import { PlatformError } from "shared/platform/platform-error";
import type { AdminContext } from "../../context.ts";
import { platformCredentials } from "../../platform/credentials.ts";
import { conflict } from "../../trpc/refusals.ts";

/** What the account's calls to the platform take. @throws CONFLICT while it is not connected. */
export async function credentialsOf(context: Pick<AdminContext, "sql" | "vault">, accountId: string): Promise<PlatformCredentials> {
  const credentials = await platformCredentials(context, accountId);
  if (credentials === null)
    throw conflict("The account is not connected to the messaging platform; enter its credentials in the settings first");
  return credentials;
}

/** Awaits a call to the platform; a refusal is handed on in the platform's own words. */
export async function askPlatform<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const isRefusal = error.facts !== null && error.facts.class !== "transient";
    throw new TRPCError({ code: isRefusal ? "BAD_REQUEST" : "BAD_GATEWAY", message: error.message, cause: error });
  }
}

import { TRPCError } from "@trpc/server";
import type { PlatformCredentials } from "shared/platform/client";
import { PlatformError } from "shared/platform/client";
import { templateAdvice } from "shared/platform/template-json";
import type { AdminContext } from "../../context.ts";
import { platformCredentials } from "../../platform/credentials.ts";
import { AppIdMissing } from "../../templates/app-id-missing.ts";
import { MediaFault } from "../../templates/header-media.ts";
import { conflict, invalidInput } from "../../trpc/refusals.ts";

/** What the account's calls to the platform take. @throws CONFLICT while it is not connected. */
export async function credentialsOf(context: Pick<AdminContext, "sql" | "vault">, accountId: string): Promise<PlatformCredentials> {
  const credentials = await platformCredentials(context, accountId);
  if (credentials === null)
    throw conflict("The account is not connected to the messaging platform; enter its credentials in the settings first");
  return credentials;
}

/** Awaits calls to the platform; a refusal is handed on in the platform's own words, with what to do about it. */
export async function askPlatform<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw explained(error);
  }
}

function explained(error: unknown): unknown {
  if (error instanceof AppIdMissing) {
    return conflict("The header's file is uploaded through the platform's app: enter the app's id in the settings first (platform.appId)");
  }
  if (error instanceof MediaFault) return invalidInput([{ path: error.field.split("."), message: error.message }]);
  if (!(error instanceof PlatformError)) return error;
  const { facts } = error;
  const message = [error.message, templateAdvice(error)].filter((part) => part !== null).join(" ");
  return new TRPCError({ code: facts !== null && facts.class !== "transient" ? "BAD_REQUEST" : "BAD_GATEWAY", message, cause: error });
}

import { TRPCError } from "@trpc/server";
import { defaultApiVersion, type PlatformInput, type updateSettingsInput } from "shared/core/input/sites";
import { isAtLeast } from "shared/core/role";
import { setRetention } from "shared/db/account";
import { setTimezone } from "shared/db/account";
import type { Sql } from "shared/db/connect";
import { findPlatformCredentials } from "shared/db/platform-account";
import type { PlatformCredentialsRow } from "shared/db/platform-account";
import { deletePlatformAccount, savePlatformAccount } from "shared/db/platform-account";
import { inTransaction } from "shared/db/transaction";
import type { Vault } from "shared/secrets/vault";
import type { z } from "zod";
import type { AdminContext } from "../../context.ts";
import { secretHint } from "../../platform/secret-hint.ts";
import type { Caller } from "../../session/caller.ts";
import { invalidInput } from "../../trpc/refusals.ts";

/** Writes what the input names. New credentials, or the same ones entered again, let a stopped account send again. */
export async function updateSettings(
  context: AdminContext,
  { accountId, role }: Caller,
  input: z.output<typeof updateSettingsInput>,
): Promise<void> {
  const { timezone, platform, retention } = input;
  if ((platform !== undefined || retention !== undefined) && !isAtLeast(role, "owner")) {
    throw new TRPCError({
      code: "FORBIDDEN",
      message: "Only an owner changes the platform's credentials, or for how long things are kept",
    });
  }
  await inTransaction(context.sql, async (sql) => {
    if (timezone !== undefined) await setTimezone(sql, accountId, timezone);
    if (retention !== undefined) await setRetention(sql, accountId, retention);
    if (platform === null) await deletePlatformAccount(sql, accountId);
    else if (platform !== undefined) await savePlatform(sql, context, accountId, platform);
  });
}

async function savePlatform(sql: Sql, { vault, config }: AdminContext, accountId: string, input: PlatformInput): Promise<void> {
  const stored = await findPlatformCredentials(sql, accountId);
  const { wabaId, phoneNumberId } = input;
  await savePlatformAccount(sql, {
    accountId,
    wabaId,
    phoneNumberId,
    sandbox: config.isSandbox,
    apiVersion: input.apiVersion ?? stored?.api_version ?? defaultApiVersion,
    appId: input.appId === undefined ? (stored?.app_id ?? null) : input.appId,
    ...accessToken(vault, stored, input.accessToken),
    appSecret: appSecret(vault, stored, input.appSecret),
  });
}

function accessToken(vault: Vault, stored: PlatformCredentialsRow | undefined, given: string | undefined) {
  if (given !== undefined) return { accessToken: vault.encrypt(given), accessTokenHint: secretHint(given) };
  if (stored === undefined)
    throw invalidInput([{ path: ["platform", "accessToken"], message: "Is needed to connect: none is stored yet" }]);
  return { accessToken: stored.access_token, accessTokenHint: stored.access_token_hint };
}

function appSecret(vault: Vault, stored: PlatformCredentialsRow | undefined, given: string | null | undefined): string | null {
  if (given === undefined) return stored?.app_secret ?? null;
  return given === null ? null : vault.encrypt(given);
}

import { defaultApiVersion } from "shared/core/input/sites";
import { findAccount } from "shared/db/account";
import { findPlatformAccount } from "shared/db/platform-account";
import type { PlatformAccountRow } from "shared/db/platform-account";
import type { AdminContext } from "../../context.ts";
import { webhookUrl } from "../../platform/webhook-url.ts";
import type { Caller } from "../../session/caller.ts";
import { notFound } from "../../trpc/refusals.ts";

/** Why the platform takes nothing from the account at present. */
export interface PlatformProblem {
  code: string;
  reason: string;
  since: string;
}

/** The account's settings as the caller may see them: no secret but the verify token, and that not to viewers. */
export async function readSettings({ sql, config }: AdminContext, { accountId, role }: Caller) {
  const [account, platform] = await Promise.all([findAccount(sql, accountId), findPlatformAccount(sql, accountId)]);
  if (account === undefined) throw notFound("account");
  return {
    timezone: account.timezone,
    gatewayUrl: config.publicGatewayUrl,
    retention: { payloadDays: account.payload_days, logDays: account.log_days },
    platform: {
      configured: platform !== undefined,
      sandbox: platform?.sandbox ?? config.isSandbox,
      wabaId: platform?.waba_id ?? null,
      phoneNumberId: platform?.phone_number_id ?? null,
      appId: platform?.app_id ?? null,
      apiVersion: platform?.api_version ?? defaultApiVersion,
      accessTokenHint: platform?.access_token_hint ?? null,
      hasAppSecret: platform?.has_app_secret ?? false,
      webhookUrl: webhookUrl(config.publicGatewayUrl, accountId),
      verifyToken: role === "viewer" ? null : account.verify_token,
      problem: problemOf(platform),
    },
  };
}

function problemOf(platform: PlatformAccountRow | undefined): PlatformProblem | null {
  if (platform === undefined || platform.stopped_code === null || platform.stopped_at === null) return null;
  return { code: platform.stopped_code, reason: platform.stopped_reason ?? "", since: platform.stopped_at.toISOString() };
}

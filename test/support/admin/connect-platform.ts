import { savePlatformAccount } from "shared/db/platform-account";
import type { OpenResources } from "./open-resources.ts";

/** Gives the account credentials of the platform: business account `waba-1`, token `token-1`. */
export const connectPlatform = ({ sql, vault }: OpenResources, accountId: string) =>
  savePlatformAccount(sql, {
    accountId,
    sandbox: false,
    wabaId: "waba-1",
    phoneNumberId: "phone-1",
    apiVersion: "v25.0",
    appId: null,
    accessToken: vault.encrypt("token-1"),
    accessTokenHint: "en-1",
    appSecret: null,
  });

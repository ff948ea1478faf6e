import { performance } from "node:perf_hooks";
import { type ConnectionCheck, connectionChecks, describeFailedCheck } from "../core/connection-check.ts";
import { checkBusinessAccount } from "./account/check-business-account.ts";
import { checkNumber } from "./account/check-number.ts";
import { checkPairing } from "./account/check-pairing.ts";
import { checkSubscription } from "./account/check-subscription.ts";
import { checkTemplates } from "./account/check-templates.ts";
import { checkToken } from "./account/check-token.ts";
import type { Connection } from "./account/connection.ts";
import type { PlatformClient } from "./client.ts";
import type { PlatformCredentials } from "./credentials.ts";
import { boundedText } from "./http/bounded-text.ts";
import { PlatformError } from "./platform-error.ts";

export interface ConnectionTest {
  ok: boolean;
  /** As the platform shows it. */
  phoneNumber?: string | undefined;
  verifiedName?: string | undefined;
  /** Which check failed, why, and what to do. */
  error?: string | undefined;
}

const checks: Record<ConnectionCheck, (connection: Connection) => Promise<Pick<ConnectionTest, "phoneNumber" | "verifiedName"> | void>> = {
  "access token": checkToken,
  "phone number": checkNumber,
  "business account": checkBusinessAccount,
  "phone number's business account": checkPairing,
  "template access": checkTemplates,
  "status updates": checkSubscription,
};

const longestMs = 15_000;

/** Whether messages could be sent with these credentials: stops at the first check that fails. Sends nothing, changes nothing, never throws PlatformError. */
export async function testConnection(client: PlatformClient, credentials: PlatformCredentials): Promise<ConnectionTest> {
  const connection: Connection = { client, credentials, cutAt: performance.now() + longestMs };
  const found: Pick<ConnectionTest, "phoneNumber" | "verifiedName"> = {};
  for (const check of connectionChecks) {
    try {
      Object.assign(found, await checks[check](connection));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { ok: false, ...found, error: boundedText(describeFailedCheck(check, sentence(error))) };
    }
  }
  return { ok: true, ...found };
}

function sentence({ message, facts }: PlatformError): string {
  return facts === null ? message : `${facts.explanation} The platform says: ${message}`;
}

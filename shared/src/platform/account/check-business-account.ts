import { member, textMember } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";
import { requestFields } from "../request/request-fields.ts";
import type { Connection } from "./connection.ts";
import { requireHealth } from "./require-health.ts";

const fields = "id,name,account_review_status,health_status";

export async function checkBusinessAccount({ client, credentials, cutAt }: Connection): Promise<void> {
  const account = await requestFields(client, credentials, [credentials.wabaId], { fields, cutAt });
  if (textMember(account, "account_review_status")?.toUpperCase() === "REJECTED") {
    throw new PlatformError("The platform rejected the business account. Ask for another review in the platform's business manager.");
  }
  requireHealth(member(account, "health_status"));
}

import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { selectFields } from "../http/select-fields.ts";
import { healthStatus } from "./health-status.ts";

const DEFAULTS = ["id", "name", "timezone_id", "message_template_namespace"];

/** The business account with the fields asked for (platform facts, section 7). */
export function businessAccountNode(account: SandboxAccount, fields: string | null): Record<string, unknown> {
  const all = {
    id: account.wabaId,
    name: account.name,
    timezone_id: "1",
    message_template_namespace: `sandbox_${account.wabaId}`,
    account_review_status: "APPROVED",
    business_verification_status: "verified",
    country: "US",
    currency: "USD",
    ownership_type: "SELF",
    status: "ACTIVE",
    primary_business_location: "US",
    health_status: healthStatus(account),
  };
  return selectFields(all, DEFAULTS, fields, "WhatsAppBusinessAccount");
}

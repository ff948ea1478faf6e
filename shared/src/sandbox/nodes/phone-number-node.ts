import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { displayNumber } from "../accounts/new-account.ts";
import { selectFields } from "../http/select-fields.ts";
import { healthStatus } from "./health-status.ts";

const DEFAULTS = ["id", "display_phone_number", "verified_name", "quality_rating"];

/** The account's phone number with the fields asked for (platform facts, section 7). */
export function phoneNumberNode(account: SandboxAccount, fields: string | null): Record<string, unknown> {
  const all = {
    id: account.phoneNumberId,
    display_phone_number: displayNumber(account.phoneNumber),
    verified_name: account.name,
    quality_rating: "GREEN",
    code_verification_status: "VERIFIED",
    name_status: "APPROVED",
    status: "CONNECTED",
    platform_type: "CLOUD_API",
    account_mode: "LIVE",
    throughput: { level: "STANDARD" },
    whatsapp_business_manager_messaging_limit: "TIER_2K",
    health_status: healthStatus(account),
    webhook_configuration: { application: account.callbackUrl },
  };
  return selectFields(all, DEFAULTS, fields, "WhatsAppBusinessPhoneNumber");
}

import { boundedText } from "../http/bounded-text.ts";
import { member, textMember } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";
import { requestFields } from "../request/request-fields.ts";
import type { Connection } from "./connection.ts";
import { requireHealth } from "./require-health.ts";

const fields = "id,display_phone_number,verified_name,status,health_status";

export async function checkNumber({ client, credentials, cutAt }: Connection): Promise<{ phoneNumber?: string; verifiedName?: string }> {
  const number = await requestFields(client, credentials, [credentials.phoneNumberId], { fields, cutAt });
  const phoneNumber = textMember(number, "display_phone_number");
  const verifiedName = textMember(number, "verified_name");
  if (phoneNumber === undefined)
    throw new PlatformError("The id is not that of a phone number. Copy the phone number id from the platform's app settings.");
  const status = textMember(number, "status")?.toUpperCase() ?? "CONNECTED";
  if (status !== "CONNECTED") {
    throw new PlatformError(
      `${boundedText(phoneNumber)} is ${boundedText(status)}. Register the number in the platform's business manager, so that it is CONNECTED.`,
    );
  }
  requireHealth(member(number, "health_status"));
  return { phoneNumber: boundedText(phoneNumber), ...(verifiedName !== undefined && { verifiedName: boundedText(verifiedName) }) };
}

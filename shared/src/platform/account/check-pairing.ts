import { idMember } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";
import { listItems } from "../request/list-items.ts";
import type { Connection } from "./connection.ts";

/** A number of another business account can send, but finds none of this account's templates. */
export async function checkPairing({ client, credentials, cutAt }: Connection): Promise<void> {
  const { wabaId, phoneNumberId } = credentials;
  for await (const number of listItems(client, credentials, [wabaId, "phone_numbers"], { fields: "id", cutAt })) {
    if (idMember(number, "id") === phoneNumberId) return;
  }
  throw new PlatformError(
    `Phone number ${phoneNumberId} does not belong to business account ${wabaId}. Copy both ids from the same page of the platform's app settings.`,
  );
}

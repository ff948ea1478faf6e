import { requestFields } from "../request/request-fields.ts";
import type { Connection } from "./connection.ts";

/** Needs another permission than sending: without it templates can be neither synced nor submitted. */
export async function checkTemplates({ client, credentials, cutAt }: Connection): Promise<void> {
  const query = { limit: "1" };
  await requestFields(client, credentials, [credentials.wabaId, "message_templates"], { fields: "name,status,language", query, cutAt });
}

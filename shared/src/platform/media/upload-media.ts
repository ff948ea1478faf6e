import { randomBytes } from "node:crypto";
import type { PlatformCredentials } from "../credentials.ts";
import { idMember } from "../http/json-member.ts";
import { authorization, type ManagementClient } from "../management/management-client.ts";
import { PlatformError } from "../platform-error.ts";
import { readManagementAnswer } from "../request/request.ts";
import type { MediaBytes } from "./media-bytes.ts";

/**
 * Gives the platform a file that messages of this number then name by the id answered, for 30 days.
 * @throws PlatformError
 */
export async function uploadMedia(client: ManagementClient, credentials: PlatformCredentials, file: MediaBytes): Promise<string> {
  const boundary = `tidings-${randomBytes(12).toString("hex")}`;
  const path = `/${[credentials.apiVersion, credentials.phoneNumberId, "media"].map(encodeURIComponent).join("/")}`;
  const headers = {
    authorization: authorization("Bearer", credentials.accessToken),
    "content-type": `multipart/form-data; boundary=${boundary}`,
  };
  const id = idMember(readManagementAnswer(await client.upload({ path, headers, body: multipart(boundary, file) })), "id");
  if (id === undefined) throw new PlatformError("The platform took the header's file but gave no id for it. Try again later.");
  return id;
}

function multipart(boundary: string, { name, type, bytes }: MediaBytes): Uint8Array[] {
  const field = (key: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
  // A quote or a line break in the name would end the header.
  const fileName = name.replace(/[\p{Cc}"\\]/gu, "_");
  const head =
    field("messaging_product", "whatsapp") +
    field("type", type) +
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n`;
  return [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)];
}

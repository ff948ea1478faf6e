import { randomBytes } from "node:crypto";
import { type PlatformCredentials, PlatformError } from "./client.ts";
import { idMember, textMember } from "./exchange.ts";
import { authorization, type ManagementClient } from "./management-client.ts";
import { readManagementAnswer, request } from "./request.ts";

/** A header's file. */
export interface MediaBytes {
  name: string;
  /** A type that the header's format accepts. */
  type: string;
  bytes: Uint8Array;
}

/**
 * Uploads a file. Messages of this number can use the returned id for 30 days.
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

/** The session id ends in a signature; both go into the URL as they are. */
const sessionForm = /^upload:[\w+/=.~%:-]+(\?[\w+/=.~%:&-]+)?$/;

/**
 * Uploads the sample of a media header for the platform's reviewers. Returns the handle for the template's example.
 * @param appId Samples belong to the app, not to the business account.
 * @throws PlatformError
 */
export async function uploadSample(
  client: ManagementClient,
  credentials: PlatformCredentials,
  appId: string,
  file: MediaBytes,
): Promise<string> {
  const query = { file_name: file.name, file_length: String(file.bytes.length), file_type: file.type };
  const session = textMember(await request(client, credentials, { method: "POST", path: [appId, "uploads"], query }), "id");
  if (session === undefined || !sessionForm.test(session)) {
    throw new PlatformError("The platform opened no upload for the header's file and does not say why. Try again later.");
  }
  const headers = { authorization: authorization("OAuth", credentials.accessToken), file_offset: "0", "content-type": file.type };
  const path = `/${encodeURIComponent(credentials.apiVersion)}/${session}`;
  const handle = textMember(readManagementAnswer(await client.upload({ path, headers, body: [file.bytes] })), "h");
  if (handle === undefined) throw new PlatformError("The platform took the header's file but gave no handle for it. Try again later.");
  return handle;
}

import type { PlatformCredentials } from "../credentials.ts";
import { textMember } from "../http/json-member.ts";
import { authorization, type ManagementClient } from "../management/management-client.ts";
import { PlatformError } from "../platform-error.ts";
import { readManagementAnswer, request } from "../request/request.ts";
import type { MediaBytes } from "./media-bytes.ts";

/** The platform puts a signature behind the session's id; both go into the address as they are. */
const sessionForm = /^upload:[\w+/=.~%:-]+(\?[\w+/=.~%:&-]+)?$/;

/**
 * Uploads the sample of a media header for the platform's reviewers, by its resumable upload; answers the handle that the template's example names.
 * @param appId The platform's app: samples belong to it, not to the business account.
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

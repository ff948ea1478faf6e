import { idMember, listMember, member } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";
import { request } from "../request/request.ts";
import type { Connection } from "./connection.ts";

const needed = ["whatsapp_business_messaging", "whatsapp_business_management"];

/** What the platform knows of the token, which only the app itself may ask: without app id and secret the other checks have to do. */
export async function checkToken({ client, credentials, cutAt }: Connection): Promise<void> {
  const { accessToken, appId, appSecret, wabaId } = credentials;
  if (!appId || !appSecret) return;
  const query = { input_token: accessToken };
  const answer = await request(client, credentials, {
    method: "GET",
    path: ["debug_token"],
    query,
    accessToken: `${appId}|${appSecret}`,
    cutAt,
  });
  const token = member(answer, "data");
  if (member(token, "is_valid") === false) {
    throw new PlatformError(
      "The platform no longer accepts the access token. Create a new one of a system user and enter it in the settings.",
    );
  }
  const owner = idMember(token, "app_id");
  if (owner !== undefined && owner !== appId) {
    throw new PlatformError(
      `The access token belongs to app ${owner}, the settings name app ${appId}. Enter the id and secret of the token's own app.`,
    );
  }
  const scopes = listMember(token, "scopes");
  const missing = scopes.length === 0 ? [] : needed.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new PlatformError(`The access token lacks ${missing.join(" and ")}. Create a new one with both WhatsApp permissions.`);
  if (!reaches(token, wabaId)) {
    throw new PlatformError(
      `The access token does not reach business account ${wabaId}. Check the id, and assign the account to the token's system user.`,
    );
  }
}

/** A permission without targets holds for everything. */
function reaches(token: unknown, wabaId: string): boolean {
  return listMember(token, "granular_scopes")
    .filter((granted) => needed.includes(String(member(granted, "scope"))))
    .map((granted) => listMember(granted, "target_ids").map(String))
    .every((targets) => targets.length === 0 || targets.includes(wabaId));
}

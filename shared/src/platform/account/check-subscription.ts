import { idMember, listMember, member } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";
import { request } from "../request/request.ts";
import type { Connection } from "./connection.ts";

/** Without a subscription messages go out and nothing is ever heard of them. Only looked at when the settings name the app. */
export async function checkSubscription({ client, credentials, cutAt }: Connection): Promise<void> {
  const { wabaId, appId } = credentials;
  if (!appId) return;
  const answer = await request(client, credentials, { method: "GET", path: [wabaId, "subscribed_apps"], cutAt });
  const subscribed = listMember(answer, "data").map((item) => idMember(member(item, "whatsapp_business_api_data") ?? item, "id"));
  if (subscribed.includes(appId)) return;
  throw new PlatformError(
    `App ${appId} is not subscribed to business account ${wabaId}, so messages would go out without any status. Subscribe it in the platform's app settings.`,
  );
}

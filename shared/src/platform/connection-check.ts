import { performance } from "node:perf_hooks";
import { type ConnectionCheck, connectionChecks, describeFailedCheck, type FailedCheck } from "../core/connection-check.ts";
import { fixed, type Said, say, write } from "../core/wording.ts";
import { type PlatformClient, type PlatformCredentials, PlatformError } from "./client.ts";
import { boundedText, member, textMember, listMember, idMember } from "./exchange.ts";
import { requestFields, listItems, request } from "./request.ts";

interface Connection {
  client: PlatformClient;
  credentials: PlatformCredentials;
  /** An instant of `performance.now()`, for all checks together. */
  cutAt: number;
}

export interface ConnectionTest {
  ok: boolean;
  /** The number as the platform shows it. */
  phoneNumber?: string | undefined;
  verifiedName?: string | undefined;
  /** The failed check in words: its name, the reason, and what to do. */
  error?: string | undefined;
  /** The failed check as data; absent when no check was made. */
  failed?: FailedCheck | undefined;
  /** The reason why no check was made, as data. */
  said?: Said | undefined;
}

const businessAccountFields = "id,name,account_review_status,health_status";

const numberFields = "id,display_phone_number,verified_name,status,health_status";

const needed = ["whatsapp_business_messaging", "whatsapp_business_management"];

const checks: Record<ConnectionCheck, (connection: Connection) => Promise<Pick<ConnectionTest, "phoneNumber" | "verifiedName"> | void>> = {
  "access token": checkToken,
  "phone number": checkNumber,
  "business account": checkBusinessAccount,
  "phone number's business account": checkPairing,
  "template access": checkTemplates,
  "status updates": checkSubscription,
};

const longestMs = 15_000;

/** Checks whether messages could be sent with these credentials, up to the first failed check. Sends and changes nothing, never throws PlatformError. */
export async function testConnection(client: PlatformClient, credentials: PlatformCredentials): Promise<ConnectionTest> {
  const connection: Connection = { client, credentials, cutAt: performance.now() + longestMs };
  const found: Pick<ConnectionTest, "phoneNumber" | "verifiedName"> = {};
  for (const check of connectionChecks) {
    try {
      Object.assign(found, await checks[check](connection));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const said = sentence(error);
      const failed = { check, reason: boundedText(write(said)), said };
      return { ok: false, ...found, error: boundedText(describeFailedCheck(failed)), failed };
    }
  }
  return { ok: true, ...found };
}

function sentence({ message, said, facts }: PlatformError): Said {
  if (facts === null && said !== null) return said;
  const words = boundedText(message);
  return facts === null
    ? say("{words}", { words })
    : say("{explanation} WhatsApp says: {words}", { explanation: fixed(facts.explanation), words });
}

async function checkBusinessAccount({ client, credentials, cutAt }: Connection): Promise<void> {
  const account = await requestFields(client, credentials, [credentials.wabaId], { fields: businessAccountFields, cutAt });
  if (textMember(account, "account_review_status")?.toUpperCase() === "REJECTED") {
    throw new PlatformError(say("WhatsApp rejected the business account. Ask for another review in Meta Business Manager."));
  }
  requireHealth(member(account, "health_status"));
}

async function checkNumber({ client, credentials, cutAt }: Connection): Promise<{ phoneNumber?: string; verifiedName?: string }> {
  const number = await requestFields(client, credentials, [credentials.phoneNumberId], { fields: numberFields, cutAt });
  const phoneNumber = textMember(number, "display_phone_number");
  const verifiedName = textMember(number, "verified_name");
  if (phoneNumber === undefined)
    throw new PlatformError(say("This is not a phone number ID. Copy the phone number ID from the Meta app settings."));
  const status = textMember(number, "status")?.toUpperCase() ?? "CONNECTED";
  if (status !== "CONNECTED") {
    throw new PlatformError(
      say("{phone} is {status}. Register the number in Meta Business Manager, so that its status becomes CONNECTED.", {
        phone: boundedText(phoneNumber),
        status: boundedText(status),
      }),
    );
  }
  requireHealth(member(number, "health_status"));
  return { phoneNumber: boundedText(phoneNumber), ...(verifiedName !== undefined && { verifiedName: boundedText(verifiedName) }) };
}

/**
 * @param health `health_status` of a number or a business account; may be missing.
 * @throws PlatformError with the platform's reason and advice when sending is blocked.
 */
function requireHealth(health: unknown): void {
  if (textMember(health, "can_send_message")?.toUpperCase() !== "BLOCKED") return;
  const errors = listMember(health, "entities").flatMap((entity) => listMember(entity, "errors"));
  const words = errors.flatMap((error) => [textMember(error, "error_description"), textMember(error, "possible_solution")]);
  const told = words.filter((word) => word !== undefined).join(" ");
  throw new PlatformError(
    say("WhatsApp blocks sending. {advice}", { advice: told || say("See the account's status in Meta Business Manager.") }),
  );
}

/** Checks that the number belongs to the business account: a number of another one could send, but would not find this account's templates. */
async function checkPairing({ client, credentials, cutAt }: Connection): Promise<void> {
  const { wabaId, phoneNumberId } = credentials;
  for await (const number of listItems(client, credentials, [wabaId, "phone_numbers"], { fields: "id", cutAt })) {
    if (idMember(number, "id") === phoneNumberId) return;
  }
  throw new PlatformError(
    say(
      "Phone number {phoneNumberId} does not belong to business account {wabaId}. Copy both IDs from the same page of the Meta app settings.",
      { phoneNumberId, wabaId },
    ),
  );
}

/** Checks the subscription, without which no status updates come. It is checked only if the settings name the app. */
async function checkSubscription({ client, credentials, cutAt }: Connection): Promise<void> {
  const { wabaId, appId } = credentials;
  if (!appId) return;
  const answer = await request(client, credentials, { method: "GET", path: [wabaId, "subscribed_apps"], cutAt });
  const subscribed = listMember(answer, "data").map((item) => idMember(member(item, "whatsapp_business_api_data") ?? item, "id"));
  if (subscribed.includes(appId)) return;
  throw new PlatformError(
    say(
      "App {appId} is not subscribed to business account {wabaId}, so messages would get no status updates. Subscribe it in the Meta app settings.",
      { appId, wabaId },
    ),
  );
}

/** Checks the permission to read templates: syncing and submitting them takes another one than sending. */
async function checkTemplates({ client, credentials, cutAt }: Connection): Promise<void> {
  const query = { limit: "1" };
  await requestFields(client, credentials, [credentials.wabaId, "message_templates"], { fields: "name,status,language", query, cutAt });
}

/** Asks the platform about the token. Only the app itself may ask, so this needs app id and secret. */
async function checkToken({ client, credentials, cutAt }: Connection): Promise<void> {
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
      say("WhatsApp no longer accepts the access token. Create a new one for a system user and enter it in the settings."),
    );
  }
  const owner = idMember(token, "app_id");
  if (owner !== undefined && owner !== appId) {
    throw new PlatformError(
      say("The access token belongs to app {owner}, but the settings name app {appId}. Enter the ID and secret of the token's app.", {
        owner,
        appId,
      }),
    );
  }
  const scopes = listMember(token, "scopes");
  const missing = scopes.length === 0 ? [] : needed.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new PlatformError(
      say("The access token lacks {missing}. Create a new one with both WhatsApp permissions.", { missing: missing.join(" and ") }),
    );
  if (!reaches(token, wabaId)) {
    throw new PlatformError(
      say("The access token has no access to business account {wabaId}. Check the ID, and assign the account to the token's system user.", {
        wabaId,
      }),
    );
  }
}

/** Whether the token reaches the account. A permission without targets holds for everything. */
function reaches(token: unknown, wabaId: string): boolean {
  return listMember(token, "granular_scopes")
    .filter((granted) => needed.includes(String(member(granted, "scope"))))
    .map((granted) => listMember(granted, "target_ids").map(String))
    .every((targets) => targets.length === 0 || targets.includes(wabaId));
}

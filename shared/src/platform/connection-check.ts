import { performance } from "node:perf_hooks";
import {
  type CheckResult,
  type CheckState,
  type ConnectionCheck,
  connectionChecks,
  describeFailedCheck,
  type FailedCheck,
  type NumberHealth,
  peopleOf,
  unknownHealth,
  webhookFields,
} from "../core/connection-check.ts";
import { fixed, type Said, write } from "../core/wording.ts";
import { type PlatformClient, type PlatformCredentials, PlatformError } from "./client.ts";
import words from "./connection-words.json" with { type: "json" };
import { boundedText, member, textMember, listMember, idMember } from "./exchange.ts";
import { requestFields, listItems, request } from "./request.ts";

/** What is known here of the callbacks. */
export interface KnownCallbacks {
  /** Our address for them. */
  url: string;
  /** When the last one with a good signature came. */
  lastAt: Date | null;
  /** The sandbox calls back by itself: nothing is to be set up before the first message. */
  isSandbox: boolean;
}

interface Connection {
  client: PlatformClient;
  credentials: PlatformCredentials;
  callbacks: KnownCallbacks | null;
  /** An instant of `performance.now()`, for all checks together. */
  cutAt: number;
  found: Pick<ConnectionTest, "phoneNumber" | "verifiedName" | "health">;
  /** Notes what a check found; the first word on it counts. */
  tell: (check: ConnectionCheck, state: CheckState, said?: Said) => void;
}

export interface ConnectionTest {
  /** Whether no check failed. */
  ok: boolean;
  /** The number as the platform shows it. */
  phoneNumber?: string | undefined;
  verifiedName?: string | undefined;
  health: NumberHealth;
  /** Every check in its order; empty when none was made. */
  checks: CheckResult[];
  /** The failed check in words: its name, the reason, and what to do. */
  error?: string | undefined;
  /** The failed check as data; absent when no check was made. */
  failed?: FailedCheck | undefined;
  /** The reason why no check was made, as data. */
  said?: Said | undefined;
}

const businessAccountFields = "id,name,account_review_status,health_status";

const shortNumberFields = "id,display_phone_number,verified_name,status,health_status";
const numberFields = `${shortNumberFields},name_status,quality_rating,throughput,whatsapp_business_manager_messaging_limit,webhook_configuration`;

const needed = ["whatsapp_business_messaging", "whatsapp_business_management"];

/** The calls in their order, each with its checks; one that throws fails the first of them and ends all. */
const steps: readonly (readonly [act: (connection: Connection) => Promise<void>, ...checks: ConnectionCheck[]])[] = [
  [checkToken, "access token", "permissions", "token expiry", "app secret"],
  [checkNumber, "phone number", "display name", "quality", "messaging limit", "throughput", "callback address"],
  [checkBusinessAccount, "business account", "payment"],
  [checkPairing, "phone number's business account"],
  [checkTemplates, "template access"],
  [checkSubscription, "status updates", "subscribed fields"],
];

const longestMs = 15_000;

/** Checks whether messages could be sent with these credentials, and how freely. Sends and changes nothing, never throws PlatformError. */
export async function testConnection(
  client: PlatformClient,
  credentials: PlatformCredentials,
  callbacks: KnownCallbacks | null = null,
): Promise<ConnectionTest> {
  const results = new Map<ConnectionCheck, CheckResult>();
  const found: Connection["found"] = { health: unknownHealth };
  const tell: Connection["tell"] = (check, state, said) => {
    const reason = said && boundedText(write(said));
    if (!results.has(check)) results.set(check, { check, state, ...(said && reason !== undefined && { said, reason }) });
  };
  const connection: Connection = { client, credentials, callbacks, found, tell, cutAt: performance.now() + longestMs };
  // A secret that is missing. That it is right follows from the app's own call, or from a callback.
  if (!credentials.appSecret) tell("app secret", "warning", told("noSecret"));
  else if (!credentials.appId) tell("app secret", callbacks?.lastAt ? "passed" : "skipped");
  for (const [act, ...own] of steps) {
    try {
      await act(connection);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      tell(error instanceof CheckFailed ? error.check : (own[0] ?? "access token"), "failed", sentence(error));
      break;
    }
    for (const check of own) tell(check, "passed");
  }
  if (callbacks?.lastAt) tell("callbacks", "passed", told("lastCallback", { at: callbacks.lastAt.toISOString() }));
  else if (callbacks?.isSandbox === false) tell("callbacks", "warning", told("noCallback"));
  const checks = connectionChecks.map((check): CheckResult => results.get(check) ?? { check, state: "skipped" });
  const failure = checks.find(({ state }) => state === "failed");
  if (failure?.said === undefined) return { ok: true, ...found, checks };
  const failed = { check: failure.check, reason: failure.reason ?? "", said: failure.said };
  return { ok: false, ...found, checks, error: boundedText(describeFailedCheck(failed)), failed };
}

const told = (name: keyof typeof words, values: Said["values"] = {}): Said => ({ text: words[name], values });
const refused = (...[name, values]: Parameters<typeof told>): PlatformError => new PlatformError(told(name, values));

/** Fails another check than the first of its call. */
class CheckFailed extends PlatformError {
  readonly check: ConnectionCheck;
  constructor(check: ConnectionCheck, said: Said) {
    super(said);
    this.check = check;
  }
}

function sentence({ message, said, facts }: PlatformError): Said {
  if (facts === null && said !== null) return said;
  const words = boundedText(message);
  return facts === null ? told("words", { words }) : told("explained", { explanation: fixed(facts.explanation), words });
}

async function checkBusinessAccount({ client, credentials, cutAt, tell }: Connection): Promise<void> {
  const account = await requestFields(client, credentials, [credentials.wabaId], { fields: businessAccountFields, cutAt });
  const health = member(account, "health_status");
  const unpaid = wordsOfErrors(health).find((words) => /payment|billing|credit line/i.test(words));
  const isBlocked = textMember(health, "can_send_message")?.toUpperCase() === "BLOCKED";
  if (unpaid !== undefined) tell("payment", isBlocked ? "failed" : "warning", told("words", { words: boundedText(unpaid) }));
  if (health === undefined) tell("payment", "skipped");
  if (textMember(account, "account_review_status")?.toUpperCase() === "REJECTED") throw refused("accountRejected");
  requireHealth(health);
}

async function checkNumber(connection: Connection): Promise<void> {
  const { client, credentials, cutAt, found, tell } = connection;
  const read = { fields: numberFields, short: shortNumberFields, cutAt };
  const number = await requestFields(client, credentials, [credentials.phoneNumberId], read);
  const phoneNumber = textMember(number, "display_phone_number");
  const verifiedName = textMember(number, "verified_name");
  if (phoneNumber === undefined) throw refused("noNumber");
  const status = textMember(number, "status")?.toUpperCase() ?? "CONNECTED";
  if (status !== "CONNECTED") throw refused("notConnected", { phone: boundedText(phoneNumber), status: boundedText(status) });
  Object.assign(found, {
    phoneNumber: boundedText(phoneNumber),
    ...(verifiedName !== undefined && { verifiedName: boundedText(verifiedName) }),
  });
  found.health = readHealth(number);
  tellHealth(found.health, connection);
  const health = member(number, "health_status");
  requireHealth(health);
  if (textMember(health, "can_send_message")?.toUpperCase() === "LIMITED")
    tell("phone number", "warning", told("limited", { advice: found.health.notes.join(" ") || seeManager }));
  const words = [found.phoneNumber, found.verifiedName].filter(Boolean).join(", ");
  tell("phone number", "passed", told("sender", { words }));
}

const seeManager = told("seeManager");
const mostNotes = 10;

function readHealth(number: unknown): NumberHealth {
  const said = (value: string | undefined, nothing: string[] = []): string | null =>
    value === undefined || nothing.includes(value.toUpperCase()) ? null : boundedText(value);
  const [limit, addresses] = [textMember(number, "whatsapp_business_manager_messaging_limit"), member(number, "webhook_configuration")];
  const entities = listMember(member(number, "health_status"), "entities");
  return {
    quality: said(textMember(number, "quality_rating"), ["UNKNOWN", "NA"]),
    limit: said(limit, ["NOT_SET"]),
    throughput: said(textMember(member(number, "throughput"), "level"), ["NOT_APPLICABLE"]),
    nameStatus: said(textMember(number, "name_status")),
    override: said(textMember(addresses, "phone_number") ?? textMember(addresses, "whatsapp_business_account"), [""]),
    notes: entities
      .flatMap((entity) => listMember(entity, "additional_info"))
      .flatMap((note) => (typeof note === "string" ? boundedText(note) : []))
      .slice(0, mostNotes),
  };
}

const messagesPerSecond: Partial<Record<string, number>> = { STANDARD: 80, HIGH: 1_000 };

/** Tells what the platform says of the number; what it does not say is skipped. */
function tellHealth({ quality, limit, throughput, nameStatus, override }: NumberHealth, { callbacks, tell }: Connection): void {
  const people = peopleOf(limit);
  if (quality === null) tell("quality", "skipped");
  else if (quality.toUpperCase() === "GREEN") tell("quality", "passed", told("qualityHigh"));
  else tell("quality", "warning", told(quality.toUpperCase() === "RED" ? "qualityLow" : "qualityMedium"));
  if (limit === null) tell("messaging limit", "skipped");
  else tell("messaging limit", "passed", people === null ? fixed(limit) : told("people", { people }));
  if (throughput === null) tell("throughput", "skipped");
  else {
    const count = messagesPerSecond[throughput.toUpperCase()];
    tell("throughput", "passed", count === undefined ? fixed(throughput) : told("perSecond", { count }));
  }
  if (nameStatus === null) tell("display name", "skipped");
  else if (["APPROVED", "AVAILABLE_WITHOUT_REVIEW"].includes(nameStatus.toUpperCase())) tell("display name", "passed");
  else tell("display name", "warning", told("displayName"));
  if (callbacks === null) tell("callback address", "skipped");
  else if (override !== null && !isSameAddress(override, callbacks.url))
    tell("callback address", "failed", told("override", { override, url: callbacks.url }));
}

/** A callback reaches its account behind any of the cells of one address. */
const isSameAddress = (a: string, b: string): boolean => {
  const plain = (text: string): string => text.replace(/\/$/, "").replace(/\/[a-z0-9]{1,8}\.([0-9a-f-]{36})$/, "/$1");
  const [one, other] = [a, b].map((text) => plain(URL.canParse(text) ? new URL(text).href : text));
  return one === other;
};

/**
 * @param health `health_status` of a number or a business account; may be missing.
 * @throws PlatformError with the platform's reason and advice when sending is blocked.
 */
function requireHealth(health: unknown): void {
  if (textMember(health, "can_send_message")?.toUpperCase() !== "BLOCKED") return;
  throw refused("blocked", { advice: wordsOfErrors(health).join(" ") || seeManager });
}

/** The platform's reason and advice of each error. */
const wordsOfErrors = (health: unknown): string[] =>
  listMember(health, "entities")
    .flatMap((entity) => listMember(entity, "errors"))
    .map((error) => [textMember(error, "error_description"), textMember(error, "possible_solution")].filter(Boolean).join(" "))
    .filter((words) => words !== "");

/** Checks that the number belongs to the business account: a number of another one could send, but would not find this account's templates. */
async function checkPairing({ client, credentials, cutAt }: Connection): Promise<void> {
  const { wabaId, phoneNumberId } = credentials;
  for await (const number of listItems(client, credentials, [wabaId, "phone_numbers"], { fields: "id", cutAt })) {
    if (idMember(number, "id") === phoneNumberId) return;
  }
  throw refused("otherAccount", { phoneNumberId, wabaId });
}

/** Checks the subscription, without which no status updates come. It is checked only if the settings name the app. */
async function checkSubscription({ client, credentials, cutAt, callbacks, tell }: Connection): Promise<void> {
  const { wabaId, appId, appSecret } = credentials;
  if (!appId) {
    tell("status updates", "skipped");
    return tell("subscribed fields", "skipped");
  }
  const answer = await request(client, credentials, { method: "GET", path: [wabaId, "subscribed_apps"], cutAt });
  const subscribed = listMember(answer, "data").map((item) => idMember(member(item, "whatsapp_business_api_data") ?? item, "id"));
  if (subscribed.includes(appId)) {
    if (appSecret) await checkFields({ client, credentials, cutAt, callbacks, tell }, appId, `${appId}|${appSecret}`);
    return tell("subscribed fields", "skipped");
  }
  throw refused("notSubscribed", { appId, wabaId });
}

/** Checks which fields the app asks for, and where it has them sent. An app that may not say is left alone. */
async function checkFields({ client, credentials, cutAt, callbacks, tell }: Omit<Connection, "found">, appId: string, accessToken: string) {
  const call = { method: "GET", path: [appId, "subscriptions"], accessToken, cutAt } as const;
  const answer = await request(client, credentials, call).catch((error: unknown) => {
    if (error instanceof PlatformError) return null;
    throw error;
  });
  if (!Array.isArray(member(answer, "data"))) return;
  const own = listMember(answer, "data").filter((item) => textMember(item, "object") === "whatsapp_business_account");
  const names = own.flatMap((item) => listMember(item, "fields")).map((field) => textMember(field, "name") ?? field);
  const missing = webhookFields.filter((field) => !names.includes(field));
  const address = own.flatMap((item) => boundedText(textMember(item, "callback_url") ?? "") || [])[0];
  if (missing.length > 0) tell("subscribed fields", "warning", told("fieldsMissing", { fields: missing.join(", ") }));
  else if (callbacks !== null && address !== undefined && !isSameAddress(address, callbacks.url))
    tell("subscribed fields", "warning", told("appAddress", { address, url: callbacks.url }));
  else tell("subscribed fields", "passed");
}

/** Checks the permission to read templates: syncing and submitting them takes another one than sending. */
async function checkTemplates({ client, credentials, cutAt }: Connection): Promise<void> {
  const query = { limit: "1" };
  await requestFields(client, credentials, [credentials.wabaId, "message_templates"], { fields: "name,status,language", query, cutAt });
}

/** The refusals of a call that the app makes by its id and secret. */
const wrongAppCodes: ReadonlySet<string> = new Set(["101", "190"]);

/** Asks the platform about the token. Only the app itself may ask, so this needs app id and secret. */
async function checkToken({ client, credentials, cutAt, tell }: Connection): Promise<void> {
  const { accessToken, appId, appSecret, wabaId } = credentials;
  if (!appId || !appSecret)
    return ["access token", "permissions", "token expiry"].forEach((check) => tell(check as ConnectionCheck, "skipped"));
  const query = { input_token: accessToken };
  const call = { method: "GET", path: ["debug_token"], query, accessToken: `${appId}|${appSecret}`, cutAt } as const;
  const answer = await request(client, credentials, call).catch((error: unknown) => {
    if (!(error instanceof PlatformError) || !wrongAppCodes.has(error.facts?.code ?? "")) throw error;
    throw new CheckFailed("app secret", told("wrongApp", { appId }));
  });
  const token = member(answer, "data");
  if (member(token, "is_valid") === false) throw refused("tokenDead");
  const owner = idMember(token, "app_id");
  if (owner !== undefined && owner !== appId) throw refused("tokenOfOther", { owner, appId });
  const scopes = listMember(token, "scopes");
  const missing = scopes.length === 0 ? [] : needed.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) throw new CheckFailed("permissions", told("scopesMissing", { missing: missing.join(" and ") }));
  tellExpiry(token, tell);
  if (!reaches(token, wabaId)) throw refused("noAccess", { wabaId });
}

function tellExpiry(token: unknown, tell: Connection["tell"]): void {
  const seconds = Number(idMember(token, "expires_at") ?? 0);
  const type = textMember(token, "type")?.toUpperCase();
  if (seconds > 0) {
    const at = new Date(seconds * 1_000);
    const said = told("tokenEnds", { at: Number.isNaN(at.getTime()) ? String(seconds) : at.toISOString() });
    tell("token expiry", "warning", said);
  } else if (type === undefined || type === "SYSTEM_USER") tell("token expiry", "passed");
  else tell("token expiry", "warning", told("tokenOfPerson"));
}

/** Whether the token reaches the account. A permission without targets holds for everything. */
const reaches = (token: unknown, wabaId: string): boolean =>
  listMember(token, "granular_scopes")
    .filter((granted) => needed.includes(String(member(granted, "scope"))))
    .map((granted) => listMember(granted, "target_ids").map(String))
    .every((targets) => targets.length === 0 || targets.includes(wabaId));

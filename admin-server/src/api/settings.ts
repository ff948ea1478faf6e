import { renameAccountInput, updateSettingsInput, defaultApiVersion, type PlatformInput } from "shared/core/input/settings";
import { noInput } from "shared/core/input/values";
import { foldWord } from "shared/core/opt-out-words";
import { may } from "shared/core/role";
import { say, write } from "shared/core/wording";
import {
  renameAccount,
  findAccount,
  optOutWordsOf,
  type OptOutWordsChange,
  setAllowedAddresses,
  setPace,
  setOptOutWords,
  setRequireSecondFactor,
  setRequireSso,
  setRetention,
  setTimezone,
} from "shared/db/account";
import type { Sql } from "shared/db/connect";
import { findEncryption } from "shared/db/encryption";
import {
  findPlatformAccount,
  type PlatformAccountRow,
  resumeAccount,
  lockPlatformCredentials,
  type PlatformCredentialsRow,
  deletePlatformAccount,
  savePlatformAccount,
} from "shared/db/platform-account";
import { deleteSessionsWithoutIssuer } from "shared/db/session";
import { inTransaction } from "shared/db/transaction";
import { testConnection as askPlatform, type ConnectionTest } from "shared/platform/connection-check";
import { setEncryption } from "shared/sealing/account-rows";
import { platformPlace, verifyTokenPlace } from "shared/secrets/sealed-columns";
import { readRecord, type Seal } from "shared/secrets/vault";
import { canonicalNetwork, letsIn, NoNetwork } from "shared/server/networks";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import { webhookUrl, platformCredentials, secretHint } from "../platform-account.ts";
import { connectToSandbox } from "../sandbox/account.ts";
import { SandboxRefusal } from "../sandbox/client.ts";
import type { Caller } from "../session/caller.ts";
import { conflict, type InputProblem, invalidInput, notFound, Refusal } from "../trpc/errors.ts";
import { requireProof, requireRight } from "../trpc/roles.ts";
import { operatorProcedure, ownerProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const settingsRouter = router({
  get: viewerProcedure.input(noInput).query(({ ctx }) => readSettings(ctx, ctx.caller)),

  update: operatorProcedure.input(updateSettingsInput).mutation(async ({ ctx, input }) => {
    await updateSettings(ctx, ctx.caller, input);
    return readSettings(ctx, ctx.caller);
  }),

  renameAccount: ownerProcedure.input(renameAccountInput).mutation(async ({ ctx, input: { name } }) => {
    const { accountId } = ctx.caller;
    await renameAccount(ctx.sql, accountId, name);
    return { account: { id: accountId, name } };
  }),

  testConnection: operatorProcedure
    .meta({ ownTransactions: true })
    .input(noInput)
    .mutation(({ ctx }) => testConnection(ctx, ctx.caller, ctx.record)),

  connectSandbox: ownerProcedure
    .meta({ ownTransactions: true })
    .input(noInput)
    .mutation(async ({ ctx }) => {
      await connectSandbox(ctx, ctx.caller, ctx.record);
      return readSettings(ctx, ctx.caller);
    }),
});

/** The only secret in the settings is the verify token. */
async function readSettings({ sql, vault, config }: AdminContext, { accountId, role, via, from }: Caller) {
  const [account, platform, encryption] = await Promise.all([
    findAccount(sql, accountId),
    findPlatformAccount(sql, accountId),
    findEncryption(sql, accountId),
  ]);
  if (account === undefined) throw notFound("account");
  return {
    timezone: account.timezone,
    gatewayUrl: config.publicGatewayUrl,
    retention: { payloadDays: account.payload_days, logDays: account.log_days },
    optOut: optOutWordsOf(account),
    requireSecondFactor: account.require_second_factor,
    requireSso: account.require_sso,
    /** The company's sign-in, if there is one. `opensThis`: it opened the calling session, which `requireSso` takes. */
    sso: config.oidc ? { name: config.oidc.name, opensThis: via.kind === "session" && via.way === "sso" } : null,
    /** Null for who may not change them. */
    allowedAddresses: may(role, "limitAddresses") ? { dashboard: account.dashboard_addresses, tokens: account.token_addresses } : null,
    /** The caller's, as the lists are compared with it. */
    yourAddress: from.address,
    encryptPayloads: account.encrypt_payloads,
    messagesPerSecond: account.messages_per_second,
    retryHours: account.retry_hours,
    /** How far the encryption of what was stored before has come, from 0 to 1; null when nothing is left of that. */
    encryptionProgress: encryption === undefined ? null : progressOf(encryption),
    platform: {
      configured: platform !== undefined,
      sandbox: platform?.sandbox ?? config.isSandbox,
      wabaId: platform?.waba_id ?? null,
      phoneNumberId: platform?.phone_number_id ?? null,
      appId: platform?.app_id ?? null,
      apiVersion: platform?.api_version ?? defaultApiVersion,
      accessTokenHint: platform?.access_token_hint ?? null,
      hasAppSecret: platform?.has_app_secret ?? false,
      webhookUrl: webhookUrl(config.publicGatewayUrl, accountId),
      verifyToken: may(role, "seeVerifyToken") ? readRecord(vault, account.verify_token, verifyTokenPlace(accountId)) : null,
      problem: problemOf(platform),
    },
  };
}

/** Later passes only look for what was being written at the time of the switch. */
const progressOf = ({ pass, step, steps }: NonNullable<Awaited<ReturnType<typeof findEncryption>>>): number =>
  pass > 0 ? 0.99 : Math.floor((step / Math.max(1, steps.length)) * 99) / 100;

/** Changes the members given. Credentials, even the same ones entered again, let a stopped account send again. */
async function updateSettings(context: AdminContext, caller: Caller, input: z.output<typeof updateSettingsInput>): Promise<void> {
  const { accountId, role } = caller;
  const { timezone, platform, retention, requireSecondFactor, requireSso, allowedAddresses, encryptPayloads } = input;
  const { messagesPerSecond, retryHours, optOut } = input;
  if (retention !== undefined) requireRight(role, "changeRetention", say("Changing how long data is kept"));
  if (messagesPerSecond !== undefined || retryHours !== undefined) requireRight(role, "changePace", say("Changing pace and retries"));
  if (optOut !== undefined) requireRight(role, "changeOptOutWords", say("Changing the stop and start words"));
  const proven = [
    [platform, "changePlatform", say("Changing WhatsApp's credentials")],
    [requireSecondFactor, "demandSecondFactor", say("Requiring a second factor")],
    [requireSso, "demandSecondFactor", say("Requiring the company sign-in")],
    [allowedAddresses, "limitAddresses", say("Choosing the allowed addresses")],
    [encryptPayloads, "encryptPayloads", say("Encrypting payloads and phones")],
  ] as const;
  for (const [given, ability, doing] of proven) {
    if (given === undefined) continue;
    requireRight(role, ability, doing);
    requireProof(caller);
  }
  if (requireSso === true) requireOpenId(context, caller);
  const networks = allowedAddresses && readNetworks(allowedAddresses, caller);
  await inTransaction(context.sql, async (sql) => {
    if (timezone !== undefined) await setTimezone(sql, accountId, timezone);
    if (retention !== undefined) await setRetention(sql, accountId, retention);
    if (messagesPerSecond !== undefined || retryHours !== undefined) await setPace(sql, accountId, { messagesPerSecond, retryHours });
    if (requireSecondFactor !== undefined) await setRequireSecondFactor(sql, accountId, requireSecondFactor);
    if (requireSso !== undefined) await setRequireSso(sql, accountId, requireSso);
    // For good: none comes back when the demand is lifted.
    if (requireSso === true) await deleteSessionsWithoutIssuer(sql, accountId);
    if (optOut !== undefined) await changeWords(sql, accountId, optOut);
    if (networks !== undefined) await setAllowedAddresses(sql, accountId, networks);
    if (encryptPayloads !== undefined) await setEncryption(sql, context.vault, accountId, encryptPayloads);
    if (platform === null) await deletePlatformAccount(sql, accountId);
    else if (platform !== undefined) await savePlatform(sql, context, accountId, platform);
  });
}

/** @throws TRPCError BAD_REQUEST when a word would mean both */
async function changeWords(sql: Sql, accountId: string, change: OptOutWordsChange): Promise<void> {
  await setOptOutWords(sql, accountId, change);
  const account = await findAccount(sql, accountId);
  if (account === undefined) throw notFound("account");
  const { stopWords, startWords } = optOutWordsOf(account);
  const stops = new Set(stopWords.map(foldWord));
  const both = startWords.find((word) => stops.has(foldWord(word)));
  if (both === undefined) return;
  const path = ["optOut", change.startWords === undefined ? "stopWords" : "startWords"];
  throw invalidInput([{ path, said: say("{both} is both a stop word and a start word", { both }) }]);
}

/** Requires that the caller has signed in by the issuer: nobody demands a way in that does not work for themselves. @throws TRPCError FORBIDDEN */
function requireOpenId({ config }: AdminContext, { via }: Caller): void {
  if (config.oidc !== null && via.kind === "session" && via.way === "sso") return;
  const how =
    config.oidc === null ? say("set OIDC_ISSUER on the server first") : say("sign in with {company} first", { company: config.oidc.name });
  throw new Refusal("FORBIDDEN", say("Only someone who signed in with the company sign-in can require it for everybody: {how}", { how }));
}

/** The lists in their one spelling, without repeats. @throws TRPCError BAD_REQUEST, also when they shut out the caller */
function readNetworks(lists: NonNullable<z.output<typeof updateSettingsInput>["allowedAddresses"]>, { from }: Caller) {
  const problems: InputProblem[] = [];
  const read = (list: "dashboard" | "tokens"): string[] | undefined => {
    const networks = lists[list]?.map((text, at) => {
      try {
        return canonicalNetwork(text);
      } catch (error) {
        if (!(error instanceof NoNetwork)) throw error;
        problems.push({ path: ["allowedAddresses", list, at], said: error.said });
        return text;
      }
    });
    return networks && [...new Set(networks)];
  };
  const networks = { dashboard: read("dashboard"), tokens: read("tokens") };
  if (problems.length > 0) throw invalidInput(problems);
  if (letsIn(networks.dashboard ?? [], from.address)) return networks;
  const said = say("Would lock you out: your address is {address}. Add it, or a network that contains it", { address: from.address });
  throw invalidInput([{ path: ["allowedAddresses", "dashboard"], said }]);
}

async function savePlatform(sql: Sql, { vault, config }: AdminContext, accountId: string, input: PlatformInput): Promise<void> {
  const seal = await vault.sealer(sql);
  const stored = await lockPlatformCredentials(sql, accountId);
  const { wabaId, phoneNumberId } = input;
  await savePlatformAccount(sql, {
    account_id: accountId,
    waba_id: wabaId,
    phone_number_id: phoneNumberId,
    sandbox: config.isSandbox,
    api_version: input.apiVersion ?? stored?.api_version ?? defaultApiVersion,
    app_id: input.appId === undefined ? (stored?.app_id ?? null) : input.appId,
    ...accessToken(seal, accountId, stored, input.accessToken),
    app_secret: appSecret(seal, accountId, stored, input.appSecret),
  });
}

function accessToken(seal: Seal, accountId: string, stored: PlatformCredentialsRow | undefined, given: string | undefined) {
  if (given !== undefined)
    return { access_token: seal(given, platformPlace(accountId, "access_token")), access_token_hint: secretHint(given) };
  if (stored === undefined)
    throw invalidInput([{ path: ["platform", "accessToken"], said: say("Is required to connect: none is stored yet") }]);
  return { access_token: stored.access_token, access_token_hint: stored.access_token_hint };
}

function appSecret(
  seal: Seal,
  accountId: string,
  stored: PlatformCredentialsRow | undefined,
  given: string | null | undefined,
): string | null {
  if (given === undefined) return stored?.app_secret ?? null;
  return given === null ? null : seal(given, platformPlace(accountId, "app_secret"));
}

const notConnected = say("WhatsApp is not connected: enter the credentials first");

/** Tries the stored credentials on the platform. If they work, a stopped account may send again. */
async function testConnection(context: AdminContext, { accountId }: Caller, record: (sql: Sql) => Promise<void>): Promise<ConnectionTest> {
  const credentials = await platformCredentials(context, accountId);
  if (credentials === null) return { ok: false, error: write(notConnected), said: notConnected };
  const result = await askPlatform(context.platform, credentials);
  if (result.ok) {
    await inTransaction(context.sql, async (sql) => {
      await record(sql);
      await resumeAccount(sql, accountId);
    });
  }
  return result;
}

/** Connects the account to its own business account in the sandbox, the same one each time. */
async function connectSandbox(context: AdminContext, { accountId }: Caller, record: (sql: Sql) => Promise<void>): Promise<void> {
  const { sandbox } = context;
  if (sandbox === null) throw conflict("This server uses the real WhatsApp (PLATFORM_API_URL is set), so there is no sandbox to connect");
  try {
    await connectToSandbox(context, sandbox, accountId, record);
  } catch (error) {
    if (error instanceof SandboxRefusal) throw new Refusal("CONFLICT", error.said);
    throw error;
  }
}

/** Why the platform accepts no messages from the account at present. */
export interface PlatformProblem {
  code: string;
  reason: string;
  since: string;
}

function problemOf(platform: PlatformAccountRow | undefined): PlatformProblem | null {
  if (platform === undefined || platform.stopped_code === null || platform.stopped_at === null) return null;
  return { code: platform.stopped_code, reason: platform.stopped_reason ?? "", since: platform.stopped_at.toISOString() };
}

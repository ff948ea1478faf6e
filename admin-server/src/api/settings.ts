import { peopleOf, unknownHealth } from "shared/core/connection-check";
import { updateSettingsInput, defaultApiVersion, type PlatformInput } from "shared/core/input/settings";
import { noInput, nameInput } from "shared/core/input/values";
import { foldWord } from "shared/core/opt-out-words";
import { may, type Right } from "shared/core/role";
import { type Said, say, write } from "shared/core/wording";
import { type AccountRow, findAccount, optOutWordsOf, orDefaultWords, updateAccount } from "shared/db/account";
import { findEncryption } from "shared/db/encryption";
import {
  findPlatformAccount,
  type PlatformAccountRow,
  resumeAccount,
  lockPlatformCredentials,
  type PlatformCredentialsRow,
  deletePlatformAccount,
  savePlatformAccount,
  setMarketingRoute,
} from "shared/db/platform-account";
import { findCallbackTime } from "shared/db/platform-callback";
import { countPeople, findPlatformHealth, noteHealth } from "shared/db/platform-health";
import { deleteSessionsWithoutIssuer } from "shared/db/session";
import { type Sql, snakeCased, inTransaction } from "shared/db/statement";
import { noteTemplateSync } from "shared/db/template-poll";
import type { ConnectionTest } from "shared/platform/connection-check";
import { setEncryption } from "shared/sealing/account-rows";
import { type Seal, placeIn, readRecord } from "shared/secrets/vault";
import { canonicalNetwork, letsIn, NoNetwork } from "shared/server/networks";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import { askPlatform, webhookUrl, secretHint } from "../platform-account.ts";
import { connectToSandbox } from "../sandbox/account.ts";
import type { Caller } from "../session/caller.ts";
import { pollPeriodSeconds, syncAccount } from "../templates/sync.ts";
import { credentialsOf } from "../templates/write.ts";
import { conflict, type InputProblem, invalidInput, absent, notFound, Refusal, requireUnchanged } from "../trpc/errors.ts";
import { present } from "../trpc/paging.ts";
import { requireProof, requireProofOfPerson, requireRight } from "../trpc/roles.ts";
import { operatorCallProcedure, operatorProcedure, ownerCallProcedure, ownerProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const settingsRouter = router({
  get: viewerProcedure.input(noInput).query(({ ctx }) => readSettings(ctx, ctx.caller)),

  update: operatorProcedure.input(updateSettingsInput).mutation(async ({ ctx, input }) => {
    const { ifUpdatedAt, ...changes } = input;
    await updateSettings(ctx, ctx.caller, changes, ifUpdatedAt);
    return readSettings(ctx, ctx.caller);
  }),

  renameAccount: ownerProcedure.input(nameInput).mutation(async ({ ctx, input: { name } }) => {
    const { accountId } = ctx.caller;
    await updateAccount(ctx.sql, accountId, { name });
    return { account: { id: accountId, name } };
  }),

  testConnection: operatorCallProcedure.input(noInput).mutation(({ ctx }) => testConnection(ctx, ctx.caller, ctx.record)),

  connectSandbox: ownerCallProcedure.input(noInput).mutation(async ({ ctx }) => {
    await connectSandbox(ctx, ctx.caller, ctx.record);
    return readSettings(ctx, ctx.caller);
  }),
});

type Input = Omit<z.output<typeof updateSettingsInput>, "ifUpdatedAt">;

/** Each member of the input, in the order of their refusals: the right that it takes (null: the procedure's role is enough), and whether it takes a fresh proof. */
const settings: { [Member in keyof Input]-?: Taken } = {
  name: { right: "renameAccount", doing: say("Renaming the account"), proven: false },
  timezone: { right: null },
  retention: { right: "changeRetention", doing: say("Changing how long data is kept"), proven: false },
  messagesPerSecond: { right: "changePace", doing: say("Changing pace and retries"), proven: false },
  retryHours: { right: "changePace", doing: say("Changing pace and retries"), proven: false },
  optOut: { right: "changeOptOutWords", doing: say("Changing the stop and start words"), proven: false },
  platform: { right: "changePlatform", doing: say("Changing WhatsApp's credentials"), proven: true },
  requireSecondFactor: { right: "demandSecondFactor", doing: say("Requiring a second factor"), proven: true },
  requireSso: { right: "demandSecondFactor", doing: say("Requiring the company sign-in"), proven: true },
  allowedAddresses: { right: "limitAddresses", doing: say("Choosing the allowed addresses"), proven: true },
  encryptPayloads: { right: "encryptPayloads", doing: say("Encrypting payloads and phones"), proven: true },
};

type Taken = { right: null } | { right: Right; doing: Said; proven: boolean };

/** The only secret in the settings is the verify token. */
async function readSettings({ sql, vault, config }: AdminContext, { accountId, role, via, from }: Caller) {
  const [account, platform, checked, encryption] = await Promise.all([
    findAccount(sql, accountId),
    findPlatformAccount(sql, accountId),
    findPlatformHealth(sql, accountId),
    findEncryption(sql, accountId),
  ]);
  if (account === undefined) throw notFound("account");
  const { health = unknownHealth, checks = [] } = checked?.result ?? {};
  const limit = peopleOf(health.limit);
  return {
    name: account.name,
    ...present(account, "timezone", "messages_per_second", "retry_hours", "require_second_factor", "require_sso", "encrypt_payloads"),
    retention: present(account, "payload_days", "log_days"),
    updatedAt: account.updated_at.toISOString(),
    gatewayUrl: config.publicGatewayUrl,
    optOut: optOutWordsOf(account),
    /** The company's sign-in, if there is one. `opensThis`: it opened the calling session, which `requireSso` takes. */
    sso: config.oidc ? { name: config.oidc.name, opensThis: via.kind === "session" && via.way === "sso" } : null,
    /** Null for who may not change them. */
    allowedAddresses: may(role, "limitAddresses") ? { dashboard: account.dashboard_addresses, tokens: account.token_addresses } : null,
    /** The caller's, as the lists are compared with it. */
    yourAddress: from.address,
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
      marketingRoute: platform?.marketing_route ?? ("messages" as const),
      webhookUrl: webhookUrl(config, accountId),
      verifyToken: may(role, "seeVerifyToken") ? readRecord(vault, account.verify_token, placeIn("account.verify_token", accountId)) : null,
      lastCallbackAt: (await findCallbackTime(sql, accountId))?.toISOString() ?? null,
      problem: problemOf(platform),
      /** What the platform said of the number when it was last asked. */
      health,
      /** Every check of the connection when it was last made, with what it found; empty before. */
      checks,
      checkedAt: checked?.checked_at?.toISOString() ?? null,
      /** The people reached in the last 24 hours, each once, or at least so many (`more`), and how many the number may reach; null without such a limit. */
      people: limit === null ? null : { ...(await countPeople(sql, accountId, limit)), limit },
    },
  };
}

/** Later passes only look for rows that were being written at the time of the switch. */
const progressOf = ({ pass, step, steps }: NonNullable<Awaited<ReturnType<typeof findEncryption>>>): number =>
  pass > 0 ? 0.99 : Math.floor((step / Math.max(1, steps.length)) * 99) / 100;

/** Changes the members given. Credentials, even the same ones entered again, let a stopped account send again. */
async function updateSettings(context: AdminContext, caller: Caller, input: Input, ifUpdatedAt: Date | undefined): Promise<void> {
  const { sql } = context;
  const { accountId, role } = caller;
  for (const [member, taken] of Object.entries(settings)) {
    if (taken.right === null || input[member as keyof Input] === undefined) continue;
    requireRight(role, taken.right, taken.doing);
    if (taken.proven) requireProof(caller);
  }
  const { platform, requireSso, allowedAddresses, encryptPayloads, optOut, retention, ...alike } = input;
  if (requireSso === true) requireOpenId(context, caller);
  const account = (await findAccount(sql, accountId)) ?? absent("account");
  await requireUnchanged(account, { ifUpdatedAt }, () => readSettings(context, caller));
  if (lowersProtection(account, input)) requireProofOfPerson(caller);
  const networks = allowedAddresses && readNetworks(allowedAddresses, caller);
  const words = { stopWords: optOut?.stopWords, startWords: optOut?.startWords, optOutScope: optOut?.scope };
  const addresses = { dashboardAddresses: networks?.dashboard, tokenAddresses: networks?.tokens };
  await updateAccount(sql, accountId, orDefaultWords(snakeCased({ ...alike, requireSso, ...retention, ...words, ...addresses })));
  // For good: none comes back when the demand is lifted.
  if (requireSso === true) await deleteSessionsWithoutIssuer(sql, accountId);
  if (optOut !== undefined) await refuseAmbiguousWords(sql, accountId, optOut);
  if (encryptPayloads !== undefined) await setEncryption(sql, context.vault, accountId, encryptPayloads);
  if (platform === null) await deletePlatformAccount(sql, accountId);
  else if (platform !== undefined) {
    if ("wabaId" in platform) await savePlatform(context, accountId, platform);
    const isSaved = platform.marketingRoute === undefined || (await setMarketingRoute(sql, accountId, platform.marketingRoute));
    if (!isSaved) throw new Refusal("CONFLICT", notConnected);
  }
}

/** Whether data is deleted earlier, or fewer words stop messages, or stop fewer of them, or more let them go on. */
function lowersProtection(account: AccountRow, { retention, optOut }: Input): boolean {
  const isShorter = (days: number | undefined, before: number): boolean => days !== undefined && days < before;
  if (isShorter(retention?.payloadDays, account.payload_days) || isShorter(retention?.logDays, account.log_days)) return true;
  if (optOut === undefined) return false;
  const stored = optOutWordsOf(account);
  if (optOut.scope === "marketing" && stored.scope === "all") return true;
  const { stopWords: stop_words = account.stop_words, startWords: start_words = account.start_words } = optOut;
  const after = optOutWordsOf({ ...account, stop_words: stop_words && [...stop_words], start_words: start_words && [...start_words] });
  const lacks = (words: readonly string[], others: readonly string[]): boolean => {
    const folded = new Set(words.map(foldWord));
    return others.some((word) => !folded.has(foldWord(word)));
  };
  return lacks(after.stopWords, stored.stopWords) || lacks(stored.startWords, after.startWords);
}

/** @throws TRPCError BAD_REQUEST when a word would mean both */
async function refuseAmbiguousWords(sql: Sql, accountId: string, change: NonNullable<Input["optOut"]>): Promise<void> {
  const account = (await findAccount(sql, accountId)) ?? absent("account");
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
function readNetworks(lists: NonNullable<Input["allowedAddresses"]>, { from }: Caller) {
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

async function savePlatform({ sql, vault, config }: AdminContext, accountId: string, input: PlatformInput): Promise<void> {
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
    return { access_token: seal(given, placeIn("platform_account.access_token", accountId)), access_token_hint: secretHint(given) };
  if (stored === undefined)
    throw invalidInput([{ path: ["platform", "accessToken"], said: say("Is required to connect: none is stored yet") }]);
  return { access_token: stored.access_token, access_token_hint: stored.access_token_hint };
}

function appSecret(seal: Seal, accountId: string, stored: PlatformCredentialsRow | undefined, given: string | null | undefined) {
  if (given === undefined) return stored?.app_secret ?? null;
  return given === null ? null : seal(given, placeIn("platform_account.app_secret", accountId));
}

const notConnected = say("WhatsApp is not connected: enter the credentials first");

/** Tries the stored credentials on the platform. If they work, a stopped account may send again. */
async function testConnection(context: AdminContext, { accountId }: Caller, record: (sql: Sql) => Promise<void>): Promise<ConnectionTest> {
  const result = await askPlatform(context, accountId);
  if (result === null) return { ok: false, health: unknownHealth, checks: [], error: write(notConnected), said: notConnected };
  const { ok, health, checks } = result;
  await inTransaction(context.sql, async (sql) => {
    if (ok) {
      await record(sql);
      await resumeAccount(sql, accountId);
    }
    await noteHealth(sql, accountId, { health, checks });
  });
  return result;
}

/** Connects the account to its own business account in the sandbox, the same one each time, and reads its templates, so that they can be bound at once. */
async function connectSandbox(context: AdminContext, { accountId }: Caller, record: (sql: Sql) => Promise<void>): Promise<void> {
  const { sandbox } = context;
  if (sandbox === null) throw conflict("This server uses the real WhatsApp (PLATFORM_API_URL is set), so there is no sandbox to connect");
  await connectToSandbox(context, sandbox, accountId, record);
  try {
    await syncAccount(context, context.management, await credentialsOf(context, accountId), { accountId, source: "sync" });
    await noteTemplateSync(context.sql, accountId, pollPeriodSeconds);
  } catch (error) {
    context.log.warn({ err: error, accountId }, "the sandbox's templates were not read: the next sync does it");
  }
}

/** Why the platform accepts no messages from the account at present. `until`: when it ends, if the platform has told that. */
function problemOf(platform: PlatformAccountRow | undefined) {
  if (platform === undefined || platform.stopped_code === null || platform.stopped_at === null) return null;
  return {
    code: platform.stopped_code,
    reason: platform.stopped_reason ?? "",
    since: platform.stopped_at.toISOString(),
    ...(platform.stopped_until && { until: platform.stopped_until.toISOString() }),
  };
}

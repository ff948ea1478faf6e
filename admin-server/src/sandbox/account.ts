import { setTimeout as delay } from "node:timers/promises";
import { defaultApiVersion } from "shared/core/input/settings";
import { findAccount } from "shared/db/account";
import {
  findPlatformAccount,
  hasTestConnection,
  listSandboxed,
  listUnconnected,
  savePlatformAccount,
  saveTestConnection,
} from "shared/db/platform-account";
import { type Sql, inTransaction } from "shared/db/statement";
import { placeIn } from "shared/secrets/vault";
import type { AdminContext } from "../context.ts";
import { secretHint, webhookUrl } from "../platform-account.ts";
import { conflict, Refusal } from "../trpc/errors.ts";
import { type SandboxClient, SandboxRefusal } from "./client.ts";

/**
 * Connects the account to its own business account in the sandbox, replacing any other connection. `record` writes the audit entry in the same
 * transaction.
 * @throws SandboxRefusal
 */
export async function connectToSandbox(
  context: AdminContext,
  sandbox: SandboxClient,
  accountId: string,
  record?: (sql: Sql) => Promise<void>,
): Promise<void> {
  const { sql, vault } = context;
  const made = await openOwn(context, sandbox, accountId);
  if (made === null) return;
  await inTransaction(sql, async (transaction) => {
    await record?.(transaction);
    const seal = await vault.sealer(transaction);
    await savePlatformAccount(transaction, {
      account_id: accountId,
      sandbox: true,
      waba_id: made.wabaId,
      phone_number_id: made.phoneNumberId,
      api_version: defaultApiVersion,
      app_id: made.appId,
      access_token: seal(made.accessToken, placeIn("platform_account.access_token", accountId)),
      access_token_hint: secretHint(made.accessToken),
      app_secret: seal(made.appSecret, placeIn("platform_account.app_secret", accountId)),
    });
  });
}

/** Stores the account's own business account in the sandbox for its test sites. Its platform stays as it is. @throws TRPCError CONFLICT */
export async function connectTestSites(context: AdminContext, accountId: string): Promise<void> {
  const { sql, vault, testSandbox } = context;
  if (testSandbox === undefined) throw conflict("This server has no sandbox for test sites: start it with SANDBOX_URL");
  const made = await openOwn(context, testSandbox, accountId).catch((error: unknown) => {
    throw error instanceof SandboxRefusal ? new Refusal("CONFLICT", error.said) : error;
  });
  if (made === null) return;
  const seal = await vault.sealer(sql);
  await saveTestConnection(sql, {
    account_id: accountId,
    waba_id: made.wabaId,
    phone_number_id: made.phoneNumberId,
    access_token: seal(made.accessToken, placeIn("test_connection.access_token", accountId)),
    app_secret: seal(made.appSecret, placeIn("test_connection.app_secret", accountId)),
  });
}

/** Connects the test sites of accounts that came from another installation, which has a sandbox of its own. */
export async function connectMoved(context: AdminContext): Promise<void> {
  if (context.testSandbox === undefined) return;
  for (const { account_id: accountId } of await listUnconnected(context.sql))
    await connectTestSites(context, accountId).catch((error: unknown) =>
      context.log.warn({ err: error, accountId }, "test sites that moved here are not connected to the sandbox yet"),
    );
}

/** The sandbox in which the account has a number: it is its platform, or that of its test sites; null: it has none. */
export async function sandboxOf({ sql, sandbox, testSandbox }: Pick<AdminContext, "sql" | "sandbox" | "testSandbox">, accountId: string) {
  if (sandbox !== null && (await findPlatformAccount(sql, accountId))?.sandbox === true) return sandbox;
  return testSandbox !== undefined && (await hasTestConnection(sql, accountId)) ? testSandbox : null;
}

/** The account's own business account in the sandbox, whatever ids its people entered. @throws SandboxRefusal */
export const ownWabaId = async (context: AdminContext, sandbox: SandboxClient, accountId: string): Promise<string> =>
  (await openOwn(context, sandbox, accountId))?.wabaId ?? "";

async function openOwn({ sql, vault, config }: AdminContext, sandbox: SandboxClient, accountId: string) {
  const account = await findAccount(sql, accountId);
  if (account === undefined) return null;
  const callbackUrl = webhookUrl(config, accountId);
  const verifyToken = vault.open(account.verify_token, placeIn("account.verify_token", accountId));
  return await sandbox.openAccount({ owner: accountId, name: account.name, callbackUrl, verifyToken });
}

/** Connects a new account. While the sandbox is still starting, tries go on in the background instead of delaying the sign-up. */
export async function connectNewAccount(context: AdminContext, accountId: string): Promise<void> {
  const { sandbox } = context;
  if (sandbox === null) return;
  if (await tryToConnect(context, sandbox, accountId)) return;
  void keepTrying(context, sandbox, accountId);
}

const tries = 60;
const pauseMs = 1_000;

async function keepTrying(context: AdminContext, sandbox: SandboxClient, accountId: string): Promise<void> {
  for (let done = 0; done < tries; done += 1) {
    await delay(pauseMs, undefined, { ref: false });
    if (context.stopping.aborted || (await tryToConnect(context, sandbox, accountId))) return;
  }
  context.log.warn({ accountId }, "the sandbox does not answer: connect from the settings");
}

async function tryToConnect(context: AdminContext, sandbox: SandboxClient, accountId: string): Promise<boolean> {
  try {
    // Somebody may have entered credentials meanwhile.
    const isConnected = (await findPlatformAccount(context.sql, accountId)) !== undefined;
    if (!isConnected) await connectToSandbox(context, sandbox, accountId);
    return true;
  } catch (error) {
    const level = error instanceof SandboxRefusal ? "debug" : "warn";
    context.log[level]({ err: error, accountId }, "not connected to the sandbox");
    return false;
  }
}

/** Removes messages from the sandbox that are older than their account's log. A sandbox that does not answer is asked again the next time. */
export async function forgetSandboxMessages(
  { log, ...context }: Pick<AdminContext, "sql" | "sandbox" | "testSandbox" | "log">,
  step: () => Promise<void>,
): Promise<void> {
  if (context.sandbox === null && context.testSandbox === undefined) return;
  try {
    for (const { account_id: owner, kept_since: before } of await listSandboxed(context.sql)) {
      const sandbox = await sandboxOf(context, owner);
      for (let after: string | null = "0"; sandbox !== null && after !== null;) {
        await step();
        ({ next: after } = await sandbox.forget({ owner, before, after }));
      }
    }
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    log.warn({ err: error }, "the sandbox does not forget old messages");
  }
}

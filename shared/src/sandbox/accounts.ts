import { createHash, hkdfSync, randomBytes, randomInt } from "node:crypto";
import type { Sql } from "../db/statement.ts";
import { createVault, type Vault, VaultError } from "../secrets/vault.ts";
import type { Logger } from "../server/logger.ts";
import { newState } from "./account-state.ts";
import { insertSandboxAccount, listSandboxAccounts, type SandboxAccount, updateSandboxAccount } from "./store.ts";

/** The sandbox's accounts, cached in memory and written through. Secrets are in the clear here and encrypted in the database. */
export type Accounts = Awaited<ReturnType<typeof loadAccounts>>;

/** Loads the accounts. An app secret that `key` does not open is replaced: until its server connects again, callbacks fail. */
export async function loadAccounts(sql: Sql, key: Buffer, log: Logger) {
  const vault = createVault(key);
  const byWaba = new Map<string, SandboxAccount>();
  const byToken = new Map<string, SandboxAccount>();
  const hold = (account: SandboxAccount): void => {
    byWaba.set(account.wabaId, account);
    byToken.set(account.accessTokenHash, account);
  };
  for (const stored of await listSandboxAccounts(sql)) hold(unseal(vault, stored, log));
  const change = async (account: SandboxAccount): Promise<void> => {
    await updateSandboxAccount(sql, seal(vault, account));
    const before = byWaba.get(account.wabaId);
    if (before !== undefined) byToken.delete(before.accessTokenHash);
    hold(account);
  };
  const insert = async (account: SandboxAccount, furnish: (account: SandboxAccount) => Promise<void>): Promise<SandboxAccount> => {
    await insertSandboxAccount(sql, seal(vault, account));
    hold(account);
    await furnish(account);
    return account;
  };
  const byOwner = (owner: string) => [...byWaba.values()].find((account) => account.owner === owner);
  const opening = new Map<string, Promise<SandboxAccount>>();
  return {
    find: (wabaId: string) => byWaba.get(wabaId),
    byOwner,
    byToken: (accessToken: string) => byToken.get(hashToken(accessToken)),
    byApp: (appId: string) => [...byWaba.values()].find((account) => account.appId === appId),
    byNumber: (phoneNumberId: string) => [...byWaba.values()].find((account) => account.phoneNumberId === phoneNumberId),
    all: () => [...byWaba.values()],
    /** Opens a new account, furnished; an owner who is just getting one gets that one. */
    open: async (wishes: AccountWishes, furnish: (account: SandboxAccount) => Promise<void>): Promise<SandboxAccount> => {
      const { owner } = wishes;
      const known = owner === null ? undefined : opening.get(owner);
      if (known !== undefined) return await known;
      const made = insert(newAccount(wishes, key), furnish);
      if (owner === null) return await made;
      opening.set(owner, made);
      return await made.finally(() => opening.delete(owner));
    },
    change,
    /** The account's access token: the same each time, and made from the key, so that it need not be kept. */
    issueToken: async (account: SandboxAccount): Promise<string> => {
      const token = makeToken(key, account.wabaId);
      const accessTokenHash = hashToken(token);
      if (account.accessTokenHash !== accessTokenHash) await change({ ...account, accessTokenHash });
      return token;
    },
  };
}

function seal(vault: Vault, account: SandboxAccount): SandboxAccount {
  const { appSecret, verifyToken, stopped } = account;
  return {
    ...account,
    appSecret: vault.seal(appSecret, placeOf(account, "app_secret")),
    verifyToken: vault.seal(verifyToken, placeOf(account, "verify_token")),
    stopped: stopped.map((waId) => vault.seal(waId, placeOf(account, "stopped"))),
  };
}

function unseal(vault: Vault, stored: Awaited<ReturnType<typeof listSandboxAccounts>>[number], log: Logger): SandboxAccount {
  const read = (text: string, column: Parameters<typeof placeOf>[1]): string | null => {
    try {
      return vault.open(text, placeOf(stored, column));
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      log.warn({ err: error, wabaId: stored.wabaId }, "SANDBOX_KEY does not open this account: connect it again in the dashboard");
      return null;
    }
  };
  return {
    ...stored,
    appSecret: read(stored.appSecret, "app_secret") ?? randomSecret(),
    verifyToken: read(stored.verifyToken, "verify_token") ?? randomSecret(),
    stopped: stored.stopped.map((text) => read(text, "stopped")).filter((waId) => waId !== null),
    state: { ...newState, ...stored.state },
  };
}

const placeOf = ({ wabaId }: Pick<SandboxAccount, "wabaId">, column: "app_secret" | "verify_token" | "stopped") =>
  ({ column: `sandbox.account.${column}`, row: wabaId, account: "" }) as const;

const hashToken = (accessToken: string): string => createHash("sha256").update(accessToken).digest("hex");

const makeToken = (key: Buffer, wabaId: string): string =>
  `EAA${Buffer.from(hkdfSync("sha256", key, wabaId, "tidings sandbox access token", 96))
    .toString("base64url")
    .replaceAll(/[-_]/g, "Z")}`;

const randomSecret = (): string => randomBytes(16).toString("hex");

type AccountWishes = Pick<SandboxAccount, "name" | "callbackUrl" | "verifyToken" | "owner" | "subscribed" | "limits">;

/** An account with random ids, number and secret, whose token is made with `key`. The number is never a magic number. */
function newAccount(wishes: AccountWishes, key: Buffer): SandboxAccount {
  const wabaId = randomId();
  return {
    ...wishes,
    wabaId,
    phoneNumberId: randomId(),
    appId: randomId(),
    phoneNumber: `15557${randomDigits(6)}`,
    accessTokenHash: hashToken(makeToken(key, wabaId)),
    appSecret: randomSecret(),
    demo: false,
    throttleStatus: 400,
    refuseCode: null,
    stopped: [],
    state: newState,
  };
}

/** Formats `15557123456` as `+1 555-712-3456`. */
export const displayNumber = (phoneNumber: string): string =>
  `+${phoneNumber.slice(0, -10)} ${phoneNumber.slice(-10, -7)}-${phoneNumber.slice(-7, -4)}-${phoneNumber.slice(-4)}`;

/** An id of fifteen digits, like the platform's, small enough to be an exact number in JSON. */
export const randomId = (): string => String(randomInt(1, 10)) + randomDigits(14);

const randomDigits = (count: number): string => Array.from({ length: count }, () => randomInt(0, 10)).join("");

import { randomBytes, randomInt } from "node:crypto";
import type { Sql } from "../db/connect.ts";
import { insertSandboxAccount, listSandboxAccounts, type SandboxAccount, updateSandboxAccount, type SandboxLimit } from "./store.ts";

/** The sandbox's accounts, cached in memory and written through. */
export interface Accounts {
  find(wabaId: string): SandboxAccount | undefined;
  byToken(accessToken: string): SandboxAccount | undefined;
  byApp(appId: string): SandboxAccount | undefined;
  all(): SandboxAccount[];
  add(account: SandboxAccount): Promise<void>;
  change(account: SandboxAccount): Promise<void>;
}

export async function loadAccounts(sql: Sql): Promise<Accounts> {
  const byWaba = new Map<string, SandboxAccount>();
  const byToken = new Map<string, SandboxAccount>();
  const byApp = new Map<string, SandboxAccount>();
  const hold = (account: SandboxAccount): void => {
    byWaba.set(account.wabaId, account);
    byToken.set(account.accessToken, account);
    byApp.set(account.appId, account);
  };
  for (const account of await listSandboxAccounts(sql)) hold(account);
  return {
    find: (wabaId) => byWaba.get(wabaId),
    byToken: (accessToken) => byToken.get(accessToken),
    byApp: (appId) => byApp.get(appId),
    all: () => [...byWaba.values()],
    add: async (account) => {
      await insertSandboxAccount(sql, account);
      hold(account);
    },
    change: async (account) => {
      await updateSandboxAccount(sql, account);
      hold(account);
    },
  };
}

interface AccountWishes {
  name: string;
  callbackUrl: string;
  verifyToken: string;
  subscribed: boolean;
  limits: readonly SandboxLimit[];
}

/** An account with random ids, number, token and secret. The number is never a magic number. */
export function newAccount(wishes: AccountWishes): SandboxAccount {
  return {
    ...wishes,
    wabaId: randomId(),
    phoneNumberId: randomId(),
    appId: randomId(),
    phoneNumber: `15557${randomDigits(6)}`,
    accessToken: `EAA${randomBytes(96).toString("base64url").replaceAll(/[-_]/g, "Z")}`,
    appSecret: randomBytes(16).toString("hex"),
    throttleStatus: 400,
    refuseCode: null,
    stopped: [],
  };
}

/** Formats `15557123456` as `+1 555-712-3456`. */
export function displayNumber(phoneNumber: string): string {
  return `+${phoneNumber.slice(0, -10)} ${phoneNumber.slice(-10, -7)}-${phoneNumber.slice(-7, -4)}-${phoneNumber.slice(-4)}`;
}

/** An id of digits, like the platform's, small enough to be an exact number in JSON. */
export function randomId(digits = 15): string {
  return String(randomInt(1, 10)) + randomDigits(digits - 1);
}

function randomDigits(count: number): string {
  return Array.from({ length: count }, () => randomInt(0, 10)).join("");
}

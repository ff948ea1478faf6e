import type { Sql } from "../../db/connect.ts";
import { insertSandboxAccount, listSandboxAccounts, type SandboxAccount, updateSandboxAccount } from "../../db/tables/sandbox/account.ts";

/** The accounts of the sandbox, in memory and written through. */
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

import { type FullAccount, fullAccount } from "../../../admin/full-account.ts";
import { openAdmin, type OpenAdmin } from "../../../admin/open-admin.ts";
import { masterKey } from "../../../gateway/shop.ts";
import { openSandbox } from "../../../sandbox/open-sandbox.ts";
import { type ServedApart, serveApart } from "../world/serve-apart.ts";

/** An admin server to fuzz, an account that nobody may reach, and another to call from. */
export interface AdminWorld extends AsyncDisposable {
  admin: OpenAdmin;
  /** The server under fire, over the same database. */
  server: ServedApart;
  theirs: FullAccount;
  /** The account to call from, and its owner's token; a new one when the one before has lost its site, template or token. */
  caller(): Promise<Caller>;
}

export interface Caller {
  account: FullAccount;
  token: string;
}

export async function openAdminWorld(): Promise<AdminWorld> {
  const sandbox = await openSandbox();
  const admin = await openAdmin({ isSandbox: true, platformUrl: sandbox.url, masterKey });
  const server = await serveApart({
    server: "admin",
    masterKey: masterKey.toString("base64"),
    config: {
      host: "127.0.0.1",
      port: 0,
      databaseUrl: admin.databaseUrl,
      platformUrl: sandbox.url,
      isSandbox: true,
      publicGatewayUrl: "https://gateway.example",
      publicAdminUrl: "http://admin.example",
      trustProxy: true,
      firstOwner: null,
      allowPrivate: null,
      allowSignUp: true,
      setupCode: null,
      logLevel: "error",
    },
  });
  const theirs = await fullAccount(admin, "theirsxq");
  let made = 0;
  let current: Caller | null = null;
  return {
    admin,
    server,
    theirs,
    caller: async () => {
      if (current === null || !(await isWhole(admin, current))) current = await open(admin, `own${(made += 1)}`);
      return current;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await admin[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** An access token outlives the sessions that the fuzzer ends. */
async function open(admin: OpenAdmin, label: string): Promise<Caller> {
  const account = await fullAccount(admin, label);
  await account.client.settings.connectSandbox.mutate();
  const { token } = await account.client.tokens.create.mutate({ name: "fuzzer", role: "owner" });
  return { account, token };
}

async function isWhole(admin: OpenAdmin, { account, token }: Caller): Promise<boolean> {
  const me = await admin.call("auth.me", {}, { authorization: `Bearer ${token}` });
  await me.arrayBuffer();
  const { siteId, templateId, bindingId } = account;
  const [row] = await admin.sql<{ whole: boolean }[]>`
    select exists (select from site where id = ${siteId}) and exists (select from template where id = ${templateId})
      and exists (select from binding where id = ${bindingId}) as whole`;
  return me.status === 200 && row?.whole === true;
}

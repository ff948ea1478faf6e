import type { AdminConfig } from "admin-server/config";
import type { AdminOverrides } from "admin-server/start";
import { freePort } from "shared/postgres/cluster";
import { openAdminOn } from "./admin.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { createBrowser, type Issuer, startIssuer, wellBehaved } from "./issuer.ts";

export const client = { id: "tidings", secret: "a client secret: with/odd characters" };

export type OpenIdAdmin = Awaited<ReturnType<typeof openOpenIdAdmin>>;

const isCallback = ({ pathname }: URL): boolean => pathname === "/auth/oidc/callback";

/** An admin server over a database of its own, and the issuer that signs people in. */
export async function openOpenIdAdmin(overrides: AdminOverrides = {}) {
  const database: TestDatabase = await testDatabase();
  const issuer: Issuer = await startIssuer(client);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const open = (changes: Partial<AdminConfig> = {}) => {
    const oidc = { issuer: issuer.url, clientId: client.id, clientSecret: client.secret, name: "Example ID" };
    return openAdminOn(database.url, { port, publicAdminUrl: url, oidc, ...changes }, overrides);
  };
  let admin = await open();
  return {
    database,
    issuer,
    url,
    get admin() {
      return admin;
    },
    /** Starts another process in place of the running one. */
    async reopen(changes?: Partial<AdminConfig>) {
      await admin[Symbol.asyncDispose]();
      admin = await open(changes);
    },
    isCallback,
    /** The browser's last address, and the session that it has then. */
    async enter(path = "/auth/oidc", browser = createBrowser()) {
      const { url: callback } = await browser.follow(url + path, isCallback);
      const { answer } = await browser.visit(callback);
      const token = browser.jarOf(url).get("tidings_session");
      return {
        status: answer.status,
        to: answer.headers.get("location"),
        cookies: answer.headers.getSetCookie(),
        token,
        browser,
        callback,
      };
    },
    as: (token: string | undefined) => admin.client(token ?? "none"),
    /** Makes the issuer behave as it should. */
    mend: () => Object.assign(issuer.script, wellBehaved()),
    async [Symbol.asyncDispose]() {
      for (const part of [admin, issuer, database]) await part[Symbol.asyncDispose]();
    },
  };
}

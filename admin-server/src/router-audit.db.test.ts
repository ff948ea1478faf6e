import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { findPasswordHash } from "shared/db/user";
import { openVault } from "shared/sealing/open-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filled, fullAccount, type FullAccount, inLives, sharedPhone, wholeAccounts } from "../../test/support/admin-shops.ts";
import { startTemplatePlatform, type TemplatePlatform, listed } from "../../test/support/admin-templates.ts";
import { adminDefaults, callProcedure, mutationPaths, openAdmin, openAdminOn, password, type OpenAdmin } from "../../test/support/admin.ts";
import { createAuthenticator } from "../../test/support/authenticator.ts";
import { data } from "../../test/support/data.ts";
import { type AnsweringServer, answeringServer } from "../../test/support/platform.ts";
import audit from "../../test/support/procedures/audit.json" with { type: "json" };
import { waitFor } from "../../test/support/wait-for.ts";
import { makeProofToken, makeToken } from "./api/profile.ts";
import { totpCode, totpStep } from "./session/totp.ts";

/** The input of a call that succeeds, and the subject that its entry names; `made`: the object that the call makes. */
interface Case {
  input: (mine: FullAccount) => object | Promise<object>;
  subject: ((mine: FullAccount) => string | null) | "made";
  /** Set for calls without a sign-in, whose entry is in the name of the person whom it lets in. */
  public?: true | "stranger";
}
const member: Case["subject"] = ({ member: { user } }) => user.id;
const none = (): null => null;
const newTemplate = { name: "made", language: "en", category: "UTILITY", body: "All is well with your order." };

/** The tokens of a link to a new address and of one that proves an address, and what makes it unproven again. */
let addressLink: (user: { id: string; email: string }, to: string) => Promise<string>;
let proofLink: (user: { id: string; email: string }) => string;
let unprove: (email: string) => Promise<object>;

/** The address of the server that is asked. */
let here: () => string;

/** The server that a template's file is fetched from. */
let files: AnsweringServer;

/** The origin of the test server's PUBLIC_ADMIN_URL. */
const origin = "http://admin.example";
const codeOf = (secret: string): string => totpCode(secret, totpStep(new Date()));

/** Sets up an authenticator app and answers the recovery codes. */
async function enrolled({ auth }: FullAccount["client"]): Promise<string[]> {
  const { secret } = await auth.enrollTotp.mutate();
  return (await auth.confirmTotp.mutate({ code: codeOf(secret) })).recoveryCodes;
}

/** Every mutation that there is, with an input that succeeds. */
const cases: Record<string, Case> = {
  ...Object.fromEntries(
    Object.entries(audit).map(([path, one]): [string, Case] => {
      const subject = (mine: FullAccount) => one.subject && filled(one.subject, mine);
      return [path, { ...(one as object), input: (mine) => filled(one.input, mine), subject: one.subject === "made" ? "made" : subject }];
    }),
  ),
  "auth.resetPassword": {
    input: async ({ client, member: { user } }) => ({ token: (await client.users.resetPassword.mutate({ id: user.id })).token, password }),
    subject: member,
    public: true,
  },
  "users.acceptInvite": {
    input: async ({ client }) => {
      const { token } = await client.users.invite.mutate({ email: "joins@example.com", role: "viewer" });
      return { token, name: "B", password };
    },
    subject: "made",
    public: true,
  },
  "auth.confirmEmail": {
    input: async ({ owner }) => ({ token: await addressLink(owner.user, "renamed@example.com") }),
    subject: ({ owner }) => owner.user.id,
    public: true,
  },
  "auth.proveEmail": { input: ({ owner }) => ({ token: proofLink(owner.user) }), subject: ({ owner }) => owner.user.id, public: true },
  "auth.resendProof": { input: ({ owner }) => unprove(owner.email), subject: none },
  "auth.secondFactor": {
    input: async ({ client, owner }) => {
      const recoveryCodes = await enrolled(client);
      const answer = await client.auth.login.mutate({ email: owner.email, password });
      return { challenge: "challenge" in answer ? answer.challenge : "", code: recoveryCodes[0] };
    },
    subject: ({ owner }) => owner.user.id,
    public: true,
  },
  "auth.passkeySignIn": {
    input: async ({ client }) => {
      const passkey = createAuthenticator(origin);
      const { options } = await client.auth.startPasskey.mutate();
      await client.auth.addPasskey.mutate({ name: "x", response: passkey.create(options) });
      const begun = await client.auth.startPasskeySignIn.mutate();
      return { challenge: begun.challenge, response: passkey.get(begun.options) };
    },
    subject: ({ owner }) => owner.user.id,
    public: true,
  },
  "auth.addPasskey": {
    input: async ({ client }) => {
      const { options } = await client.auth.startPasskey.mutate();
      return { name: "x", response: createAuthenticator(origin).create(options) };
    },
    subject: "made",
  },
  "auth.confirmTotp": { input: async ({ client }) => ({ code: codeOf((await client.auth.enrollTotp.mutate()).secret) }), subject: none },
  "auth.removeTotp": {
    input: async ({ client }) => {
      await enrolled(client);
      return { password };
    },
    subject: none,
  },
  // A set-up that another server is sent and has already: its changes have entries of their own there, as they have here.
  "setup.copy": {
    input: async ({ client, siteId }) => {
      const { token } = await client.tokens.create.mutate({ name: "There", role: "operator" });
      return { siteId, to: { url: here(), token, site: siteId }, apply: true };
    },
    subject: ({ siteId }) => siteId,
  },
  "alerts.test": {
    input: async ({ client }) => ({ id: (await client.alerts.addChannel.mutate({ kind: "slack", url: `${files.url}/hook` })).channel.id }),
    subject: "made",
  },
  "templates.delete": {
    input: async ({ client }) => ({ id: (await client.templates.create.mutate({ ...newTemplate, category: "UTILITY" })).template.id }),
    subject: "made",
  },
  "templates.setHeaderMedia": {
    input: async ({ client }) => {
      const header = { format: "DOCUMENT" as const, url: `${files.url}/a.pdf` };
      const { template } = await client.templates.create.mutate({ ...newTemplate, category: "UTILITY", header });
      return { id: template.id, url: header.url };
    },
    subject: "made",
  },
};

/** Mutations that only make a challenge, or have an e-mail sent. */
const changeless: Record<string, object> = data("admin-server-router-audit", "changeless");

interface Entry {
  id: string;
  account_id: string;
  actor: string;
  actor_id: string | null;
  token_id: string | null;
  action: string;
  subject: string | null;
  address: string | null;
  /** The entry's changes, in which there are no secrets either. */
  changes: object;
  content: object | null;
}

const credentials = { wabaId: "w", phoneNumberId: "p", accessToken: "EAA-made", appId: "a", appSecret: "made-secret" };
const noMailServer = { host: "127.0.0.1", port: 9, secure: false, login: null, from: { name: "Tidings", address: "a@b.example" } };
const anyId: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe("an audit entry", () => {
  let admin: OpenAdmin;
  let platform: TemplatePlatform;
  let made = 0;
  beforeAll(async () => {
    const file = { text: "%PDF-1.7 …", headers: { "content-type": "application/pdf" } };
    files = await answeringServer(({ path }) => (path.startsWith("/api/public/in/") ? { text: '{"event_id":"1"}' } : file));
    const allowPrivate = new BlockList();
    allowPrivate.addSubnet("127.0.0.0", 8);
    platform = await startTemplatePlatform();
    platform.templates = [listed("900", "from_platform")];
    const sandbox = { ...sharedPhone, openAccount: async () => Promise.resolve(credentials) };
    unprove = async (email) => admin.sql`update app_user set email_proven = false where email = ${email}`.then(() => ({}));
    const config = { isSandbox: true, platformUrl: platform.url, publicGatewayUrl: files.url, allowPrivate, mail: noMailServer };
    admin = await openAdmin(config, { sandbox });
    here = () => admin.url;
    const linkVault = await openVault(admin.sql, { masterKey: adminDefaults.masterKey, masterKeyOld: undefined });
    addressLink = async ({ id, email }, to) => {
      const [session] = await admin.sql`select id from user_session where user_id = ${id} limit 1`;
      const claims = { userId: id, from: email, to, session: String(session?.["id"]), until: Date.now() + 60_000 };
      return makeToken(linkVault, claims, (await findPasswordHash(admin.sql, id)) ?? "");
    };
    proofLink = ({ id: userId, email }) => makeProofToken(linkVault, { userId, email, until: Date.now() + 60_000 });
  });
  afterAll(async () => {
    await admin[Symbol.asyncDispose]();
    await platform[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });
  const open = async (): Promise<FullAccount> => fullAccount(admin, `q${(made += 1)}x`);
  const openFor = wholeAccounts(open);
  const entries = async () => (await admin.sql<{ id: string }[]>`select id from audit_entry`).map(({ id }) => id);
  const since = (before: readonly string[]) => admin.sql<Entry[]>`
      select id, e.account_id, actor, actor_id, token_id, action, coalesce(subject, v.content->'subject'->>'after') as subject, address, changes, v.content
      from audit_entry e left join audit_value v on v.entry_id = e.id where e.id <> all(${before as string[]}::uuid[])`;

  it("has a case for every mutation that there is", () => {
    // The changes of a set-up have the entries of their own procedures.
    expect([...Object.keys(cases), ...Object.keys(changeless), "users.readInvite", "setup.update", "bindings.plan"].toSorted()).toEqual(
      mutationPaths.toSorted(),
    );
  });

  it("is told in words by the dashboard", () => {
    const labels = JSON.parse(readFileSync(new URL("../../admin-web/src/pages/audit/labels.json", import.meta.url), "utf8")) as object;
    expect(Object.keys(cases).filter((path) => !(path in labels))).toEqual([]);
  });

  it.each(inLives(Object.entries(cases), ([path]) => path))(
    "is left by %s, once, and holds no secret",
    async (path, { input, subject, public: isPublic }) => {
      const mine = await openFor(path);
      const given = await input(mine);
      const before = await entries();
      const answer = await callProcedure(admin, path, given, isPublic === undefined ? mine.owner.token : undefined);
      expect([path, answer.code, answer.text]).toEqual([path, "ok", expect.any(String)]);
      const [entry, ...more] = await since(before);
      expect(more).toEqual([]);
      const user = mine.owner.user;
      const byWhom = { account_id: mine.account.id, actor: user.email, actor_id: user.id };
      const strangers = { account_id: mine.account.id, actor_id: null };
      expect(entry).toMatchObject({
        action: path,
        address: "127.0.0.1",
        token_id: null,
        subject: subject === "made" ? anyId : subject(mine),
        ...(isPublic === undefined ? byWhom : isPublic === "stranger" ? strangers : { actor_id: entry?.subject }),
      });
      const text = JSON.stringify(entry);
      for (const secret of secretsIn({ given, answer: JSON.parse(answer.text) as unknown })) expect(text).not.toContain(secret);
    },
  );

  it("tells the token that they came with", async () => {
    const mine = await open();
    const { token, id } = await mine.client.tokens.create.mutate({ name: "CI", role: "operator" });
    const before = await entries();
    await admin.client(token).sites.update.mutate({ id: mine.siteId, enabled: false });
    expect(await since(before)).toMatchObject([
      { actor: mine.owner.email, actor_id: mine.owner.user.id, token_id: id, action: "sites.update" },
    ]);
  });

  it("is not left by what was refused or changes nothing, nor by a query", async () => {
    const mine = await open();
    const invitation = await mine.client.users.invite.mutate({ email: "read@example.com", role: "viewer" });
    const before = await entries();
    expect((await callProcedure(admin, "users.readInvite", { token: invitation.token })).code).toBe("ok");
    for (const [path, input] of Object.entries(changeless))
      expect([path, (await callProcedure(admin, path, input, mine.owner.token)).code]).toEqual([path, "ok"]);
    await callProcedure(admin, "sites.update", { id: mine.siteId, name: "" }, mine.owner.token);
    await callProcedure(admin, "sites.delete", { id: "019aa000-0000-7000-8000-000000000001" }, mine.owner.token);
    await callProcedure(admin, "sites.list", {}, mine.owner.token);
    expect(await since(before)).toEqual([]);
  });

  it("is left by a sign-in that fails, for the owner to see, in nobody's name", async () => {
    const mine = await open();
    const before = await entries();
    await callProcedure(admin, "auth.login", { email: mine.owner.email.toUpperCase(), password: "wrong password" });
    await callProcedure(admin, "auth.login", { email: "nobody@example.com", password: "wrong password" });
    const entry = {
      account_id: mine.account.id,
      actor: mine.owner.email,
      actor_id: null,
      action: "auth.failedLogin",
      address: "127.0.0.1",
    };
    await expect.poll(() => since(before)).toMatchObject([{ ...entry, subject: mine.owner.user.id }]);
    expect((await mine.client.audit.concerns.query()).items).toMatchObject([{ kind: "erasures_asked" }]);
    for (let made = 1; made < 10; made += 1)
      await callProcedure(admin, "auth.login", { email: mine.owner.email, password: "wrong password" });
    const concern = { kind: "failed_sign_ins", userId: mine.owner.user.id, email: mine.owner.email, count: 10 };
    await expect.poll(async () => (await mine.client.audit.concerns.query()).items).toContainEqual(expect.objectContaining(concern));
  });

  it("is each one's own when several are sent at once", async () => {
    const both = [await admin.signUp(), await admin.signUp()];
    const ids = await Promise.all(both.map(async ({ client }) => (await client.auth.me.query()).account.id));
    const before = await entries();
    const answers = await Promise.all(both.map(async ({ email }) => admin.call("auth.login", { email, password })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const left = await since(before);
    const who = new Map(left.map(({ account_id, actor }) => [account_id, actor]));
    expect(left).toHaveLength(2);
    expect(who).toEqual(new Map(both.map(({ email }, place) => [ids[place], email])));
  });
});

describe("a server that stalls with accounts in its hands", () => {
  it("has their changes refused elsewhere, and stops neither the others nor what is read", async () => {
    await using admin = await openAdmin();
    const held = await Promise.all(Array.from({ length: 10 }, async () => admin.signUp()));
    const ids = await Promise.all(held.map(async ({ client }) => (await client.auth.me.query()).account.id));
    await using other = await openAdminOn(admin.databaseUrl);
    const free = await admin.signUp();
    const { refused } = await admin.sql.begin(async (stalled) => {
      await stalled`select from account where id = any(${ids}::uuid[]) for no key update`;
      // The other server would have no connection left if each call took one.
      const refused = held.map(async ({ token }) => callProcedure(other, "settings.renameAccount", { name: "New" }, token));
      await waitFor("six that wait", async () => {
        const waiting = await admin.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        return waiting.length >= 6;
      });
      await other.client(free.token).auth.me.query();
      expect((await other.fetch("/healthz")).status).toBe(200);
      const [first, second] = held as [(typeof held)[number], (typeof held)[number]];
      const letIn = [
        callProcedure(other, "auth.logout", {}, first.token),
        callProcedure(other, "auth.login", { email: second.email, password }),
      ];
      expect((await Promise.race(refused)).code).toBe("SERVICE_UNAVAILABLE");
      expect((await Promise.all(letIn)).map(({ code }) => code)).toEqual(["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"]);
      await other.client(free.token).settings.renameAccount.mutate({ name: "New" });
      return { refused };
    });
    await Promise.all(refused);
  });
});

/** Every text whose name tells of a secret, and every address with a token after its #. */
function secretsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const isSecret = (name: string, text: string): boolean =>
    /(?:password|token|secret|apiKey|code|challenge)$/i.test(name) || (name === "url" && text.includes("#"));
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" && isSecret(name, member) ? [member] : secretsIn(member),
  );
}

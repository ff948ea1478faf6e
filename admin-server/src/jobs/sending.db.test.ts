import { randomBytes } from "node:crypto";
import { createVault } from "shared/secrets/vault";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AdminClient,
  addMember,
  callProcedure,
  openAdmin,
  type OpenAdmin,
  openAdminOn,
  password,
  signedIn,
} from "../../../test/support/admin.ts";
import { headerOf, type ReceivedMail, startMailServer } from "../../../test/support/mail-server.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const masterKey = randomBytes(32);
const fast = { tickMs: 50, scale: 0.001 };

const mails = shared(async () => startMailServer());
const admin = shared(async () => openAdmin({ mail: mails.config, masterKey, trustProxy: true }, { sendingTimes: fast }));
let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
beforeEach(async () => {
  owner = await admin.signUp();
});
afterEach(() => mails.script(async () => Promise.resolve(null)));

const linkIn = (mail: ReceivedMail | undefined, path: string): string => {
  const link = new RegExp(`http://admin\\.example/${path}#(\\w{43})`).exec(mail?.body ?? "");
  return link?.[1] ?? expect.fail(`there is no link in ${mail?.body}`);
};
const freshAddress = () => `p${randomBytes(6).toString("hex")}@example.com`;
const outbox = async () => admin.sql`select kind, status, content, failures, last_error from outbox order by id`;
const settled = async () =>
  waitFor("the outbox to be empty", async () => (await admin.sql`select from outbox where status = 'pending'`).length === 0);

describe("an invitation", () => {
  it("is answered as ever, and sent to the address that was invited", async () => {
    const email = freshAddress();
    const made = await owner.client.users.invite.mutate({ email, role: "viewer" });
    expect(made).toMatchObject({ mailed: true, url: `http://admin.example/invite#${made.token}` });
    const [mail] = await mails.mailsTo(email);
    expect(linkIn(mail, "invite")).toBe(made.token);
    expect(mail && headerOf(mail, "subject")).toBe("Invitation to Shop on Tidings");
    await settled();
    expect((await outbox()).at(-1)).toEqual({ kind: "invite", status: "sent", content: null, failures: 0, last_error: null });
  });

  it("is no mail when the call is refused, and stays none in the clear in the database", async () => {
    mails.script(async () => Promise.resolve(Object.assign(new Error("later"), { responseCode: 451 })));
    const email = freshAddress();
    const { token } = await owner.client.users.invite.mutate({ email, role: "viewer" });
    const [row] = await admin.sql`select content, to_hash from outbox where status = 'pending' order by id desc limit 1`;
    expect(row?.["content"]).toMatch(/^v2\./);
    const all = JSON.stringify(await admin.sql`select to_json(o) from outbox o`);
    for (const secret of [token, email]) expect(all).not.toContain(secret);
    expect(createVault(masterKey).fingerprint(`address ${email}`)).toBe(row?.["to_hash"]);
    const before = (await outbox()).length;
    await callProcedure(admin, "users.invite", { email: owner.email, role: "viewer" }, owner.token);
    expect((await outbox()).length).toBe(before);
  });

  it("is tried again while the mail server refuses it for now, and given up when it refuses it for good", async () => {
    const email = freshAddress();
    let refusals = 2;
    const isRefused = (to: string): boolean => to === email && refusals-- > 0;
    mails.script(async (to) => Promise.resolve(isRefused(to) ? Object.assign(new Error("later"), { responseCode: 451 }) : null));
    await owner.client.users.invite.mutate({ email, role: "viewer" });
    await mails.mailsTo(email);
    await settled();
    expect((await outbox()).at(-1)).toMatchObject({ status: "sent", failures: 2 });
    mails.script(async () => Promise.resolve(Object.assign(new Error("never"), { responseCode: 550 })));
    await owner.client.users.invite.mutate({ email: freshAddress(), role: "viewer" });
    await settled();
    expect((await outbox()).at(-1)).toMatchObject({ status: "failed", content: null, failures: 1, last_error: "refused" });
  });

  it("is sent to an address five times a day, whoever invites it; the link goes without", async () => {
    const email = freshAddress();
    const other = await admin.signUp();
    const invite = async ({ client }: { client: AdminClient }) => (await client.users.invite.mutate({ email, role: "viewer" })).mailed;
    const answers = [];
    for (const by of [owner, owner, owner, other, other, other, owner]) answers.push(await invite(by));
    expect(answers).toEqual([true, true, true, true, true, false, false]);
    // The same mailbox by another of its addresses.
    expect((await other.client.users.invite.mutate({ email: email.replace("@", "+1@"), role: "viewer" })).mailed).toBe(false);
    await settled();
    expect(await mails.mailsTo(email, 5)).toHaveLength(5);
  });
});

it("a mail goes out once, however many servers there are", async () => {
  await using one = await openAdmin({ mail: mails.config, masterKey }, { sendingTimes: fast });
  await using other = await openAdminOn(one.databaseUrl, { mail: mails.config, masterKey }, { sendingTimes: fast });
  const { client } = await one.signUp();
  const addresses = Array.from({ length: 15 }, freshAddress);
  for (const email of addresses) await client.users.invite.mutate({ email, role: "viewer" });
  expect((await other.fetch("/healthz")).status).toBe(200);
  await waitFor("all to be sent", async () => (await one.sql`select from outbox where kind = 'invite' and status = 'sent'`).length === 15);
  for (const email of addresses) expect(mails.received.filter(({ to }) => to.includes(email))).toHaveLength(1);
});

it("without a mail server all goes as before, and nobody is offered a link by e-mail", async () => {
  await using without = await openAdmin();
  const { client } = await without.signUp();
  expect(await client.users.invite.mutate({ email: freshAddress(), role: "viewer" })).toMatchObject({ mailed: false });
  expect((await without.client().auth.state.query()).mail).toBe(false);
  expect((await callProcedure(without, "auth.forgotPassword", { email: "ann@example.com" })).code).toBe("CONFLICT");
  expect(await without.sql`select from outbox`).toEqual([]);
});

describe("a password reset", () => {
  const ask = async (email: string, from = `2001:db8::${randomBytes(2).toString("hex")}`) => {
    const answer = await admin.call("auth.forgotPassword", { email }, { "x-forwarded-for": from });
    return { status: answer.status, text: await answer.text() };
  };

  it("that an owner makes is mailed to the person too", async () => {
    const member = await addMember(admin, owner.client, "viewer", freshAddress());
    const made = await owner.client.users.resetPassword.mutate({ id: member.user.id });
    expect(made.mailed).toBe(true);
    const mail = (await mails.mailsTo(member.email, 2)).at(-1);
    expect(linkIn(mail, "reset-password")).toBe(made.token);
  });

  it("that somebody asks for comes by mail alone, works once and ends the sessions, also of a member of two accounts", async () => {
    const other = await admin.signUp();
    const { token } = await other.client.users.invite.mutate({ email: owner.email, role: "viewer" });
    await admin.client().users.acceptInvite.mutate({ token, name: "Ann", password });
    expect(await ask(owner.email.toUpperCase())).toEqual({ status: 200, text: JSON.stringify({ result: { data: {} } }) });
    const link = linkIn((await mails.mailsTo(owner.email, 2)).at(-1), "reset-password");
    const renewed = await signedIn(admin.client().auth.resetPassword.mutate({ token: link, password: "quite another long password" }));
    expect((await admin.client(renewed.token).auth.me.query()).user.email).toBe(owner.email);
    expect((await callProcedure(admin, "auth.me", {}, owner.token)).code).toBe("UNAUTHORIZED");
    expect((await callProcedure(admin, "auth.resetPassword", { token: link, password: "quite another long password" })).code).toBe(
      "NOT_FOUND",
    );
  });

  it("is answered alike whether or not somebody has the address, and nobody is written to who has none", async () => {
    const stranger = freshAddress();
    const answers = [
      await ask(stranger),
      await ask(owner.email),
      await ask("no address at all"),
      await ask(`${owner.email}\r\nBcc: x@y.example`),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await mails.mailsTo(owner.email);
    await settled();
    expect(mails.received.filter(({ to }) => to.includes(stranger))).toEqual([]);
    const requests = await admin.sql`select account_id, to_hash, content, status from outbox where kind = 'reset_request'`;
    expect(new Set(requests.map((row) => JSON.stringify(row))).size).toBe(1);
  });

  it("lasts an hour, and another request does not end it", async () => {
    await ask(owner.email);
    const first = linkIn((await mails.mailsTo(owner.email, 1)).at(-1), "reset-password");
    await ask(owner.email);
    const second = linkIn((await mails.mailsTo(owner.email, 2)).at(-1), "reset-password");
    await admin.sql`update password_reset set expires_at = now() where token_hash = sha256(${second}::bytea)`;
    const late = await callProcedure(admin, "auth.resetPassword", { token: second, password: "quite another long password" });
    expect(late.code).toBe("NOT_FOUND");
    const [row] =
      await admin.sql`select extract(epoch from expires_at - now()) as seconds from password_reset where token_hash = sha256(${first}::bytea)`;
    expect(Math.abs(Number(row?.["seconds"]) - 3600)).toBeLessThan(60);
    await signedIn(admin.client().auth.resetPassword.mutate({ token: first, password: "quite another long password" }));
  });

  it("is sent three times an hour to an address, and asked for ten times from a network", async () => {
    const from = "203.0.113.9";
    const answers = [];
    for (let asked = 0; asked < 11; asked += 1) answers.push((await ask(owner.email, from)).status);
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    await settled();
    expect(await mails.mailsTo(owner.email, 3)).toHaveLength(3);
    expect(await admin.sql`select from password_reset r join app_user u on u.id = r.user_id where u.email = ${owner.email}`).toHaveLength(
      3,
    );
  });

  it("is not in the database in the clear while it waits", async () => {
    mails.script(async () => Promise.resolve(Object.assign(new Error("later"), { responseCode: 451 })));
    await ask(owner.email);
    const row = await waitFor(
      "the mail",
      async () => (await admin.sql`select content from outbox where kind = 'reset' and status = 'pending'`)[0],
    );
    expect(row["content"]).toMatch(/^v2\./);
  });
});

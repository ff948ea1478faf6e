import { describe, expect, it } from "vitest";
import { addMember, openAdmin, password, refusal, signedIn } from "../../../test/support/admin.ts";
import { startMailServer } from "../../../test/support/mail-server.ts";
import { shared } from "../../../test/support/shared.ts";

const codeOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    async (error: unknown) => (await refusal(Promise.reject(error))).code,
  );

describe("where no mail is set up", () => {
  const admin = shared(async () => openAdmin());

  it("name and address change at once, for all accounts of the person, and the audit tells both values", async () => {
    const { client, email } = await admin.signUp();
    const to = `new.${email}`;
    await client.auth.changeName.mutate({ name: "Ann" });
    expect(await client.auth.changeEmail.mutate({ email: to })).toEqual({ mailed: false });
    expect((await client.auth.me.query()).user).toMatchObject({ name: "Ann", email: to });
    expect(await codeOf(admin.client().auth.login.mutate({ email, password }))).toBe("UNAUTHORIZED");
    const again = await signedIn(admin.client().auth.login.mutate({ email: to.toUpperCase(), password }));
    const { items } = await admin.client(again.token).audit.list.query({ action: "auth.changeEmail" });
    expect(items).toMatchObject([{ actor: email, changes: [{ member: "email", before: email, after: to }] }]);
    // Nobody has shown yet that the address is theirs.
    expect(await admin.sql`select address_proven from app_user where lower(email) = ${to}`).toEqual([{ address_proven: false }]);
  });

  it("nobody gets an address that another has, in any case, nor the same one at the same moment, nor where the company names people", async () => {
    const [ann, bob, eve] = [await admin.signUp(), await admin.signUp(), await admin.signUp()];
    expect(await codeOf(bob.client.auth.changeEmail.mutate({ email: ann.email.toUpperCase() }))).toBe("CONFLICT");
    expect(await codeOf(bob.client.auth.changeEmail.mutate({ email: bob.email }))).toBe("CONFLICT");
    const wanted = { email: `wanted.${ann.email}` };
    const outcomes = await Promise.all([ann, bob, eve].map(async ({ client }) => codeOf(client.auth.changeEmail.mutate(wanted))));
    expect(outcomes.toSorted()).toEqual(["CONFLICT", "CONFLICT", "ok"]);
    const member = await addMember(admin, ann.client, "viewer", "member@example.com");
    // Nobody can check the address, so who answers to an owner asks one, and no invitation is taken away.
    expect(await codeOf(member.client.auth.changeEmail.mutate({ email: "ceo@example.com" }))).toBe("CONFLICT");
    await ann.client.users.invite.mutate({ email: "ceo@example.com", role: "owner" });
    expect(await codeOf(eve.client.auth.changeEmail.mutate({ email: "CEO@example.com" }))).toBe("CONFLICT");
    await admin.sql`update account set require_sso = true where id = ${(await ann.client.auth.me.query()).account.id}`;
    expect(await codeOf(member.client.auth.changeEmail.mutate({ email: "other@example.com" }))).not.toBe("ok");
  });
});

describe("where mail is set up", () => {
  let now = Date.now();
  const mails = shared(async () => startMailServer());
  const admin = shared(async () => openAdmin({ mail: mails.config }, { sendingTimes: { tickMs: 50 }, clock: () => new Date(now) }));

  const linkTo = async (address: string): Promise<string> => {
    const [mail] = await mails.mailsTo(address);
    return /\/confirm-email#([\w.-]+)/.exec(mail?.body ?? "")?.[1] ?? "";
  };
  const confirm = (token: string) => admin.client().auth.confirmEmail.mutate({ token });

  it("the address changes by the link that was sent there, once, and the former one is told", async () => {
    const { client, email } = await admin.signUp();
    const to = `new.${email}`;
    expect(await client.auth.changeEmail.mutate({ email: to })).toEqual({ mailed: true });
    const token = await linkTo(to);
    expect((await client.auth.me.query()).user.email).toBe(email);
    const [text = "", proof = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(text, "base64url").toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, to: "thief@example.com" })).toString("base64url");
    for (const wrong of [`${forged}.${proof}`, text, `${text}.`, `${text}.${proof.slice(1)}`, "e30.x", "", "x".repeat(2_000)])
      expect([wrong, await codeOf(confirm(wrong))]).toEqual([wrong, "NOT_FOUND"]);
    const outcomes = await Promise.all([1, 2, 3].map(async () => codeOf(confirm(token))));
    expect(outcomes.toSorted()).toEqual(["NOT_FOUND", "NOT_FOUND", "ok"]);
    expect((await client.auth.me.query()).user.email).toBe(to);
    expect((await mails.mailsTo(email))[0]?.body).toContain(to);
    expect((await client.audit.list.query({ action: "auth.confirmEmail" })).items).toMatchObject([
      { actor: email, changes: [{ member: "email", before: email, after: to }] },
    ]);
  });

  it("a link ends with the hour, with the password, with the session that asked, and when somebody else has the address by then", async () => {
    const { client, email } = await admin.signUp();
    const ask = async (to: string) => (await client.auth.changeEmail.mutate({ email: to }), linkTo(to));
    const late = await ask(`late.${email}`);
    now += 3_600_000;
    expect(await codeOf(confirm(late))).toBe("NOT_FOUND");
    const taken = await ask(`taken.${email}`);
    await admin.signUp(`Taken.${email}`);
    expect(await codeOf(confirm(taken))).toBe("CONFLICT");
    const former = await ask(`former.${email}`);
    await client.auth.changePassword.mutate({ currentPassword: password, newPassword: "another long password" });
    expect(await codeOf(confirm(former))).toBe("NOT_FOUND");
    expect((await client.auth.me.query()).user.email).toBe(email);
    // Whoever had the session may have asked.
    const asked = await ask(`asked.${email}`);
    await client.auth.signOutEverywhere.mutate();
    expect(await codeOf(confirm(asked))).toBe("NOT_FOUND");
  });

  it("an invitation tells whoever has its link account, role and address", async () => {
    const { client } = await admin.signUp();
    const { token } = await client.users.invite.mutate({ email: "joins@example.com", role: "viewer" });
    const read = (text: string) => admin.client().users.readInvite.mutate({ token: text });
    expect(await read(token)).toEqual({ invitation: { account: "Shop", role: "viewer", email: "joins@example.com" } });
    expect(await read("made up")).toEqual({ invitation: null });
    const [invite] = (await client.users.invites.list.query()).items;
    await client.users.invites.revoke.mutate({ id: invite?.id ?? "" });
    expect(await read(token)).toEqual({ invitation: null });
  });
});

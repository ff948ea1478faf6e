import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMember } from "../../../../test/support/admin/add-member.ts";
import { openAdmin, password, type OpenAdmin } from "../../../../test/support/admin/open-admin.ts";
import { refusal } from "../../../../test/support/admin/refusal.ts";

describe("users", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());
  const accept = async (token: string, name = "Bob") => admin.client().users.acceptInvite.mutate({ token, name, password });

  it("are invited by link and join with the role they were given", async () => {
    const owner = await admin.signUp();
    const invitation = await owner.client.users.invite.mutate({ email: "bob@example.com", role: "viewer" });
    expect(invitation.url).toBe(`http://admin.example/invite#${invitation.token}`);
    const answer = await admin.call("users.acceptInvite", { token: invitation.token, name: "Bob", password });
    expect(answer.headers.get("set-cookie")).toContain("tidings_session=");
    const joined = ((await answer.json()) as { result: { data: Awaited<ReturnType<typeof accept>> } }).result.data;
    expect(joined.user).toEqual({ id: expect.any(String), email: "bob@example.com", name: "Bob", role: "viewer" });
    const me = await admin.client(joined.token).auth.me.query();
    expect(me.account).toEqual((await owner.client.auth.me.query()).account);
    const { items } = await owner.client.users.list.query();
    expect(items).toEqual([
      { ...joined.user, createdAt: expect.any(String) },
      { ...owner.user, createdAt: expect.any(String) },
    ]);
    expect((await refusal(accept(invitation.token))).code).toBe("NOT_FOUND");
  });

  it("join once, however often a link is used at once", async () => {
    const owner = await admin.signUp();
    const { token } = await owner.client.users.invite.mutate({ email: "once@example.com", role: "viewer" });
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async () => (await admin.call("users.acceptInvite", { token, name: "A", password })).status),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
    expect(answers.filter((status) => status === 404)).toHaveLength(3);
  });

  it("cannot join with a link that was replaced, is too old, or was made by somebody who left", async () => {
    const owner = await admin.signUp();
    const invite = async (email: string, by = owner.client) => (await by.users.invite.mutate({ email, role: "viewer" })).token;
    const first = await invite("late@example.com");
    const second = await invite("LATE@example.com");
    expect((await refusal(accept(first))).code).toBe("NOT_FOUND");
    await admin.sql`update invite set expires_at = now() where email = 'LATE@example.com'`;
    expect((await refusal(accept(second))).code).toBe("NOT_FOUND");
    const other = await addMember(admin, owner.client, "owner", "gone@example.com");
    const orphan = await invite("orphan@example.com", other.client);
    await owner.client.users.remove.mutate({ id: other.user.id });
    expect((await refusal(accept(orphan))).code).toBe("NOT_FOUND");
  });

  it("belong to one account: inviting tells nothing of others, accepting is refused", async () => {
    const owner = await admin.signUp();
    const stranger = await admin.signUp();
    expect((await refusal(owner.client.users.invite.mutate({ email: owner.email, role: "viewer" }))).code).toBe("CONFLICT");
    const { token } = await owner.client.users.invite.mutate({ email: stranger.email, role: "viewer" });
    expect((await refusal(accept(token))).code).toBe("CONFLICT");
    expect((await owner.client.users.list.query()).items).toHaveLength(1);
  });

  it("are given another role, which holds at once", async () => {
    const owner = await admin.signUp();
    const member = await addMember(admin, owner.client, "viewer", "promoted@example.com");
    expect((await refusal(member.client.users.list.query())).code).toBe("FORBIDDEN");
    const changed = await owner.client.users.setRole.mutate({ id: member.user.id, role: "owner" });
    expect(changed.user.role).toBe("owner");
    expect((await member.client.users.list.query()).items).toHaveLength(2);
  });

  it("lose their sessions when they are removed", async () => {
    const owner = await admin.signUp();
    const member = await addMember(admin, owner.client, "operator", "removed@example.com");
    expect(await owner.client.users.remove.mutate({ id: member.user.id })).toEqual({ id: member.user.id });
    expect((await refusal(member.client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await refusal(admin.client().auth.login.mutate({ email: member.email, password }))).code).toBe("UNAUTHORIZED");
    expect((await refusal(owner.client.users.remove.mutate({ id: member.user.id }))).code).toBe("NOT_FOUND");
  });

  it("never lose their last owner", async () => {
    const owner = await admin.signUp();
    await addMember(admin, owner.client, "operator", "not-owner@example.com");
    const { id } = owner.user;
    expect((await refusal(owner.client.users.remove.mutate({ id }))).code).toBe("CONFLICT");
    expect((await refusal(owner.client.users.setRole.mutate({ id, role: "operator" }))).code).toBe("CONFLICT");
    expect((await owner.client.users.setRole.mutate({ id, role: "owner" })).user.role).toBe("owner");
    const second = await addMember(admin, owner.client, "owner", "second-owner@example.com");
    const both = await Promise.all([
      admin.call("users.setRole", { id, role: "viewer" }, { authorization: `Bearer ${second.token}` }),
      admin.call("users.remove", { id: second.user.id }, { authorization: `Bearer ${owner.token}` }),
    ]);
    expect(both.filter((answer) => answer.status === 200)).toHaveLength(1);
    const [account] = await admin.sql`select account_id from app_user where id = ${id} or id = ${second.user.id}`;
    const owners = await admin.sql`select id from app_user where account_id = ${account?.["account_id"]} and role = 'owner'`;
    expect(owners).toHaveLength(1);
  });

  it.each([
    [{ email: "nobody", role: "viewer" }, "email"],
    [{ email: "a@example.com", role: "root" }, "role"],
  ])("are not invited by %o", async (input, member) => {
    const owner = await admin.signUp();
    const answer = await refusal(owner.client.users.invite.mutate(input as { email: string; role: "viewer" }));
    expect(answer).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: [member] }] });
  });

  it("do not join with a weak password or a made-up link", async () => {
    const owner = await admin.signUp();
    const { token } = await owner.client.users.invite.mutate({ email: "weak@example.com", role: "viewer" });
    const weak = await refusal(admin.client().users.acceptInvite.mutate({ token, name: "A", password: "password123" }));
    expect(weak).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["password"] }] });
    expect((await refusal(accept("made-up"))).code).toBe("NOT_FOUND");
    expect((await accept(token)).user.email).toBe("weak@example.com");
  });
});

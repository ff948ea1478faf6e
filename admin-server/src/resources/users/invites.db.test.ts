import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMember } from "../../../../test/support/admin/add-member.ts";
import { openAdmin, password, type OpenAdmin } from "../../../../test/support/admin/open-admin.ts";
import { refusal } from "../../../../test/support/admin/refusal.ts";

describe("invitations", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());
  const accept = async (token: string) => admin.client().users.acceptInvite.mutate({ token, name: "Bob", password });

  it("are listed until they are accepted, newest first, without what they could be accepted by", async () => {
    const owner = await admin.signUp();
    const made = [];
    for (const email of ["one@example.com", "two@example.com", "three@example.com"]) {
      made.unshift(await owner.client.users.invite.mutate({ email, role: "operator" }));
    }
    const first = await owner.client.users.invites.list.query({ limit: 2 });
    const second = await owner.client.users.invites.list.query({ limit: 2, cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    expect(second.nextCursor).toBeNull();
    expect(first.items[0]).toEqual({
      id: made[0]?.id,
      email: "three@example.com",
      role: "operator",
      createdBy: owner.user.id,
      createdAt: expect.any(String),
      expiresAt: made[0]?.expiresAt,
    });
    await accept(made[1]?.token ?? "");
    expect((await owner.client.users.invites.list.query()).items.map(({ email }) => email)).toEqual([
      "three@example.com",
      "one@example.com",
    ]);
    expect((await refusal(owner.client.users.invites.list.query({ cursor: "made-up" }))).code).toBe("BAD_REQUEST");
  });

  it("stay listed when they are too old, so that they can be made again", async () => {
    const owner = await admin.signUp();
    const { id } = await owner.client.users.invite.mutate({ email: "old@example.com", role: "viewer" });
    await admin.sql`update invite set expires_at = now() where id = ${id}`;
    expect((await owner.client.users.invites.list.query()).items.map((invite) => invite.id)).toEqual([id]);
  });

  it("cannot be accepted once they are taken back, nor taken back once they are accepted", async () => {
    const owner = await admin.signUp();
    const { id, token } = await owner.client.users.invite.mutate({ email: "revoked@example.com", role: "owner" });
    expect(await owner.client.users.invites.revoke.mutate({ id })).toEqual({ id });
    expect((await refusal(accept(token))).code).toBe("NOT_FOUND");
    expect((await refusal(owner.client.users.invites.revoke.mutate({ id }))).code).toBe("NOT_FOUND");
    const other = await owner.client.users.invite.mutate({ email: "accepted@example.com", role: "viewer" });
    await accept(other.token);
    expect((await refusal(owner.client.users.invites.revoke.mutate({ id: other.id }))).code).toBe("NOT_FOUND");
  });

  it("end in one of the two when both are tried at once", async () => {
    const owner = await admin.signUp();
    for (let round = 0; round < 5; round += 1) {
      const email = `both-${round}@example.com`;
      const { id, token } = await owner.client.users.invite.mutate({ email, role: "viewer" });
      const [joined, revoked] = await Promise.allSettled([accept(token), owner.client.users.invites.revoke.mutate({ id })]);
      expect([joined.status, revoked.status].filter((status) => status === "fulfilled")).toHaveLength(1);
      const members = (await owner.client.users.list.query()).items.filter((user) => user.email === email);
      expect(members).toHaveLength(joined.status === "fulfilled" ? 1 : 0);
    }
  });

  it("let one person in, however many servers are asked at once", async () => {
    const owner = await admin.signUp();
    const { token } = await owner.client.users.invite.mutate({ email: "many@example.com", role: "viewer" });
    const answers = await Promise.allSettled(Array.from({ length: 6 }, async () => accept(token)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await owner.client.users.list.query()).items.filter(({ email }) => email === "many@example.com")).toHaveLength(1);
  });

  it("of somebody who is no owner any more do not count", async () => {
    const owner = await admin.signUp();
    const other = await addMember(admin, owner.client, "owner", "was-owner@example.com");
    const { token } = await other.client.users.invite.mutate({ email: "friend@example.com", role: "owner" });
    await owner.client.users.setRole.mutate({ id: other.user.id, role: "operator" });
    expect((await refusal(accept(token))).code).toBe("NOT_FOUND");
    await owner.client.users.setRole.mutate({ id: other.user.id, role: "owner" });
    expect((await accept(token)).user.role).toBe("owner");
  });
});

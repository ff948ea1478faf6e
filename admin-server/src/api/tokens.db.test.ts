import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { addMember, openAdmin, type OpenAdmin, refusal } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

describe("tokens", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let operator: Awaited<ReturnType<typeof addMember>>;
  const admin = shared(async () => openAdmin());
  beforeAll(async () => {
    owner = await admin.signUp();
    operator = await addMember(admin, owner.client, "operator", "operator@example.com");
  });

  it("sign in as their creator with their own role, are shown once and kept as a digest", async () => {
    const made = await owner.client.tokens.create.mutate({ name: "CI", role: "viewer" });
    const me = await admin.client(made.token).auth.me.query();
    expect(me.user).toEqual({ ...owner.user, role: "viewer", emailProven: true });
    const [row] = await admin.sql`select token_hash, last_used_at from access_token where id = ${made.id}`;
    expect(row?.["token_hash"]).toEqual(createHash("sha256").update(made.token).digest());
    expect(row?.["last_used_at"]).toBeInstanceOf(Date);
    const listed = (await owner.client.tokens.list.query()).items.find((token) => token.id === made.id);
    expect(listed).toEqual({
      id: made.id,
      name: "CI",
      role: "viewer",
      scopes: null,
      hint: made.token.slice(-4),
      createdBy: owner.user.id,
      createdAt: expect.any(String),
      expiresAt: made.expiresAt,
      lastUsedAt: expect.any(String),
    });
    expect((await refusal(admin.client(made.token).settings.update.mutate({}))).code).toBe("FORBIDDEN");
  });

  it("are 200 an account at most, without those that have ended", async () => {
    const other = await admin.signUp();
    const made = await other.client.tokens.create.mutate({ name: "CI", role: "viewer" });
    await admin.sql`
      insert into access_token (id, account_id, created_by, name, role, token_hash, hint, expires_at)
      select gen_random_uuid(), account_id, created_by, name, role, decode(md5(n::text), 'hex'), hint, expires_at
      from access_token, generate_series(2, 200) n where id = ${made.id}`;
    const { code, message } = await refusal(other.client.tokens.create.mutate({ name: "CI", role: "viewer" }));
    expect([code, message]).toEqual(["CONFLICT", expect.stringContaining("at most 200 access tokens")]);
    await admin.sql`update access_token set expires_at = now() where id = ${made.id}`;
    const again = [1, 2, 3, 4].map(async () => other.client.tokens.create.mutate({ name: "CI", role: "viewer" }));
    expect((await Promise.allSettled(again)).map(({ status }) => status).toSorted()).toEqual(
      data("admin-server-api-tokens", "are 200 an account at most, without those that h"),
    );
  });

  it("end when they are revoked, with their time, and with their creator", async () => {
    const made = await owner.client.tokens.create.mutate({ name: "a", role: "owner" });
    expect(await owner.client.tokens.revoke.mutate({ id: made.id })).toEqual({ id: made.id });
    expect((await refusal(admin.client(made.token).auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await refusal(owner.client.tokens.revoke.mutate({ id: made.id }))).code).toBe("NOT_FOUND");

    const brief = await owner.client.tokens.create.mutate({ name: "b", role: "owner", expiresAt: "2100-01-01T00:00:00+01:00" });
    expect(brief.expiresAt).toBe("2099-12-31T23:00:00.000Z");
    expect((await admin.client(brief.token).auth.me.query()).user.id).toBe(owner.user.id);
    await admin.sql`update access_token set expires_at = now() where id = ${brief.id}`;
    expect((await refusal(admin.client(brief.token).auth.me.query())).code).toBe("UNAUTHORIZED");

    const leaver = await addMember(admin, owner.client, "operator", "leaver@example.com");
    const theirs = await leaver.client.tokens.create.mutate({ name: "c", role: "operator" });
    await owner.client.users.setRole.mutate({ id: leaver.user.id, role: "viewer" });
    expect((await admin.client(theirs.token).auth.me.query()).user.role).toBe("viewer");
    await owner.client.users.remove.mutate({ id: leaver.user.id });
    expect((await refusal(admin.client(theirs.token).auth.me.query())).code).toBe("UNAUTHORIZED");
  });

  it("have at most their creator's role", async () => {
    expect((await refusal(operator.client.tokens.create.mutate({ name: "x", role: "owner" }))).code).toBe("FORBIDDEN");
    expect((await operator.client.tokens.create.mutate({ name: "x", role: "operator" })).role).toBe("operator");
  });

  it("of others are an owner's business", async () => {
    const theirs = await operator.client.tokens.create.mutate({ name: "theirs", role: "viewer" });
    const mine = await owner.client.tokens.create.mutate({ name: "mine", role: "viewer" });
    expect((await owner.client.tokens.list.query()).items.map((token) => token.id)).toEqual(expect.arrayContaining([theirs.id, mine.id]));
    const seen = (await operator.client.tokens.list.query()).items;
    expect(seen.every((token) => token.createdBy === operator.user.id)).toBe(true);
    expect((await refusal(operator.client.tokens.revoke.mutate({ id: mine.id }))).code).toBe("NOT_FOUND");
    expect(await owner.client.tokens.revoke.mutate({ id: theirs.id })).toEqual({ id: theirs.id });
  });
});

import { insertAuditEntry } from "shared/db/audit";
import { newId } from "shared/db/ids";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idAt } from "../../../test/support/admin-shops.ts";
import { addMember } from "../../../test/support/admin.ts";
import { openAdmin, type OpenAdmin } from "../../../test/support/admin.ts";
import { refusal } from "../../../test/support/admin.ts";

describe("audit.list", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());

  const insert = (accountId: string, time: string, action: string, actor = "ann@example.com") =>
    insertAuditEntry(admin.sql, {
      id: idAt(time),
      account_id: accountId,
      actor,
      actor_id: newId(),
      token_id: null,
      action,
      subject: null,
      address: null,
    });

  it("tells who did what, when and from where, newest first", async () => {
    const owner = await admin.signUp();
    const { site } = await owner.client.sites.create.mutate({ name: "x", url: "https://x.example", sourceType: "generic" });
    const { items, nextCursor } = await owner.client.audit.list.query();
    expect(nextCursor).toBeNull();
    expect(items).toEqual([
      {
        id: expect.any(String),
        createdAt: expect.any(String),
        actor: owner.email,
        actorId: owner.user.id,
        tokenId: null,
        action: "sites.create",
        subject: site.id,
        address: "127.0.0.1",
      },
      expect.objectContaining({ action: "auth.signUp", subject: owner.user.id }),
    ]);
    expect(Math.abs(Date.parse(items[0]?.createdAt ?? "") - Date.now())).toBeLessThan(60_000);
  });

  it("is filtered by actor, action and time, and comes in pages", async () => {
    const { client } = await admin.signUp();
    const accountId = (await client.auth.me.query()).account.id;
    for (let day = 1; day <= 5; day += 1)
      await insert(accountId, `2026-01-0${day}T12:00:00Z`, day % 2 === 0 ? "sites.update" : "sites.create");
    await insert(accountId, "2026-01-03T13:00:00Z", "sites.create", "bob@example.com");
    const days = async (filter: object) => (await client.audit.list.query(filter)).items.map((item) => item.createdAt.slice(0, 13));
    expect(await days({ actor: "Bob@Example.com" })).toEqual(["2026-01-03T13"]);
    expect(await days({ action: "sites.update" })).toEqual(["2026-01-04T12", "2026-01-02T12"]);
    expect(await days({ from: "2026-01-02", to: "2026-01-03", actor: "ann@example.com" })).toEqual(["2026-01-03T12", "2026-01-02T12"]);
    expect(await days({ to: "2026-01-01T12:00:00Z" })).toEqual(["2026-01-01T12"]);

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: { id: string }[]; nextCursor: string | null } = await client.audit.list.query({ limit: 2, cursor });
      seen.push(...page.items.map((item) => item.id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(7);
    expect(seen).toEqual(seen.toSorted().toReversed());
    expect((await refusal(client.audit.list.query({ cursor: "made-up" }))).code).toBe("BAD_REQUEST");
    expect((await refusal(client.audit.list.query({ from: "yesterday" }))).code).toBe("BAD_REQUEST");
  });

  it("outlives whom it tells of", async () => {
    const owner = await admin.signUp();
    const member = await addMember(admin, owner.client, "operator", "leaves@example.com");
    await member.client.auth.logout.mutate();
    await owner.client.users.remove.mutate({ id: member.user.id });
    const { items } = await owner.client.audit.list.query({ actor: "leaves@example.com" });
    expect(items.map(({ action, actorId }) => [action, actorId])).toEqual([
      ["auth.logout", member.user.id],
      ["users.acceptInvite", member.user.id],
    ]);
  });

  it("reads little more than a page, whatever is asked for", async () => {
    const owner = await admin.signUp();
    const accountId = (await owner.client.auth.me.query()).account.id;
    await admin.sql`
      insert into audit_entry (id, account_id, actor, action)
      select encode(substring(uuid_send(uuid_at(timestamptz '2026-01-01' + n * interval '1 minute')) for 8) || int8send(n), 'hex')::uuid,
        ${accountId}, case when n = 1 then 'rare@example.com' else 'often@example.com' end, 'sites.update'
      from generate_series(1, 20000::bigint) n`;
    await admin.sql`analyze audit_entry`;
    const plan = await admin.sql<{ "QUERY PLAN": { Plan: { "Actual Rows": number; Plans?: unknown[] } }[] }[]>`
      explain (analyze, format json) select id from audit_entry
      where account_id = ${accountId} and lower(actor) = lower('RARE@example.com') order by id desc limit 51`;
    expect(JSON.stringify(plan)).toContain("audit_entry_actor");
    expect(JSON.stringify(plan)).not.toContain("Seq Scan");
    expect((await owner.client.audit.list.query({ actor: "rare@example.com" })).items).toHaveLength(1);
  });
});

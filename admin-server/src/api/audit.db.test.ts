import { followChain } from "shared/db/audit";
import { describe, expect, it } from "vitest";
import { addMember, openAdmin } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const none = { total: 0, more: false, next: null };

describe("audit.list", () => {
  const admin = shared(async () => openAdmin({}, { operationTimes: { tickMs: 10 }, erasingTimes: { settleMs: 0, againMs: 50 } }));

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
        subjectName: "x",
        siteName: null,
        operation: null,
        address: "127.0.0.1",
        changes: data("admin-server-api-audit", "a site is made"),
      },
      expect.objectContaining({ action: "auth.signUp", subject: owner.user.id }),
    ]);
    expect(Math.abs(Date.parse(items[0]?.createdAt ?? "") - Date.now())).toBeLessThan(60_000);
  });

  it("tells the values before and after, of secrets only that they changed", async () => {
    const { client } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "Old", url: "https://x.example", sourceType: "generic" });
    await client.sites.update.mutate({ id: site.id, name: "New", enabled: false, testPhone: "+491700000001" });
    await client.sites.update.mutate({ id: site.id, sourceSecret: "shpss_0123456789" });
    await client.sites.rotateApiKey.mutate({ id: site.id });
    await client.settings.update.mutate({ platform: { wabaId: "w", phoneNumberId: "p", accessToken: "EAA-secret" } });
    await client.sites.delete.mutate({ id: site.id });
    const [deleted, platform, rotated, secret, updated] = (await client.audit.list.query()).items;
    expect(secret?.changes).toEqual([{ member: "secret", kept: "secret" }]);
    expect(updated?.changes).toEqual([
      { member: "enabled", kept: "values", before: true, after: false },
      { member: "name", kept: "values", before: "Old", after: "New" },
      { member: "testPhone", kept: "values", before: null, after: "+491700000001" },
    ]);
    expect(rotated?.changes).toEqual([{ member: "apiKey", kept: "secret" }]);
    expect(platform?.changes).toContainEqual({ member: "accessToken", kept: "secret" });
    expect(JSON.stringify(platform)).not.toContain("EAA");
    expect(deleted?.changes).toContainEqual({ member: "name", kept: "values", before: "New" });
  });

  it("tells the values that each change met, of changes at the same moment too", async () => {
    const { client } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "0", url: "https://x.example", sourceType: "generic" });
    await Promise.all([1, 2, 3, 4, 5].map(async (n) => client.sites.update.mutate({ id: site.id, name: `${n}` })));
    const { items } = await client.audit.list.query({ action: "sites.update" });
    const { name: last } = (await client.sites.get.query({ id: site.id })).site;
    expect((await client.audit.list.query({ search: last, action: "sites.update" })).items).toEqual(items);
    expect([await client.audit.count.query({ search: "%" }), await client.audit.count.query({ search: site.id })]).toEqual([none, none]);
    const steps = new Map(
      items.map(({ changes: [change] }) => [change?.kept === "values" && change.before, change?.kept === "values" && change.after]),
    );
    let [name, seen]: [unknown, number] = ["0", 0];
    for (; steps.has(name as string); seen += 1) name = steps.get(name as string);
    expect([seen, name]).toEqual([5, last]);
  });

  it("loses what it tells of a person who is erased, and keeps its chain", async () => {
    const { client } = await admin.signUp();
    const accountId = (await client.auth.me.query()).account.id;
    const { site } = await client.sites.create.mutate({ name: "x", url: "https://x.example", sourceType: "generic" });
    const { recipient } = await client.recipients.add.mutate({ siteId: site.id, phone: "+491700000077", label: "Ann" });
    await client.recipients.remove.mutate({ id: recipient.id });
    const { erasure } = await client.people.erase.mutate({ phone: "+491700000077" });
    await expect
      .poll(async () => (await client.people.erasure.query({ id: erasure.id })).erasure.finishedAt, { timeout: 20_000 })
      .not.toBeNull();
    const { items } = await client.audit.list.query();
    const told = items.filter(({ action }) => action.startsWith("recipients."));
    expect(told.map(({ changes }) => changes.map(({ member, kept }) => `${member}: ${kept}`))).toEqual([
      ["siteId: values", "active: values", "phone: erased", "label: erased"],
      ["siteId: values", "active: values", "phone: erased", "label: erased"],
    ]);
    const rows =
      await admin.sql`select to_json(e)::text || to_json(v)::text as text from audit_entry e left join audit_value v on v.entry_id = e.id`;
    expect(JSON.stringify(rows)).not.toMatch(/1700000077|Ann/);
    expect(await followChain(admin.sql, accountId)).toMatchObject({ entries: items.length, broken: null });
  });

  it("names an operation by its kind and site, and says what a pause's end has discarded", async () => {
    const { client } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "Shop", url: "https://x.example", sourceType: "generic" });
    await client.notifications.cancelMany.mutate({ siteId: site.id, due: true });
    const [entry] = (await client.audit.list.query()).items;
    expect(entry).toMatchObject({ subjectName: "0", siteName: "Shop", operation: { kind: "cancel", about: null } });
    expect(entry?.changes).toEqual([{ member: "paused", kept: "values", after: true }]);
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
      from generate_series(1, 5000::bigint) n`;
    await admin.owner`analyze audit_entry`;
    const plan = await admin.sql<{ "QUERY PLAN": { Plan: { "Actual Rows": number; Plans?: unknown[] } }[] }[]>`
      explain (analyze, format json) select id from audit_entry
      where account_id = ${accountId} and lower(actor) = lower('RARE@example.com') order by id desc limit 51`;
    expect(JSON.stringify(plan)).toContain("audit_entry_actor");
    expect(JSON.stringify(plan)).not.toContain("Seq Scan");
    expect((await owner.client.audit.list.query({ actor: "rare@example.com" })).items).toHaveLength(1);
  });
});

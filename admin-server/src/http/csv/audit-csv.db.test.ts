import { insertAuditEntry } from "shared/db/audit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMember } from "../../../../test/support/admin/add-member.ts";
import { idAt } from "../../../../test/support/admin/log-rows.ts";
import { openAdmin, type OpenAdmin } from "../../../../test/support/admin/open-admin.ts";

describe("GET /export/audit.csv", () => {
  let admin: OpenAdmin;
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  beforeAll(async () => {
    admin = await openAdmin();
    owner = await admin.signUp("ann@example.com");
  });
  afterAll(async () => admin[Symbol.asyncDispose]());
  const get = (query = "", headers: Record<string, string> = { authorization: `Bearer ${owner.token}` }) =>
    admin.fetch(`/export/audit.csv${query}`, { headers });

  it("is the list as a file", async () => {
    const { items } = await owner.client.audit.list.query();
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const [item] = items;
    expect(await answer.text()).toBe(
      `time,actor,token,action,subject,address\n${item?.createdAt},ann@example.com,,auth.signUp,${owner.user.id},127.0.0.1\n`,
    );
  });

  it("takes the list's filters, and is all of it however long it is", async () => {
    const { client, token, email } = await admin.signUp();
    const accountId = (await client.auth.me.query()).account.id;
    await admin.sql`
      insert into audit_entry (id, account_id, actor, action)
      select encode(substring(uuid_send(uuid_at(timestamptz '2026-01-01' + n * interval '1 minute')) for 8) || int8send(n), 'hex')::uuid,
        ${accountId}, 'often@example.com', 'sites.update' from generate_series(1, 1500::bigint) n`;
    const lines = async (query: string) =>
      (await (await get(query, { authorization: `Bearer ${token}` })).text()).trimEnd().split("\n").slice(1);
    expect(new Set(await lines("")).size).toBe(1501);
    expect(await lines("?actor=OFTEN@example.com&action=sites.update")).toHaveLength(1500);
    expect(await lines("?from=2026-01-01T00:01:00Z&to=2026-01-01T00:03:00Z")).toHaveLength(3);
    expect(await lines(`?actor=${email}&action=&from=&to=`)).toHaveLength(1);
    expect(await lines("?to=2025-12-31")).toEqual([]);
  });

  it("runs nothing in a spreadsheet", async () => {
    const { client, token } = await admin.signUp();
    const account_id = (await client.auth.me.query()).account.id;
    const entry = { actor_id: null, token_id: null, action: "sites.update", subject: null, address: null };
    await insertAuditEntry(admin.sql, { ...entry, id: idAt(Date.now()), account_id, actor: '=cmd|"/c calc"!A1' });
    const text = await (await get("", { authorization: `Bearer ${token}` })).text();
    expect(text).toContain(`"'=cmd|""/c calc""!A1"`);
  });

  it("is for owners, by cookie or token, and not for other pages", async () => {
    const operator = await addMember(admin, owner.client, "operator", "op@example.com");
    const cookie = { cookie: `tidings_session=${owner.token}` };
    const statuses = [
      await get("", {}),
      await get("", { authorization: "Bearer made-up" }),
      await get("", { authorization: `Bearer ${operator.token}` }),
      await get("", cookie),
      await get("", { ...cookie, origin: "https://evil.example" }),
      await get("", { ...cookie, "sec-fetch-site": "cross-site" }),
      await get("?from=yesterday"),
      await get("?actor=a&actor=b"),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 403, 200, 403, 403, 400, 400]);
    expect(await (await get("", {})).json()).toEqual({ error: "Sign in first" });
    const wrong = (await (await get("?from=yesterday")).json()) as { error: string };
    expect(wrong.error).toMatch(/^from: Must be a time/);
    expect((await admin.fetch("/export/other.csv", { headers: { authorization: `Bearer ${owner.token}` } })).status).toBe(404);
  });

  it("answers with the reason when the list cannot be read", async () => {
    await admin.sql`alter table audit_entry rename to audit_entry_gone`;
    try {
      const answer = await get();
      expect(answer.status).toBe(500);
      expect(await answer.json()).toEqual({ error: expect.stringContaining("Something went wrong") });
    } finally {
      await admin.sql`alter table audit_entry_gone rename to audit_entry`;
    }
  });
});

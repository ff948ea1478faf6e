import type { JsonObject } from "shared/core/json";
import type { OptOutScope } from "shared/core/message";
import type { VariableMap } from "shared/core/variables";
import { recordOptOuts } from "shared/db/opt-out";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBoundShop } from "../../../../test/support/admin/bound-shop.ts";
import { openResources, type OpenResources } from "../../../../test/support/admin/open-resources.ts";

let resources: OpenResources;
beforeAll(async () => {
  resources = await openResources();
});
afterAll(() => resources[Symbol.asyncDispose]());

const openShop = () => openBoundShop(resources);

describe("bindings.preview", () => {
  const payload: JsonObject = {
    customer: { first_name: "Ada", last_name: "Lovelace", phone_e164: "+491701234567" },
    order: { id: "A-7", number: "1007", tracking_number: "DHL 1/2" },
  };

  test("shows what would be sent, to whom and how it reads", async () => {
    const { api, base } = await openShop();
    const preview = await api.bindings.preview({ ...base, payload });
    expect(preview).toMatchObject({
      recipients: ["+491701234567"],
      slots: { header: ["1007"], body: ["Ada Lovelace", "A-7"], buttonUrl: ["DHL 1/2"] },
      resolved: true,
    });
    expect(preview.text).toBe(
      "Order 1007\n\nHello Ada Lovelace, your order A-7 is on its way.\n\nExample Shop\n\n[Track] https://shop.example/t/DHL%201/2",
    );
  });

  test("shows values as mapped, and the text as it is cleaned for sending", async () => {
    const { api, base } = await openShop();
    const preview = await api.bindings.preview({
      ...base,
      payload: { ...payload, order: { ...(payload["order"] as JsonObject), id: " A\n7 " } },
    });
    expect(preview.slots.body[1]).toBe(" A\n7 ");
    expect(preview.text).toContain("your order A | 7 is on its way");
  });

  test("reads a payload's text without rounding its integers", async () => {
    const { api, base } = await openShop();
    const preview = await api.bindings.preview({
      ...base,
      payload: '{"order":{"id":12345678901234567890,"number":1,"tracking_number":"x"}}',
    });
    expect(preview.slots.body).toEqual(["there", "12345678901234567890"]);
    expect(preview).toMatchObject({
      recipients: [],
      resolved: false,
      reasons: [expect.stringContaining("customer.phone_e164"), expect.stringContaining("draft")],
    });
  });

  test("says which slots are empty and why, which phones are dropped, and what live would answer", async () => {
    const { api, accountId, templateId, base } = await openShop();
    const chatOf = async (changes: object) => (await api.bindings.preview({ ...base, payload, ...changes })).chat;
    const recipient = { strategy: "field_path", path: "customer.first_name" } as const;
    expect(await chatOf({})).toBe("skipped_no_config");
    await resources.sql`
      insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint)
      values (${accountId}, false, '1', '2', 'v25.0', 'x', 'x')`;
    expect(await chatOf({})).toBe("failed");
    await resources.sql`update template set status = 'approved' where id = ${templateId}`;
    expect(await chatOf({})).toBe("sent");
    expect(await api.bindings.preview({ ...base, recipient, payload: { customer: { first_name: "Ada" } } })).toMatchObject({
      chat: "skipped_no_phone",
      dropped: ["Ada"],
      unresolved: [
        "header {{1}}: order.number is missing",
        "body {{2}}: order.id is missing",
        "button_url {{1}}: order.tracking_number is missing",
      ],
    });
  });

  test("names the recipients who have opted out, to whoever sees phones", async () => {
    const { api, as, accountId, siteId, templateId, base } = await openShop();
    const { sql } = resources;
    await sql`
      insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint)
      values (${accountId}, false, '1', '2', 'v25.0', 'x', 'x')`;
    await sql`update template set status = 'approved' where id = ${templateId}`;
    const [ad, all, willing] = ["+491701111111", "+491702222222", "+491703333333"] as const;
    for (const phone of [ad, all, willing]) await api.recipients.add({ siteId, phone });
    const word = (phone: string, scope: OptOutScope) =>
      ({ phone, scope, source: "callback", code: null, active: true, at: new Date() }) as const;
    await recordOptOuts(sql, resources.vault, accountId, [word(ad, "marketing"), word(all, "all")]);
    const input = { ...base, recipient: { strategy: "site_recipients" } as const, payload };
    expect(await api.bindings.preview(input)).toMatchObject({ recipients: [ad, all, willing], optedOut: [all], chat: "partial" });
    await sql`update template set category = 'MARKETING' where id = ${templateId}`;
    expect((await api.bindings.preview(input)).optedOut).toEqual([ad, all]);
    expect(await api.bindings.preview({ ...base, payload })).toMatchObject({ optedOut: [], chat: "sent" });
    const chosen = { ...input, recipient: { strategy: "static_phone", phone: all } as const };
    expect(await api.bindings.preview(chosen)).toMatchObject({ optedOut: [all], chat: "failed" });
    expect(await as("viewer").bindings.preview(chosen)).toMatchObject({ optedOut: null, chat: "sent" });
  });

  test("sees own keys only, __proto__ among them", async () => {
    const { api, base } = await openShop();
    const map: VariableMap = {
      body: { "1": { source: "field", path: "__proto__.name" }, "2": { source: "field", path: "constructor.name", fallback: "none" } },
    };
    const preview = await api.bindings.preview({
      ...base,
      variableMap: map,
      payload: JSON.parse('{"__proto__":{"name":"own"}}') as JsonObject,
    });
    expect(preview.slots.body).toEqual(["own", "none"]);
  });

  test("sends a test event to the site's test phone", async () => {
    const { api, base } = await openShop();
    expect((await api.bindings.preview({ ...base, payload: { ...payload, test: true } })).recipients).toEqual(["+491700000000"]);
  });

  test("addresses the site's active phones", async () => {
    const { api, siteId, base } = await openShop();
    await api.recipients.add({ siteId, phone: "+491701111111" });
    await api.recipients.add({ siteId, phone: "+491702222222", active: false });
    await api.recipients.add({ siteId, phone: "+491703333333" });
    const preview = await api.bindings.preview({ ...base, recipient: { strategy: "site_recipients" }, payload });
    expect(preview.recipients).toEqual(["+491701111111", "+491703333333"]);
  });

  test("tells the day in the account's time zone", async () => {
    const { api, accountId, base } = await openShop();
    await resources.sql`update account set timezone = 'Pacific/Kiritimati' where id = ${accountId}`;
    const map: VariableMap = { body: { "1": { source: "expression", expr: "date.today" } } };
    const before = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Kiritimati" }).format(new Date());
    const preview = await api.bindings.preview({ ...base, variableMap: map, payload });
    const after = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Kiritimati" }).format(new Date());
    expect([before, after]).toContain(preview.slots.body[0]);
  });

  test.each(["[]", "nonsense", "", '"text"', "null"])("refuses the payload %j", async (wrong) => {
    const { api, base } = await openShop();
    await expect(api.bindings.preview({ ...base, payload: wrong })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      cause: { issues: [{ path: ["payload"] }] },
    });
  });

  test.each([[[]], [7], [null], [undefined]])("refuses the payload %j, which is no object", async (wrong) => {
    const { api, base } = await openShop();
    await expect(api.bindings.preview({ ...base, payload: wrong as unknown as JsonObject })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

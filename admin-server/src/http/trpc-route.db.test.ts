import { afterAll, beforeAll, expect, test } from "vitest";
import { openAdmin, type OpenAdmin, refusal } from "../../../test/support/admin.ts";

let admin: OpenAdmin;
beforeAll(async () => {
  admin = await openAdmin();
});
afterAll(() => admin[Symbol.asyncDispose]());

const customer = { strategy: "customer" } as const;

async function openShop() {
  const { client, token } = await admin.signUp();
  const { site } = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const { template } = await client.templates.create.mutate({
    name: "order",
    language: "en",
    category: "UTILITY",
    body: "Hello {{1}}, all is well.",
    examples: { body: ["Ada"] },
  });
  return { client, token, siteId: site.id, templateId: template.id };
}

test("what the resources refuse names the field, over HTTP too", async () => {
  const { client, siteId, templateId } = await openShop();
  const binding = { siteId, event: "order.created", templateId, recipient: customer };
  const unknownSlot = { body: { "2": { source: "static" as const, value: "x" } } };
  expect(await refusal(client.bindings.create.mutate({ ...binding, variableMap: unknownSlot }))).toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringContaining("body.2"),
    issues: [{ path: ["variableMap"] }],
  });
  expect(await refusal(client.templates.update.mutate({ id: templateId, body: "{{1}} leads" }))).toMatchObject({
    code: "BAD_REQUEST",
    issues: [{ path: ["body"] }],
  });
  expect(await refusal(client.recipients.add.mutate({ siteId, phone: "0170" }))).toMatchObject({
    code: "BAD_REQUEST",
    issues: [{ path: ["phone"] }],
  });
  await client.bindings.create.mutate({ ...binding, variableMap: {} });
  expect(await refusal(client.templates.delete.mutate({ id: templateId }))).toMatchObject({ code: "CONFLICT" });
});

test("lists and syncs take no input at all, and a preview is also taken as POST, with a payload as large as an event", async () => {
  const { token, siteId, templateId } = await openShop();
  const headers = { authorization: `Bearer ${token}` };
  for (const list of ["sites.list", "templates.list", "bindings.list", "events.list", "notifications.list"]) {
    const answer = await admin.fetch(`/trpc/${list}`, { headers });
    expect([list, answer.status, await answer.json()]).toMatchObject([
      list,
      200,
      { result: { data: { items: expect.any(Array), nextCursor: null } } },
    ]);
  }
  expect((await admin.fetch("/trpc/templates.sync", { method: "POST", headers })).status).toBe(409);
  const payload = `{"customer":{"first_name":"${"A".repeat(1_000_000)}"},"order":{"id":12345678901234567890}}`;
  const variableMap = { body: { "1": { source: "field" as const, path: "order.id" } } };
  const input = { siteId, event: "order.created", templateId, recipient: customer, variableMap, payload };
  const preview = await admin.call("bindings.preview", input, headers);
  expect(await preview.json()).toMatchObject({ result: { data: { recipients: [], text: "Hello 12345678901234567890, all is well." } } });
});

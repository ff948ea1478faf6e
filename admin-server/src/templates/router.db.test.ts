import { describe, expect, test } from "vitest";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const draft = () => ({
  name: "order_shipped",
  language: "en_US",
  category: "UTILITY",
  header: { format: "TEXT" as const, text: "Order {{1}}" },
  body: "Hello {{1}}, your order {{2}} is on its way.",
  footer: "Example Shop",
  buttons: [
    { type: "URL" as const, text: "Track", url: "https://shop.example/t/{{1}}" },
    { type: "PHONE_NUMBER" as const, text: "Call", phone: "+491701234567" },
    { type: "QUICK_REPLY" as const, text: "Help" },
  ],
  examples: { header: ["1007"], body: ["Ada", "1007"], buttonUrl: ["abc"] },
});

const plain = (name: string, language = "en") => ({ name, language, category: "UTILITY", body: "All is well with your order." });

const setStatus = (id: string, status: string) => resources.sql`update template set status = ${status} where id = ${id}`;

const versionOf = async (accountId: string): Promise<number> => {
  const [row] = await resources.sql<[{ version: number }]>`select config_version::int as version from account where id = ${accountId}`;
  return row.version;
};

describe("templates.create", () => {
  test("stores a draft, and counts its slots", async () => {
    const { api } = await resources.account();
    const { template } = await api.templates.create(draft());
    expect(template).toEqual({
      ...draft(),
      id: template.id,
      platformId: null,
      status: "draft",
      reason: null,
      rejectedReason: null,
      requestedCategory: "UTILITY",
      upcomingCategory: null,
      quality: null,
      qualityAt: null,
      slots: { header: 1, body: 2, buttonUrl: 1 },
      slotNames: { header: ["1"], body: ["1", "2"], buttonUrl: ["1"] },
      warnings: [expect.stringContaining("desktops")],
      parameterFormat: "POSITIONAL",
      authentication: null,
      ttlSeconds: null,
      source: null,
      syncedAt: null,
      createdAt: template.createdAt,
      updatedAt: template.updatedAt,
    });
    expect((await api.templates.get({ id: template.id })).template).toEqual(template);
    expect((await api.templates.list()).items).toEqual([template]);
  });

  test("takes one with a body alone, and one with a media header", async () => {
    const { api } = await resources.account();
    expect((await api.templates.create(plain("a"))).template).toMatchObject(
      data<object>("admin-server-templates-router", "takes one with a body alone, and one with a medi"),
    );
    const header = { format: "IMAGE" as const, url: "https://shop.example/a.png" };
    expect((await api.templates.create({ ...plain("b"), header })).template.header).toEqual(header);
  });

  test.each(data<[string, object][]>("admin-server-templates-router", "refuses a wrong , and names the field:"))(
    "refuses a wrong %s, and names the field: %j",
    async (field, wrong) => {
      const { api } = await resources.account();
      const refused = await api.templates.create({ ...plain("order"), ...wrong } as ReturnType<typeof plain>).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ code: "BAD_REQUEST" });
      const { issues } = (refused as { cause: { issues: { path: PropertyKey[] }[] } }).cause;
      expect(issues.map(({ path }) => path[0])).toContain(field);
      expect((await api.templates.list()).items).toEqual([]);
    },
  );

  test("keeps no character that would break a search", async () => {
    const { api } = await resources.account();
    const { template } = await api.templates.create({ ...plain("order"), body: "All \u0000 is \ud800 well with it." });
    expect(template.body).toBe("All \ufffd is \ufffd well with it.");
    expect((await api.templates.list({ search: "well" })).items).toEqual([template]);
  });

  test("refuses a name and language that the account has, and takes another language", async () => {
    const { api } = await resources.account();
    await api.templates.create(plain("order"));
    await expect(api.templates.create(plain("order"))).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(api.templates.create(plain("order", "de"))).resolves.toBeDefined();
    await expect((await resources.account()).api.templates.create(plain("order"))).resolves.toBeDefined();
  });

  test("of many who create the same template at the same time one succeeds", async () => {
    const { api } = await resources.account();
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => api.templates.create(plain("order"))));
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(results.flatMap((result) => (result.status === "rejected" ? [(result.reason as { code: string }).code] : []))).toEqual(
      Array(3).fill("CONFLICT"),
    );
  });
});

describe("templates.update", () => {
  test("changes what is named, null clears, and the rules hold for what comes of it", async () => {
    const { api, accountId } = await resources.account();
    const { template } = await api.templates.create(draft());
    const before = await versionOf(accountId);
    const { template: changed } = await api.templates.update({
      id: template.id,
      footer: null,
      buttons: null,
      examples: { header: ["1"], body: ["Ada", "1"] },
    });
    expect(changed).toEqual({
      ...template,
      footer: null,
      buttons: [],
      examples: { header: ["1"], body: ["Ada", "1"], buttonUrl: [] },
      slots: { header: 1, body: 2, buttonUrl: 0 },
      slotNames: { header: ["1"], body: ["1", "2"], buttonUrl: [] },
      warnings: [],
      updatedAt: changed.updatedAt,
    });
    expect(await versionOf(accountId)).toBeGreaterThan(before);
    await expect(
      api.templates.update({ id: template.id, body: "Hello {{1}}, {{2}} and {{3}} are on their way to you.", examples: { body: ["Ada"] } }),
    ).rejects.toMatchObject({
      code: "BAD_REQUEST",
      cause: { issues: expect.arrayContaining([expect.objectContaining({ path: ["examples", "body"] })]) },
    });
    expect((await api.templates.get({ id: template.id })).template).toEqual(changed);
  });

  test("of the texts alone keeps the examples that still fit", async () => {
    const { api } = await resources.account();
    const { template } = await api.templates.create(draft());
    const { id, examples } = template;
    expect((await api.templates.update({ id, buttons: null })).template.examples).toEqual({ ...examples, buttonUrl: [] });
    const longer = "Hello {{1}}, {{2}} and {{3}} are on their way to you.";
    expect((await api.templates.update({ id, body: longer })).template.examples).toEqual({
      header: examples.header,
      body: [],
      buttonUrl: [],
    });
  });

  test("gives a draft another name, but not one that is taken", async () => {
    const { api } = await resources.account();
    await api.templates.create(plain("taken"));
    const { template } = await api.templates.create(plain("order"));
    expect((await api.templates.update({ id: template.id, name: "order_2", language: "de" })).template).toMatchObject({
      name: "order_2",
      language: "de",
    });
    await expect(api.templates.update({ id: template.id, name: "taken", language: "en" })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test.each(["pending", "approved", "paused", "disabled"])("refuses one that is %s", async (status) => {
    const { api } = await resources.account();
    const { template } = await api.templates.create(plain("order"));
    await setStatus(template.id, status);
    await expect(api.templates.update({ id: template.id, body: "Another text for it." })).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(api.templates.submit({ id: template.id })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining(status),
    });
  });

  test("takes one that was rejected, but keeps the name that the platform knows", async () => {
    const { api } = await resources.account();
    const { template } = await api.templates.create(plain("order"));
    await resources.sql`update template set status = 'rejected', platform_id = '7' where id = ${template.id}`;
    expect((await api.templates.update({ id: template.id, body: "Another text for it." })).template).toMatchObject({
      status: "rejected",
      body: "Another text for it.",
    });
    await expect(api.templates.update({ id: template.id, name: "order_2" })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("leaves one alone that was made elsewhere with parts unknown here", async () => {
    const { api } = await resources.account();
    const { template } = await api.templates.create(plain("order"));
    await resources.sql`update template set status = 'rejected', definition = jsonb_set(definition::jsonb, '{header}', '{"format":"OTHER","type":"LOCATION"}')::json
      where id = ${template.id}`;
    expect((await api.templates.get({ id: template.id })).template.header).toEqual({ format: "OTHER", type: "LOCATION" });
    await expect(api.templates.update({ id: template.id, body: "Another text for it." })).rejects.toMatchObject({ code: "CONFLICT" });
  });
});

test("without a platform account nothing can be submitted or synced, but drafts are deleted", async () => {
  const { api } = await resources.account();
  const { template } = await api.templates.create(plain("order"));
  await expect(api.templates.submit({ id: template.id })).rejects.toMatchObject({ code: "CONFLICT" });
  await expect(api.templates.sync()).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await api.templates.delete({ id: template.id })).toEqual({ id: template.id });
  await expect(api.templates.get({ id: template.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

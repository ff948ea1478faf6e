import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addSite } from "../../../../test/support/admin/bound-shop.ts";
import type { ResourceCaller } from "../../../../test/support/admin/open-resources.ts";
import { refusal } from "../../../../test/support/admin/template-platform.ts";
import { listed, startTemplateShop, type TemplateShop } from "../../../../test/support/admin/template-shop.ts";

let shop: TemplateShop;
let api: ResourceCaller;
beforeAll(async () => {
  shop = await startTemplateShop();
});
beforeEach(async () => {
  ({ api } = await shop.open());
});
afterAll(() => shop[Symbol.asyncDispose]());

const all = async () => (await api.templates.list()).items;

async function bind(templateId: string): Promise<void> {
  const siteId = await addSite(api);
  await api.bindings.create({ siteId, event: "a", templateId, recipient: { strategy: "customer" }, variableMap: {} });
}

describe("templates.delete", () => {
  test("deletes this language here and on the platform", async () => {
    shop.platform.templates = [listed("1", "one"), listed("2", "one", { language: "de" })];
    await api.templates.sync();
    const english = (await all()).find((template) => template.language === "en");
    expect(await api.templates.delete({ id: english?.id ?? "" })).toEqual({ id: english?.id });
    expect(shop.platform.templates.map((template) => template.language)).toEqual(["de"]);
    expect((await all()).map((template) => template.language)).toEqual(["de"]);
  });

  test("is refused while a binding sends it, and the platform is not asked", async () => {
    shop.platform.templates = [listed("1", "one")];
    await api.templates.sync();
    const [one] = await all();
    await bind(one?.id ?? "");
    await expect(api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("binding"),
    });
    expect(shop.platform.changes).toEqual([]);
    expect(await all()).toEqual([one]);
  });

  test("says what is left when a binding came in between", async () => {
    shop.platform.templates = [listed("1", "one")];
    await api.templates.sync();
    const [one] = await all();
    shop.platform.intercept(async () => {
      await bind(one?.id ?? "");
      return { json: { success: true } };
    });
    await expect(api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await all()).toMatchObject([{ id: one?.id, status: "disabled", reason: expect.stringContaining("deleted") }]);
  });

  test("goes through when it was deleted in the platform's manager already", async () => {
    shop.platform.templates = [listed("1", "one")];
    await api.templates.sync();
    shop.platform.templates = [];
    const [one] = await all();
    expect(await api.templates.delete({ id: one?.id ?? "" })).toEqual({ id: one?.id });
    expect(await all()).toEqual([]);
  });

  test("hands a refusal on in the platform's words, and the template stays", async () => {
    shop.platform.templates = [listed("1", "one")];
    await api.templates.sync();
    const [one] = await all();
    shop.platform.intercept(() => refusal(2388039, "It cannot be deleted in this state."));
    await expect(api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("It cannot be deleted in this state."),
    });
    expect(await all()).toEqual([one]);
  });
});

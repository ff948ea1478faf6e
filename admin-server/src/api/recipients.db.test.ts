import { newId } from "shared/db/ids";
import { describe, expect, test } from "vitest";
import { addSite } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

async function openShop() {
  const { api } = await resources.account();
  return { api, siteId: await addSite(api) };
}

const phone = (n: number): string => `+49170${String(n).padStart(7, "0")}`;

const fill = async (siteId: string, count: number): Promise<void> => {
  const rows = Array.from({ length: count }, (_, n) => ({ id: newId(), site_id: siteId, phone: phone(n) }));
  await resources.sql`insert into site_recipient ${resources.sql(rows)}`;
};

const versionOf = async (siteId: string): Promise<number> => {
  const [row] = await resources.sql<[{ version: number }]>`select config_version::int as version from site where id = ${siteId}`;
  return row.version;
};

const activeCount = async (siteId: string): Promise<number> => {
  const rows = await resources.sql`select id from site_recipient where site_id = ${siteId} and active`;
  return rows.length;
};

describe("recipients.add", () => {
  test("adds an active phone without a label, and tells the gateways", async () => {
    const { api, siteId } = await openShop();
    const before = await versionOf(siteId);
    const { recipient } = await api.recipients.add({ siteId, phone: "+491701234567" });
    expect(recipient).toMatchObject({ siteId, phone: "+491701234567", label: "", active: true });
    expect((await api.recipients.list({ siteId })).items).toEqual([recipient]);
    expect(await versionOf(siteId)).toBeGreaterThan(before);
  });

  test.each([true, false])("refuses a phone that the list has, active or not (%s)", async (active) => {
    const { api, siteId } = await openShop();
    await api.recipients.add({ siteId, phone: phone(1), active });
    await expect(api.recipients.add({ siteId, phone: phone(1) })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining(phone(1)),
    });
    const other = await addSite(api);
    await expect(api.recipients.add({ siteId: other, phone: phone(1) })).resolves.toBeDefined();
  });

  test("of two who add the same phone at the same time one is refused", async () => {
    const { api, siteId } = await openShop();
    const results = await Promise.allSettled([1, 2].map(() => api.recipients.add({ siteId, phone: phone(1) })));
    expect(results.map((result) => result.status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(results.find((result) => result.status === "rejected")?.reason).toMatchObject({ code: "CONFLICT" });
  });
});

describe("the limit of 200 active phones", () => {
  test("holds against adding, activating and moving in, and not for inactive ones", async () => {
    const { api, siteId } = await openShop();
    await fill(siteId, 200);
    await expect(api.recipients.add({ siteId, phone: phone(900) })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("200"),
    });
    const { recipient: spare } = await api.recipients.add({ siteId, phone: phone(900), active: false });
    await expect(api.recipients.update({ id: spare.id, active: true })).rejects.toMatchObject({ code: "CONFLICT" });
    const { recipient: elsewhere } = await api.recipients.add({ siteId: await addSite(api), phone: phone(901) });
    await expect(api.recipients.update({ id: elsewhere.id, siteId })).rejects.toMatchObject({ code: "CONFLICT" });

    const [first] = (await api.recipients.list({ siteId, limit: 2 })).items.filter((item) => item.active);
    expect((await api.recipients.update({ id: first?.id ?? "", label: "still active" })).recipient.active).toBe(true);
    await api.recipients.update({ id: first?.id ?? "", active: false });
    expect((await api.recipients.update({ id: spare.id, active: true })).recipient.active).toBe(true);
    expect(await activeCount(siteId)).toBe(200);
  });

  test("holds when many add the last phone at the same time", async () => {
    const { api, siteId } = await openShop();
    await fill(siteId, 199);
    const results = await Promise.allSettled([1, 2, 3, 4].map((n) => api.recipients.add({ siteId, phone: phone(1000 + n) })));
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(results.flatMap((result) => (result.status === "rejected" ? [(result.reason as { code: string }).code] : []))).toEqual(
      Array(3).fill("CONFLICT"),
    );
    expect(await activeCount(siteId)).toBe(200);
  });
});

describe("recipients.update", () => {
  test("changes what is named, and null clears the label", async () => {
    const { api, siteId } = await openShop();
    const { recipient } = await api.recipients.add({ siteId, phone: phone(1), label: "Ada" });
    expect((await api.recipients.update({ id: recipient.id })).recipient).toEqual(recipient);
    expect((await api.recipients.update({ id: recipient.id, phone: phone(2), active: false })).recipient).toMatchObject({
      phone: phone(2),
      label: "Ada",
      active: false,
    });
    expect((await api.recipients.update({ id: recipient.id, label: null })).recipient.label).toBe("");
    expect((await api.recipients.list({ siteId })).items).toMatchObject([
      { id: recipient.id, siteId, phone: phone(2), active: false, label: "" },
    ]);
  });

  test("refuses a phone that the list has", async () => {
    const { api, siteId } = await openShop();
    await api.recipients.add({ siteId, phone: phone(1) });
    const { recipient } = await api.recipients.add({ siteId, phone: phone(2) });
    await expect(api.recipients.update({ id: recipient.id, phone: phone(1) })).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await api.recipients.list({ siteId })).items.map((item) => item.phone)).toEqual([phone(2), phone(1)]);
  });

  test("moves to another site of the account, and both sites' gateways learn it", async () => {
    const { api, siteId } = await openShop();
    const target = await addSite(api);
    const { recipient } = await api.recipients.add({ siteId, phone: phone(1) });
    const [fromVersion, toVersion] = [await versionOf(siteId), await versionOf(target)];
    expect((await api.recipients.update({ id: recipient.id, siteId: target })).recipient).toMatchObject({
      id: recipient.id,
      siteId: target,
      phone: phone(1),
    });
    expect(await versionOf(siteId)).toBeGreaterThan(fromVersion);
    expect(await versionOf(target)).toBeGreaterThan(toVersion);
  });

  test("two who move phones crosswise do not lock each other out", async () => {
    const { api, siteId: a } = await openShop();
    const b = await addSite(api);
    const { recipient: one } = await api.recipients.add({ siteId: a, phone: phone(1) });
    const { recipient: two } = await api.recipients.add({ siteId: b, phone: phone(2) });
    for (let round = 0; round < 5; round += 1) {
      const [from, to] = round % 2 === 0 ? [b, a] : [a, b];
      await Promise.all([api.recipients.update({ id: one.id, siteId: from }), api.recipients.update({ id: two.id, siteId: to })]);
    }
    expect((await api.recipients.list({ siteId: b })).items.map((item) => item.id)).toEqual([one.id]);
    expect((await api.recipients.list({ siteId: a })).items.map((item) => item.id)).toEqual([two.id]);
  });
});

test("recipients.remove takes the phone off the list", async () => {
  const { api, siteId } = await openShop();
  const { recipient } = await api.recipients.add({ siteId, phone: phone(1) });
  const before = await versionOf(siteId);
  expect(await api.recipients.remove({ id: recipient.id })).toEqual({ id: recipient.id });
  expect((await api.recipients.list({ siteId })).items).toEqual([]);
  expect(await versionOf(siteId)).toBeGreaterThan(before);
  await expect(api.recipients.remove({ id: recipient.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

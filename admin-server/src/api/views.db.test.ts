import { describe, expect, test } from "vitest";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const failed = { list: "log", name: "Failed", filter: { status: "failed", event: "Order.Paid", period: "week" } } as const;

describe("views", () => {
  test("are the whole account's, list by list, and change name and filter apart", async () => {
    const { api, as, accountId } = await resources.account();
    const { view } = await api.views.create(failed);
    const { views } = as("viewer");
    expect(view).toMatchObject({ list: "log", name: "Failed", filter: { status: "failed", event: "order.paid", period: "week" } });
    expect(await views.list({ list: "log" })).toEqual({ items: [view], nextCursor: null });
    expect((await views.list({ list: "events" })).items).toEqual([]);
    const renamed = { ...view, name: "Failed, all", updatedAt: expect.any(String) };
    expect((await api.views.update({ id: view.id, name: " Failed, all " })).view).toEqual(renamed);
    const changed = { ...renamed, filter: { errorCode: "131026" } };
    expect((await api.views.update({ id: view.id, filter: { errorCode: "131026" } })).view).toEqual(changed);
    expect((await views.list()).items).toEqual([changed]);
    await resources.sql`delete from app_user where id in (select user_id from membership where account_id = ${accountId})`;
    expect((await views.list()).items).toEqual([{ ...changed, createdBy: null }]);
    expect((await (await resources.account()).api.views.list()).items).toEqual([]);
  });

  test("have a name of their own in their list, whatever its case", async () => {
    const { api } = await resources.account();
    const { view } = await api.views.create(failed);
    const tries = await Promise.allSettled([api.views.create({ ...failed, name: "Late" }), api.views.create({ ...failed, name: "late" })]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(api.views.update({ id: view.id, name: "LATE" })).rejects.toMatchObject({ code: "CONFLICT" });
    await api.views.update({ id: view.id, name: "FAILED" });
    await api.views.create({ list: "events", name: "Failed", filter: { outcome: "failed", siteMode: "test" } });
  });

  test("are at most fifty a list", async () => {
    const { api, accountId } = await resources.account();
    await resources.sql`
      insert into saved_view (id, account_id, list, name, filter)
      select gen_random_uuid(), ${accountId}, 'log', 'View ' || n, '{"status":"failed"}' from generate_series(1, 49) n`;
    const names = ["A", "B", "C"];
    const tries = await Promise.allSettled(names.map((name) => api.views.create({ ...failed, name })));
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
    await expect(api.views.create({ ...failed, name: "D" })).rejects.toThrow("A list has at most 50 views: delete one that is not used");
    await api.views.create({ ...failed, list: "webhooks", filter: { status: "pending", type: "message.sent" } });
    await api.views.create({ ...failed, list: "templates", filter: { status: "rejected", search: "order" } });
  });

  test.each(data<[what: string, filter: object, says: string][]>("admin-server-api-views", "hold no"))(
    "hold no %s",
    async (_what, filter, says) => {
      const { api } = await resources.account();
      const made = api.views.create({ list: "log", name: "A", filter });
      await expect(made).rejects.toMatchObject({ code: "BAD_REQUEST" });
      await expect(made).rejects.toThrow(says);
      const { view } = await api.views.create(failed);
      await expect(api.views.update({ id: view.id, filter })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    },
  );

  test.each(["", "two\nlines", "x".repeat(61)])("are not called %j", async (name) => {
    const { api } = await resources.account();
    await expect(api.views.create({ ...failed, name })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      cause: { issues: [{ path: ["name"] }] },
    });
  });
});

import { expect, test } from "vitest";
import { insertEvent, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const draft = { name: "order_shipped", language: "en_US", category: "UTILITY" };

test("a draft is checked without being stored, and a mend applied by its patch takes the problem away", async () => {
  const { api } = await resources.account("viewer");
  const input = {
    ...draft,
    body: "Hello {{1}}, your discount for {{3}} is waiting for you here.",
    examples: { body: ["Anna", "10042", "x"] },
  };
  const { problems } = await api.templates.check(input);
  expect(problems).toMatchObject(
    data<object>("admin-server-templates-advice", "a draft is checked without being stored, and a mend applied"),
  );
  const again = { ...input, ...problems[0]?.mend?.patch, ...problems[1]?.mend?.patch };
  expect(await api.templates.check(again)).toEqual({ problems: [] });
  expect((await api.templates.list()).items).toEqual([]);
});

test("examples are what a binding of the template had from earlier events, but nothing that may be a person's", async () => {
  const { api, as, siteId, base } = await openBoundShop(resources);
  const field = (path: string) => ({ source: "field" as const, path });
  await api.bindings.create({ ...base, variableMap: { body: { "1": field("customer.first_name"), "2": field("order.number") } } });
  const payload = JSON.stringify({ customer: { first_name: "Katharina" }, order: { number: "SO-7781" } });
  await insertEvent(resources.sql, siteId, { name: base.event, payload });
  await as("viewer").events.fields({ siteId, event: base.event });
  const input = { ...draft, body: "Hello {{1}}, your order {{2}} is on its way to you." };
  const { problems } = await as("viewer").templates.check(input);
  expect(problems).toMatchObject([{ code: "examples_missing", mend: { patch: { examples: { body: ["Anna", "SO-7781"] } } } }]);
  const other = await resources.account();
  expect(JSON.stringify(await other.api.templates.check(input))).not.toContain("SO-7781");
});

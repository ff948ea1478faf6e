import { describe, expect, it } from "vitest";
import { data } from "../support/data.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";
import { openTemplateWorld } from "./template-world.ts";

const world = shared(openTemplateWorld);

const draft = (name: string) => ({
  name,
  language: "en_US",
  category: "UTILITY",
  body: "Hello {{1}}, your order {{2}} is on its way.",
  examples: { body: ["Ada", "10042"] },
});
const variableMap = {
  body: { "1": { source: "field" as const, path: "customer.first_name" }, "2": { source: "field" as const, path: "order.id" } },
};
const platformDoes = async (id: string, change: object): Promise<void> => {
  const { template } = await world.templates.get.query({ id });
  expect((await world.sandbox.call("PATCH", `/_sandbox/templates/${template.platformId}`, change, null)).status).toBe(200);
};
const submit = async (name: string): Promise<string> => {
  const { template } = await world.templates.create.mutate(draft(name));
  await world.templates.submit.mutate({ id: template.id });
  return template.id;
};
describe("a template's life, told by callbacks alone", () => {
  it("is approved, paused, judged anew and disabled, and each stands in its history", async () => {
    const id = await submit("order_shipped");
    expect(await world.until(id, "approved")).toMatchObject({ category: "UTILITY", requestedCategory: "UTILITY", reason: null });
    const bindingId = await world.bind("order.shipped", id, variableMap);
    expect((await world.post("order.shipped")).json).toMatchObject({ chat: "sent" });
    await platformDoes(id, { quality: "RED" });
    await waitFor("the quality", async () => (await world.templates.get.query({ id })).template.quality === "RED");
    await platformDoes(id, { status: "PAUSED" });
    expect(await world.until(id, "paused")).toMatchObject({ reason: expect.stringContaining("FIRST_PAUSE"), quality: "RED" });
    const { binding } = await world.admin.client.bindings.get.query({ id: bindingId });
    expect(binding.problems).toEqual(["WhatsApp has paused the template."]);
    const refused = await world.post("order.shipped");
    expect(refused.json).toMatchObject({ chat: "failed", recipients_failed: 1 });
    const [failed] = (await world.admin.client.notifications.list.query({ eventId: String(refused.json["event_id"]) })).items;
    expect(failed).toMatchObject({ status: "failed", errorCode: "template_not_approved", waMessageId: null });
    await platformDoes(id, { status: "DISABLED" });
    await world.until(id, "disabled");
    const { history } = await world.templates.get.query({ id });
    // The approval may overtake the answer to the submission: then "pending" is never seen.
    const seen = history.map(({ to, source }) => `${to} by ${source}`).filter((change) => change !== "pending by submit");
    expect(seen).toEqual(["disabled by callback", "paused by callback", "approved by callback", "draft by create"]);
    expect(history[0]).toMatchObject({ from: "paused", to: "disabled", at: expect.stringMatching(/Z$/) });
  });

  it("is filed by the platform under a category of its own", async () => {
    const id = await submit("promo_of_the_week");
    await world.until(id, "approved");
    const { items } = await world.templates.list.query({ search: "promo_of_the_week" });
    expect(items).toMatchObject([{ category: "MARKETING", requestedCategory: "UTILITY" }]);
    const other = (await world.templates.create.mutate({ ...draft("promo_of_the_week"), language: "de" })).template;
    await expect(world.templates.submit.mutate({ id: other.id })).rejects.toThrow(
      /category: must be MARKETING, because promo_of_the_week in en_US is/,
    );
  });

  it("is rejected with the reason, corrected and submitted again", async () => {
    const id = await submit("reject_once_scam");
    expect(await world.until(id, "rejected")).toMatchObject({ reason: "SCAM" });
    await world.templates.update.mutate({ id, body: "Dear {{1}}, your order {{2}} has arrived." });
    await world.templates.submit.mutate({ id });
    await waitFor("the second decision", async () => {
      await world.templates.sync.mutate();
      return (await world.templates.get.query({ id })).template.status === "rejected";
    });
    const { template } = await world.templates.get.query({ id });
    expect(template).toMatchObject({ reason: "SCAM", body: "Dear {{1}}, your order {{2}} has arrived." });
  });

  it("and deleted, after which its name is locked for a while and the platform says so", async () => {
    const id = await submit("short_lived");
    await world.until(id, "approved");
    await world.templates.delete.mutate({ id });
    await expect(world.templates.get.query({ id })).rejects.toThrow(/no such template/);
    await expect(submit("short_lived")).rejects.toThrow(/content is being deleted. Try again in 4 weeks.* Use another name/s);
  });
});

describe("templates that were made elsewhere", () => {
  it("with named variables are synced and sent, their slots addressed by position", async () => {
    const components = data<{ type: string }[]>("test-e2e-template-life", "named variables");
    const made = { name: "named_order", language: "en_US", category: "UTILITY", parameter_format: "NAMED", components };
    expect((await world.sandbox.call("POST", `/${world.sandbox.account.wabaId}/message_templates`, made)).status).toBe(200);
    await world.templates.sync.mutate();
    const [template] = (await world.templates.list.query({ search: "named_order" })).items;
    expect(template).toMatchObject(data<object>("test-e2e-template-life", "with named variables are synced and sent, their"));
    const [number, name] = [
      { source: "field" as const, path: "order.id" },
      { source: "field" as const, path: "customer.first_name" },
    ];
    const bindingId = await world.bind("named.order", template?.id ?? "", { header: { "1": name }, body: { "1": number, "2": name } });
    expect((await world.post("named.order")).json).toMatchObject({ chat: "sent" });
    expect((await world.messages())[0]).toMatchObject({
      template: "named_order",
      text: expect.stringContaining("Order 10042 of Ada: 10042 is here."),
    });

    // Somebody turns the sentence round in the platform's manager: the first slot has another meaning now.
    const turned = components.map((component) =>
      component.type === "BODY" ? { ...component, text: "To {{first_name}}: {{order_no}} is here." } : component,
    );
    await world.sandbox.call("POST", `/${template?.platformId}`, { components: turned, parameter_format: "NAMED" });
    const slotsSynced = async () => {
      await world.templates.sync.mutate();
      return (await world.until(template?.id ?? "", "approved")).slotNames.body;
    };
    await expect.poll(slotsSynced).toEqual(["first_name", "order_no"]);
    const { binding } = await world.admin.client.bindings.get.query({ id: bindingId });
    expect(binding.problems).toEqual([expect.stringMatching(/has changed since.*had \{\{order_no\}\}, \{\{first_name\}\}/)]);
    const { siteId, event, templateId, recipient, variableMap: map } = binding;
    const preview = await world.admin.client.bindings.preview.query({
      siteId,
      event,
      templateId,
      recipient,
      variableMap: map,
      payload: {},
    });
    expect(preview).toMatchObject({
      problems: binding.problems,
      reasons: expect.arrayContaining([expect.stringContaining("has changed since")]),
    });
    const refused = await world.post("named.order");
    const [failed] = (await world.admin.client.notifications.list.query({ eventId: String(refused.json["event_id"]) })).items;
    expect(failed).toMatchObject({ status: "failed", errorCode: "template_changed", waMessageId: null });

    await world.admin.client.bindings.update.mutate({
      id: bindingId,
      variableMap: { header: { "1": name }, body: { "1": name, "2": number } },
    });
    expect((await world.post("named.order")).json).toMatchObject({ chat: "sent" });
    expect((await world.messages())[0]).toMatchObject({ text: expect.stringContaining("To Ada: 10042 is here.") });
  });
});

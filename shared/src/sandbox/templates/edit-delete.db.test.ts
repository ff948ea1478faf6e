import { beforeEach, describe, expect, test } from "vitest";
import { addTemplate, errorOf, namesOf, openSandbox, orderMessage, orderTemplate } from "../../../../test/support/sandbox.ts";
import { shared } from "../../../../test/support/shared.ts";
import { waitFor } from "../../../../test/support/wait-for.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

const sandbox = shared(async () => openSandbox({ now: () => Date.now() + ahead }));
let ahead = 0;

beforeEach(() => {
  ahead = 0;
});

const components = [{ type: "BODY", text: "Another text." }];
const edit = async (id: string, change: object = { components }) => sandbox.call("POST", `/v25.0/${id}`, change);
const create = async (name: string, more: object = {}) =>
  sandbox.call("POST", `/${sandbox.account.wabaId}/message_templates`, { ...orderTemplate, name, ...more });
const remove = async (query: string) => sandbox.call("DELETE", `/v25.0/${sandbox.account.wabaId}/message_templates?${query}`);
const change = async (id: string, wishes: object) => sandbox.call("PATCH", `/_sandbox/templates/${id}`, wishes, null);

describe("edit", () => {
  test("replaces the components, is reviewed again and told", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "edited" });
    expect((await edit(id)).json).toEqual({ success: true });
    expect((await sandbox.call("GET", `/${id}`)).json).toMatchObject({ status: "APPROVED", components });
    expect((await sandbox.send("+491701234567", { name: "edited", language: { code: "en_US" } })).status).toBe(200);
    await waitFor("the update", () =>
      sandbox.receiver.updates("message_template_components_update").some((value) => value["message_template_element"] === "Another text."),
    );
  });

  test("an approved one once in 24 hours and ten times in 30 days", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "often" });
    expect((await edit(id)).status).toBe(200);
    expect(errorOf(await edit(id))["error_user_title"]).toBe("Edit limit reached");
    for (let times = 1; times < 10; times += 1) {
      ahead += day;
      expect((await edit(id)).status).toBe(200);
    }
    ahead += day;
    expect(errorOf(await edit(id))["error_user_title"]).toBe("Edit limit reached");
    ahead += 30 * day;
    expect((await edit(id)).status).toBe(200);
  });

  test("a rejected one as often as one likes, its category too", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "reject_often" });
    for (let times = 0; times < 3; times += 1) expect((await edit(id, { components, category: "MARKETING" })).status).toBe(200);
    expect((await sandbox.call("GET", `/${id}`)).json).toMatchObject({ status: "REJECTED", category: "MARKETING" });
  });

  test("not while in review: 2388039", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "pending_edit" });
    expect(errorOf(await edit(id))["error_subcode"]).toBe(2388039);
  });

  test("not the category of an approved one, and by the rules of a new one", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "kept" });
    expect(errorOf(await edit(id, { category: "MARKETING" }))["error_user_title"]).toBe("Category can't be changed");
    expect(
      errorOf(await edit(id, { components: [{ type: "BODY", text: "Ends in {{1}}", example: { body_text: [["x"]] } }] }))["error_subcode"],
    ).toBe(2388299);
  });

  test("another account's template is unknown", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "mine" });
    const { accessToken } = await sandbox.openAccount();
    expect(errorOf(await sandbox.call("POST", `/${id}`, { components }, accessToken))["error_subcode"]).toBe(33);
  });
});

describe("delete", () => {
  test("by name every language; the name is then locked for 30 days, told and gone", async () => {
    await create("gone");
    await create("gone", { language: "de" });
    expect((await remove("name=gone")).json).toEqual({ success: true });
    expect(namesOf(await sandbox.call("GET", `/${sandbox.account.wabaId}/message_templates?name=gone`))).toEqual([]);
    expect(errorOf(await sandbox.send("+491701234567", { ...orderMessage, name: "gone" }))["code"]).toBe(132001);
    await waitFor(
      "both updates",
      () =>
        sandbox.receiver
          .updates("message_template_status_update")
          .filter((value) => value["event"] === "DELETED" && value["reason"] === null).length >= 2,
    );
    ahead = 29 * day;
    expect(errorOf(await create("gone"))).toMatchObject({
      error_subcode: 2388023,
      error_user_title: "Message template language is being deleted",
      error_user_msg: expect.stringContaining(
        "New en_US content can't be added while the existing en_US content is being deleted. Try again in 4 weeks",
      ),
    });
    ahead = 31 * day;
    expect((await create("gone")).status).toBe(200);
  });

  test("deleting again starts the time anew", async () => {
    await create("again");
    await remove("name=again");
    ahead = 20 * day;
    expect((await remove("name=again")).status).toBe(200);
    ahead = 40 * day;
    expect(errorOf(await create("again"))["error_subcode"]).toBe(2388023);
  });

  test("one that never was approved is free again after a minute, also past a restart", async () => {
    await create("reject_gone");
    await remove("name=reject_gone");
    await sandbox.restart();
    expect(errorOf(await create("reject_gone"))["error_subcode"]).toBe(2388023);
    ahead = 60_000;
    expect((await create("reject_gone")).status).toBe(200);
  });

  test("by id and name one language", async () => {
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "single_lang" });
    await create("single_lang", { language: "de" });
    expect((await remove(`hsm_id=${id}&name=single_lang`)).status).toBe(200);
    const rest = await sandbox.call("GET", `/${sandbox.account.wabaId}/message_templates?name=single_lang&fields=language`);
    expect(rest.json).toMatchObject({ data: [{ language: "de" }] });
  });

  test("by ids all or nothing", async () => {
    const [a, b] = [
      await addTemplate(sandbox, { ...orderTemplate, name: "ids_a" }),
      await addTemplate(sandbox, { ...orderTemplate, name: "ids_b" }),
    ];
    expect((await remove(`hsm_ids=["${a}","1"]`)).status).toBe(400);
    expect((await remove(`hsm_ids=["${a}","${b}"]`)).status).toBe(200);
    expect(namesOf(await sandbox.call("GET", `/${sandbox.account.wabaId}/message_templates?name=ids_`))).toEqual([]);
  });

  test("not what is unknown, nor what is disabled", async () => {
    expect(errorOf(await remove("name=never_was"))["error_user_title"]).toBe("Message Template Not Found");
    expect(errorOf(await remove(""))["message"]).toBe("(#100) The parameter name is required.");
    const id = await addTemplate(sandbox, { ...orderTemplate, name: "disabled" });
    await change(id, { status: "DISABLED" });
    expect((await remove("name=disabled")).status).toBe(400);
  });
});

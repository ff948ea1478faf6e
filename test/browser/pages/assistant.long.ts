import { afterAll, beforeAll, expect, test } from "vitest";
import { goodDraft } from "../../support/assistant.ts";
import { type ModelServer, startModelServer } from "../../support/model-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { accessibilityProblems, lead, sidewaysScroll } from "../stack.ts";
import { describeInBrowser, detail } from "../support.ts";

const good = { answer: JSON.stringify(goodDraft) };

describeInBrowser("the assistant", (opened) => {
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModelServer("openai");
  });
  afterAll(async () => model?.[Symbol.asyncDispose]());

  const enter = async () => {
    const settings = { provider: "openai" as const, baseUrl: model.url, model: "m-1", apiKey: "sk-test-key-1234" };
    await opened().owner.client.settings.saveAssistant.mutate(settings);
  };

  detail("is off at first, with no button anywhere; an owner enters a provider, tries it, and switches it off", async () => {
    const { open, owner } = opened();
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/templates/new");
    await page.getByLabel("Name").waitFor();
    await lead(page, "/settings/assistant");
    await page.getByText("To begin, enter a provider above").waitFor();
    expect(await page.getByRole("button", { name: /assistant/iu }).count()).toBe(0);

    const form = page.getByRole("form", { name: "Provider" });
    await form.getByLabel("Base URL").fill("http://10.0.0.1/v1");
    await form.getByLabel("Model").fill("m 1");
    await form.getByLabel("Key", { exact: true }).fill("sk-test-key-1234");
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("Must be the model's name as the provider writes it").waitFor();
    await form.getByLabel("Model").fill("m-1");
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("Is not an address of the internet").waitFor();
    await form.getByLabel("Base URL").fill(model.url);
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("Saved. Now test the connection.").waitFor();
    await page.getByText("Ends in").waitFor();

    model.reply(() => ({ status: 401 }));
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText("The provider refuses the key (HTTP 401)").waitFor();
    model.reply(() => ({ answer: '{"works":true}' }));
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText("The assistant works").waitFor();
    await expect.poll(() => accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await sidewaysScroll(page)).toBe(0);

    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
    await page.getByText("To begin, enter a provider above").waitFor();
    expect(problems).toEqual([]);
  });

  test("shows what leaves and asks for a yes before the first question; its draft fills the editor, and a person saves it", async () => {
    await enter();
    const { open, operator } = opened();
    await using watched = await open({ token: operator.token });
    const { page, problems } = watched;
    await page.goto("/templates/new");
    await page.getByRole("button", { name: "Draft with the assistant" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("What should the message say?").fill("Say that the order has left.");
    await dialog.getByRole("button", { name: "Draft template" }).click();
    const leaves = dialog.getByRole("group", { name: "What is shared" });
    await leaves.getByText("Say that the order has left.").waitFor();
    const shown = await leaves.innerText();
    const before = model.asked.length;
    await expect.poll(() => accessibilityProblems(page)).toEqual([]);
    model.reply(() => ({ ...good, unfinished: true }));
    await dialog.getByRole("button", { name: "Agree and ask" }).click();
    await dialog.getByText("your order").waitFor();
    const asked = model.asked[before];
    expect(shown).toBe([asked?.system, ...(asked?.messages ?? []).map(({ text }) => text)].join("\n\n"));
    const { left } = model;
    await dialog.getByRole("button", { name: "Stop" }).click();
    await waitFor("the provider to be left", () => model.left > left);

    model.reply(() => good);
    await dialog.getByRole("button", { name: "Draft template" }).click();
    await dialog.getByText("A proposal: check it before you use it.").waitFor();
    // The editor behind the dialog was not sent.
    expect(await page.getByText("Fix these to save").count()).toBe(0);
    await dialog.getByRole("button", { name: "Put into the editor" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("order_shipped");
    await page.getByRole("form", { name: "Template" }).getByText("Hello Anna, your order left our house today.").waitFor();
    const { items } = await operator.client.templates.list.query({ search: "order_shipped" });
    expect(items).toEqual([]);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.waitForURL(/\/templates\/[0-9a-f-]{36}$/u);
    expect(problems).toEqual([]);
  });
});

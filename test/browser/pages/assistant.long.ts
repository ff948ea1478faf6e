import { expect, test } from "vitest";
import { goodDraft } from "../../support/assistant.ts";
import { startModelServer } from "../../support/model-server.ts";
import { shared } from "../../support/shared.ts";
import { waitFor } from "../../support/wait-for.ts";
import { accessibilityProblems } from "../stack.ts";
import { describeInBrowser } from "../support.ts";

const good = { answer: JSON.stringify(goodDraft) };

describeInBrowser("the assistant", (opened) => {
  const model = shared(() => startModelServer("openai"));

  const enter = async () => {
    const settings = { provider: "openai" as const, baseUrl: model.url, model: "m-1", apiKey: "sk-test-key-1234" };
    await opened().owner.client.settings.saveAssistant.mutate(settings);
  };

  test("shows what leaves and asks for a yes before the first question; its draft fills the editor, and a person saves it", async () => {
    await enter();
    const { operator, visit } = opened();
    const { page } = await visit("operator", "/templates/new");
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
    // A second question that fails leaves the proposal.
    model.reply(() => ({ status: 400, text: "no such model" }));
    await dialog.getByRole("button", { name: "Ask again" }).click();
    await dialog.getByText("The assistant gave no answer").waitFor();
    await dialog.getByRole("button", { name: "Put into the editor" }).click();
    expect(await page.getByLabel("Name").inputValue()).toBe("order_shipped");
    await page.getByRole("form", { name: "Template" }).getByText("Hello Anna, your order left our house today.").waitFor();
    const { items } = await operator.client.templates.list.query({ search: "order_shipped" });
    expect(items).toEqual([]);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.waitForURL(/\/templates\/[0-9a-f-]{36}$/u);
  });
});

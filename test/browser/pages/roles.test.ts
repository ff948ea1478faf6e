import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { lead } from "../stack.ts";
import { describeInBrowser } from "../support.ts";

/** The pages that everybody may open. */
const work = [
  "Overview",
  "Log",
  "Scheduled",
  "Events",
  "Webhooks",
  "Sandbox phone",
  "Sites",
  "Bindings",
  "Templates",
  "Developers",
  "General",
  "Platform",
];

describeInBrowser("what a role may", (opened) => {
  test("a viewer sees no page and no button that is not theirs, and nothing is asked of the server in vain", async () => {
    const { open, viewer } = opened();
    await using watched = await open({ token: viewer.token });
    const { page, problems } = watched;
    const asked = callsOf(page);
    await page.goto("/");
    expect(await pagesOffered(page)).toEqual([...work, "My account"]);
    for (const path of ["people", "tokens", "audit"]) {
      await lead(page, `/settings/${path}`);
      await page.getByRole("heading", { name: "No access" }).waitFor();
      expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    }
    expect(asked().filter((name) => /^(?:users|tokens|audit)/u.test(name))).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("an operator has the own tokens, of at most the own role", async () => {
    const { open, operator, owner } = opened();
    await owner.client.tokens.create.mutate({ name: "the owner's", role: "viewer" });
    await operator.client.tokens.create.mutate({ name: "the operator's", role: "viewer" });
    await using watched = await open({ token: operator.token });
    const { page, problems } = watched;
    const asked = callsOf(page);
    await page.goto("/settings/tokens");
    await page.getByText("the operator's").waitFor();
    expect(await pagesOffered(page)).toEqual([...work, "Access tokens", "Privacy", "My account"]);
    expect(await page.getByText("the owner's").count()).toBe(0);
    await page.getByRole("button", { name: "Create token" }).click();
    const role = page.getByRole("combobox", { name: "Role" });
    await role.waitFor();
    const choices = await role.locator("option").evaluateAll((options) => options.map((option) => option.getAttribute("value")));
    expect(choices).toEqual(["viewer", "operator"]);
    expect(asked().filter((name) => name.startsWith("users"))).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** The procedures that a page calls from now on. */
function callsOf(page: Page): () => string[] {
  const names: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/trpc/")) names.push(...pathname.slice("/trpc/".length).split(","));
  });
  return () => names;
}

async function pagesOffered(page: Page): Promise<string[]> {
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  await links.first().waitFor();
  return links.allInnerTexts();
}

import type { Locator } from "playwright-core";
import { readDocsBundle } from "shared/docs/bundle";
import { signBody, signStandard } from "shared/secrets/signature";
import { expect, test } from "vitest";
import { lead } from "../stack.ts";
import { describeInBrowser, detail } from "../support.ts";

describeInBrowser("the developers' pages", (opened) => {
  detail("the documentation is searched from the address too, hits are marked, and each leads to its heading", async () => {
    const { page } = await opened().visit("viewer", "/developers");
    await page.getByRole("searchbox", { name: "Search the documentation" }).fill("gateway  dies");
    await page.waitForURL(/\?q=gateway/u);
    await page.reload();
    const hits = page.getByRole("list", { name: "Results" }).getByRole("listitem");
    await hits.first().getByRole("link", { name: "When a gateway dies" }).waitFor();
    expect((await hits.first().locator("mark").allInnerTexts()).map((text) => text.toLowerCase())).toContain("dies");
    await page.getByRole("searchbox").fill("zebra");
    await page.getByText("No topic mentions").waitFor();
    expect(await hits.count()).toBe(0);
    await page.goBack();
    await lead(page, "/developers?q=gateway+dies");
    await page.getByRole("link", { name: "When a gateway dies" }).click();
    const heading = page.getByRole("heading", { name: "When a gateway dies" });
    await heading.waitFor();
    await expect.poll(() => topOf(heading)).toBeLessThan(700);
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/developers/idempotency#when-a-gateway-dies");
  });

  detail("a topic names its neighbours and what it speaks of, and its code is copied whole", async () => {
    const { page } = await opened().visit("viewer");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/developers/authentication#samples");
    const samples = page.getByRole("heading", { name: "Samples" });
    await samples.waitFor();
    await expect.poll(() => topOf(samples)).toBeLessThan(200);
    await page.getByRole("button", { name: /^Copy Example .*python$/u }).click();
    await page.getByText("Copied").waitFor();
    expect(readDocsBundle()).toContain(`\`\`\`python\n${await page.evaluate(() => navigator.clipboard.readText())}\`\`\``);
    const topics = page.getByRole("navigation", { name: "Topics" });
    expect(await topics.locator('[aria-current="page"]').allInnerTexts()).toEqual(["Authentication"]);
    await page.getByRole("main").getByRole("table").getByRole("link", { name: "Idempotency and retries" }).click();
    await page.getByRole("heading", { name: "Idempotency and retries" }).waitFor();
    await page.getByRole("link", { name: "Next: Dry run" }).click();
    await page.getByRole("heading", { name: "Dry run" }).waitFor();
    await lead(page, "/developers/no-such-thing");
    await page.getByText("There is no topic “no-such-thing”").waitFor();
  });

  test("a procedure is found, tells what it takes, and is called with the session's rights; a change asks first; a code leads to its row", async () => {
    const { open, owner, viewer, admin, visit } = opened();
    const { page } = await visit("owner", "/developers?q=retry+hours");
    await page.getByRole("list", { name: "Procedures" }).getByRole("link", { name: "settings.update" }).click();
    await page.getByText("POST /api/v1/settings/update").waitFor();
    const example = page.getByRole("group", { name: /^Example .*json$/u });
    await example.getByText("retryHours").first().waitFor();
    const input = page.getByRole("textbox", { name: "Try it: the input as JSON" });
    await input.fill('{"retryHours": 721}');
    await page.getByRole("button", { name: "Call settings.update" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Call settings.update" }).click();
    await page.getByRole("group", { name: "Refusal" }).getByText('"BAD_REQUEST"').waitFor();
    await page.getByRole("searchbox", { name: "Search the reference" }).fill("auth.me");
    await page.locator("summary").filter({ hasText: "auth.me" }).click();
    await page.getByRole("button", { name: "Call auth.me" }).click();
    await page.getByRole("group", { name: "Answer" }).getByText('"owner"').first().waitFor();
    expect(new URL(page.url()).hash).toBe("#auth.me");
    await lead(page, "/developers?q=in_doubt");
    await page.getByRole("list", { name: "Results" }).getByRole("link", { name: "Codes in the log" }).click();
    await expect.poll(() => topOf(page.locator("#in-doubt"))).toBeLessThan(700);
    expect(await (await fetch(`${admin.url}${await page.getByRole("link", { name: "Markdown" }).getAttribute("href")}`)).text()).toContain(
      "`in_doubt`",
    );
    await using watching = await open({ token: viewer.token });
    await watching.page.goto("/developers/reference#sites.create");
    await watching.page.getByText("To try it here takes the role operator.").waitFor();
    await watching.page.getByLabel("Access token for calls from this page").fill(owner.token);
    await watching.page.getByRole("button", { name: "Call sites.create" }).click();
    await watching.page.getByRole("dialog").getByRole("button", { name: "Call sites.create" }).click();
    await watching.page.locator(":has(> [aria-label='Answer']) > [aria-expanded]").click();
    await watching.page.getByRole("group", { name: "Answer" }).getByText("whsec_").waitFor();
  });

  detail("the signature checker shows the right header, says what is wrong with another, and sends nothing anywhere", async () => {
    const { open, viewer } = opened();
    await using watched = await open({ token: viewer.token });
    const { page, problems } = watched;
    const body = '{"ok":true}';
    const right = signBody("whsec_test", new TextEncoder().encode(body));
    await page.goto("/developers/signature-checker");
    await page.getByRole("textbox", { name: "Body" }).waitFor();
    const standard = `whsec_${Buffer.from("whsec_test").toString("base64")}`;
    const requests: string[] = [];
    page.on("request", (request) => void (isOfFrame(request.url()) || requests.push(request.url())));
    await page.getByRole("textbox", { name: "Body" }).fill(body);
    await page.getByRole("textbox", { name: "Webhook secret" }).fill("whsec_test");
    const shown = page.getByRole("textbox", { name: "Expected X-Service-Signature" });
    await expect.poll(() => shown.inputValue()).toBe(right);
    const sent = page.getByRole("textbox", { name: "Signature sent" });
    for (const [header, verdict] of [
      [right, "The signature is valid"],
      [right.toUpperCase().replace("SHA256", "sha256"), "Write the hex digits in lowercase."],
      [right.slice(7), "The sha256= before the digits is missing."],
      [signBody("whsec_test", new TextEncoder().encode(`${body}\n`)), "The body was signed with a newline at its end."],
      [signBody("whsec_other", new TextEncoder().encode(body)), "A different secret or body was signed."],
    ] as const) {
      await sent.fill(header);
      await page.getByRole("main").getByRole("status").getByText(verdict).waitFor();
    }
    await page.getByRole("textbox", { name: "Timestamp sent" }).fill(String(Date.now()));
    await page.getByText("The timestamp is in milliseconds.").waitFor();
    // The vector of the documentation, by Standard Webhooks.
    const [id, timestamp] = ["msg_1", "1700000000"];
    const signature = signStandard(standard, { id, timestamp }, new TextEncoder().encode(body));
    await sent.fill(signature);
    await page.getByText("webhook-id is missing: it is signed too.").waitFor();
    await page.getByRole("textbox", { name: "Id sent" }).fill(id);
    await page.getByRole("textbox", { name: "Timestamp sent" }).fill(timestamp);
    const verdict = page.getByRole("main").getByRole("status").filter({ hasText: "The signature is valid" });
    await verdict.getByText("The gateway refuses more than 5 minutes either way.").waitFor();
    expect(await page.getByRole("textbox", { name: "Expected webhook-signature" }).inputValue()).toBe(signature);
    expect([...requests, ...problems]).toEqual([]);
    expect(page.url()).not.toContain("whsec");
  });
});

/** What the frame around a page asks again and again: for sites that pause, problems and operations under way. */
const framesQuestions: Readonly<Record<string, object>> = {
  "sites.list": { halted: true, limit: 200 },
  "problems.list": { state: "open", limit: 100 },
  "operations.list": { open: true, limit: 5 },
};

/** Whether the frame asks for it, such as one of its scripts, which load later. No address of these can hold typed text. */
function isOfFrame(url: string): boolean {
  const { pathname, search } = new URL(url);
  if (/^\/assets\/[\w.-]+$/u.test(pathname)) return search === "";
  const names = pathname.slice("/trpc/".length).split(",");
  const input = JSON.stringify(Object.fromEntries(names.map((name, place) => [place, framesQuestions[name]])));
  return names.every((name) => name in framesQuestions) && search === `?batch=1&input=${encodeURIComponent(input)}`;
}

/** Pixels below the window's upper edge. */
const topOf = (locator: Locator): Promise<number> => locator.evaluate((element) => element.getBoundingClientRect().top);

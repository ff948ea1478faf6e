import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { sidewaysScroll, lead } from "../stack.ts";
import { describeInBrowser, type Opened } from "../support.ts";

const word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk".repeat(2);

/** Texts that people may enter as names or messages: words without an end, and a script that runs from right to left. */
describeInBrowser("long and foreign texts", (opened) => {
  test("no name makes a page wider than its window", async () => {
    const paths = await makeLongNames(opened());
    const { page } = await opened().visit("owner");
    for (const [path, landmark] of paths) {
      await lead(page, path);
      await page.getByText(landmark).first().waitFor();
      for (const width of [360, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => sidewaysScroll(page), { message: `pixels of ${path} beyond ${width}` }).toBe(0);
      }
    }
  });

  test("a message in Arabic runs from the right, as on the phone", async () => {
    const { open, owner } = opened();
    const { template } = await owner.client.templates.create.mutate({
      name: "arabic_order",
      language: "ar",
      category: "UTILITY",
      body: "مرحبا {{1}}، وصل طلبك اليوم إلى العنوان الذي كتبته لنا.",
      footer: "متجر",
      examples: { body: ["ليلى"] },
    });
    await using watched = await open({ token: owner.token });
    await watched.page.goto(`/templates/${template.id}`);
    const footer = watched.page.getByRole("region", { name: "Preview" }).getByText("متجر");
    await footer.waitFor();
    const { before, after } = await spaceAround(footer);
    expect(before).toBeGreaterThan(after);
  });
});

async function makeLongNames({ owner }: Opened): Promise<[path: string, landmark: string][]> {
  const { sites, templates, bindings } = owner.client;
  const { site } = await sites.create.mutate({ name: word, url: `https://long.example/${"a".repeat(150)}`, sourceType: "generic" });
  const { template } = await templates.create.mutate({
    name: `long_${"x".repeat(150)}`,
    language: "en_US",
    category: "UTILITY",
    body: "Hello, all is well with your order.",
  });
  const { binding } = await bindings.create.mutate({
    siteId: site.id,
    event: `order.${"x".repeat(100)}`,
    templateId: template.id,
    recipient: { strategy: "customer" },
    variableMap: {},
    enabled: false,
  });
  return [
    [`/sites/${site.id}?tab=connect`, "Endpoint URL"],
    [`/bindings/${binding.id}`, "Nothing is sent."],
    [`/templates/${template.id}`, "Basics"],
    ["/bindings", "The customer"],
  ];
}

/** The distance of a line of text from either edge of its block. */
const spaceAround = (block: Locator): Promise<{ before: number; after: number }> =>
  block.evaluate((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    const [line, box] = [text.getBoundingClientRect(), element.getBoundingClientRect()];
    return { before: line.left - box.left, after: box.right - line.right };
  });

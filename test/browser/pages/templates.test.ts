import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { controlToken } from "../../support/sandbox.ts";
import { untilFocused } from "../stack.ts";
import { describeInBrowser, detail, type Opened, press } from "../support.ts";

const plain = { language: "en_US", category: "UTILITY", body: "Hello, all is well with your order." };

/** A picture of one pixel. */
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

describeInBrowser("the pages of templates", (opened) => {
  test("a template is written by keyboard, kept as a draft, submitted, and seen approved without a reload", async () => {
    const { page } = await opened().visit("operator", "/templates");
    await page.getByRole("link", { name: "New template" }).focus();
    await page.keyboard.press("Enter");
    await writeByKeyboard(page);
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("Hello Ada, your order is ready.").waitFor();
    expect(await preview.getByText("ready", { exact: true }).evaluate(({ tagName }) => tagName)).toBe("STRONG");
    expect(await preview.getByRole("link", { name: "Track it" }).getAttribute("href")).toBe("https://shop.example/t/77");

    await page.getByLabel("Name").press("Enter");
    await page.waitForURL(/\/templates\/[0-9a-f-]{36}$/u);
    await page.getByRole("button", { name: "Submit template" }).waitFor();
    await page.getByLabel("Footer").fill("Bean & Leaf");
    await page.getByText("Unsaved changes").waitFor();
    await page.getByRole("button", { name: "Save and submit" }).click();
    await page.getByText("In review").waitFor();
    await approve(opened(), "pending_work_order_ready");
    await page.getByText("In review").waitFor({ state: "detached" });
    const steps = page.getByRole("list", { name: "History" }).getByRole("listitem");
    await expect
      .poll(() => steps.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Approved.*reported by WhatsApp/su),
        expect.stringMatching(/^Pending.*submitted here/su),
        expect.stringMatching(/^Draft.*created here/su),
      ]);
    await page.getByRole("link", { name: "Create binding" }).waitFor();
    await page.reload();
    await preview.getByText("Bean & Leaf").waitFor();
  });

  detail("a header's file is uploaded, checked before, and changed later without a new review", async () => {
    const { page } = await opened().visit("operator", "/templates/new");
    await page.getByLabel("Name").fill("work_picture");
    await bodyOf(page).fill(plain.body);
    await page.getByRole("radio", { name: "Image" }).check();
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByRole("listitem").getByText("must be chosen: upload a file").waitFor();
    await chooseFile(page, "notes.png", Buffer.from("no picture at all"));
    await page.getByText("notes.png has another type: choose a JPEG or PNG file.").waitFor();
    await chooseFile(page, "beans.png", png);
    await page.getByRole("link", { name: "beans.png" }).waitFor();
    await page.getByRole("button", { name: "Save and submit" }).click();
    await page.getByRole("link", { name: "Create binding" }).waitFor();
    await page.getByRole("link", { name: "beans.png" }).waitFor();
    await chooseFile(page, "leaves.png", png);
    await page.getByRole("button", { name: "Use this file" }).click();
    await page.getByText("Saved. New messages use this file.").waitFor();
    await page.reload();
    await page.getByRole("link", { name: "leaves.png" }).waitFor();
    await page.getByRole("radio", { name: "URL" }).check();
    await page.getByLabel("File URL").fill("http://10.0.0.1/a.png");
    await page.getByRole("button", { name: "Use this file" }).click();
    await page.getByText("Is not an address of the internet").waitFor();
  });
});

const bodyOf = (page: Page) => page.getByRole("textbox", { name: "Body" });

const chooseFile = (page: Page, name: string, buffer: Buffer) =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType: "image/png", buffer });

/** The platform approves a template that stays in review: a review that ends by itself may do so before a busy page has looked. */
async function approve({ operator, sandbox }: Opened, name: string): Promise<void> {
  const [template] = (await operator.client.templates.list.query({ search: name })).items;
  const answer = await fetch(`${sandbox.url}/_sandbox/templates/${template?.platformId}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", authorization: `Bearer ${controlToken}` },
    body: JSON.stringify({ status: "APPROVED" }),
  });
  expect(answer.status).toBe(200);
}

/** Fills in every part of a template that needs actions of its own, without a mouse. */
async function writeByKeyboard(page: Page): Promise<void> {
  const { keyboard } = page;
  // What is longer comes at once, as from a phone's keyboard: the page draws itself anew for each key.
  const write = async (text: string) => (text.length > 9 ? keyboard.insertText(text) : keyboard.type(text));
  const type = async (...steps: string[]) => {
    for (const step of steps) await (/^<\w+>$/u.test(step) ? keyboard.press(step.slice(1, -1)) : write(step));
  };
  await page.getByLabel("Name").focus();
  // The keys go past language and category, to the header.
  await type("pending_work_order_ready", "<Tab>", "<Tab>", "<Tab>", "<ArrowRight>", "<Tab>", "Order ", "<Tab>", "<Enter>", "<Tab>");
  // The header's button is disabled once the header has its variable.
  await bodyOf(page).focus();
  await type("Hello ", "<Tab>", "<Enter>", ", your order is ");
  await press(page.getByRole("button", { name: "Bold" }));
  await type("ready", "<ArrowRight>", ".");
  await press(page.getByRole("button", { name: "Add quick reply" }));
  await type("Thanks");
  await press(page.getByRole("button", { name: "Add link" }));
  await type("Track it", "<Tab>", "https://shop.example/t/", "<Tab>", "<Enter>");
  await press(page.getByRole("button", { name: "Move Button 2 up" }));
  await untilFocused(page.getByRole("button", { name: "Move Button 1 down" }));
  await page.getByLabel("{{1}} of the header").focus();
  await type("10042", "<Tab>", "Ada", "<Tab>", "77");
}

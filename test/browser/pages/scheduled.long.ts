import { expect, test } from "vitest";
import { waitFor } from "../../support/wait-for.ts";
import { accessibilityProblems, lead, looksRight } from "../stack.ts";
import { describeInBrowser, type Opened, ownShop, press } from "../support.ts";

const [ada, bob] = ["+4915112345601", "+4915112345602"];

/** A shop whose messages wait for an hour, with one to each of two people. */
async function waitingShop(opened: Opened, name: string) {
  const { client } = opened.owner;
  const { site, order } = await ownShop(opened, name);
  const [binding] = (await client.bindings.list.query({ siteId: site.id })).items;
  await client.bindings.update.mutate({ id: binding?.id ?? "", delaySeconds: 3600 });
  // Gateways learn of the pause within a moment.
  await waitFor("a message to wait", async () => (await order(ada, "Ada")).json["chat"] === "scheduled");
  await order(bob, "Bob");
  const statuses = async () =>
    (await client.notifications.list.query({ siteId: site.id })).items
      .filter(({ dueAt }) => dueAt !== null)
      .map(({ toPhone, status }) => `${toPhone} ${status}`)
      .toSorted();
  return { site, order, statuses };
}

describeInBrowser("the page of what is scheduled", (opened) => {
  test("what waits is sent now or cancelled, each after a question, by keyboard", async () => {
    const { site, statuses } = await waitingShop(opened(), "Patient shop");
    const watched = await opened().visit("operator", `/scheduled?siteId=${site.id}`);
    const { page } = watched;
    await page
      .getByRole("cell", { name: /^in 60 min|:\d\d/u })
      .first()
      .waitFor();
    await looksRight(watched);
    // A row opens beside this list, whose neighbours are one key away.
    await page.getByRole("link", { name: bob }).click();
    await page.getByRole("dialog").getByText("Waits for its time").waitFor();
    await page.keyboard.press("k");
    await expect.poll(() => page.getByRole("dialog").getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/scheduled\?siteId=[\w-]+$/u);
    await press(page.getByRole("button", { name: `Cancel message to ${ada}` }));
    const dialog = page.getByRole("dialog");
    await press(dialog.getByRole("button", { name: "Keep it" }));
    await dialog.waitFor({ state: "detached" });
    await press(page.getByRole("button", { name: `Cancel message to ${ada}` }));
    await expect.poll(() => accessibilityProblems(page)).toEqual([]);
    await press(dialog.getByRole("button", { name: "Cancel message", exact: true }));
    await page.getByRole("button", { name: `Cancel message to ${ada}` }).waitFor({ state: "detached" });
    // Space is the button's here, not the row's.
    await press(page.getByRole("button", { name: `Send now to ${bob}` }), " ");
    await press(dialog.getByRole("button", { name: "Send message now" }));
    await page.getByText("Nothing matches these filters").waitFor();
    await waitFor("the message to leave", async () => /read|delivered|sent/u.test((await statuses()).at(-1) ?? ""));
    expect((await statuses())[0]).toBe(`${ada} cancelled`);

    await lead(page, `/log?siteId=${site.id}&status=cancelled`);
    await page.getByRole("link", { name: ada }).click();
    await page.getByRole("dialog").getByText("Someone in your team cancelled the message").first().waitFor();
    await expect.poll(() => accessibilityProblems(page)).toEqual([]);
  });
});

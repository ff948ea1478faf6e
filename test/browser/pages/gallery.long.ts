import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { untilThereAre } from "../stack.ts";
import { describeInBrowser, type Opened } from "../support.ts";

describeInBrowser("the gallery of templates", (opened) => {
  test("templates are found, read as messages, chosen and submitted with one click; what exists is shown as such", async () => {
    const { page } = await opened().visit("operator", "/templates");
    await page.getByRole("link", { name: "Gallery" }).click();
    const offers = offersOf(page);
    await untilThereAre(24, offers);
    expect(await page.getByRole("button", { name: "Create and submit" }).count()).toBe(0);
    await page.getByRole("button", { name: /^Language: /u }).click();
    await page.getByRole("menuitemradio", { name: "German" }).click();
    await page.getByText("Hallo Jonas, wir haben Ihre Bestellung 10042 über EUR 49,90 erhalten.").waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("ORDER.SHIPPED bestellung");
    await untilThereAre(3, offers);
    await page.getByRole("checkbox", { name: "Order shipped", exact: true }).check();
    await page.getByRole("searchbox", { name: "Search" }).fill("TERMIN gebucht");
    await untilThereAre(1, offers);
    await page.getByRole("checkbox", { name: "Appointment booked" }).check();
    await page.getByText("2 templates selected.").waitFor();
    await page.getByRole("button", { name: "Create and submit" }).click();
    await page.getByText("2 templates submitted.").waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("");
    for (const title of ["Order shipped", "Appointment booked"]) {
      const offer = offers.filter({ has: page.getByRole("heading", { name: title, exact: true }) });
      await offer.getByText("approved").waitFor();
      await offer.getByRole("link", { name: "You have it" }).waitFor();
    }
    expect(new URL(page.url()).searchParams.get("language")).toBe("de");
    expect(await ownedOf(opened(), "de")).toEqual(["appointment_booked approved", "order_shipped approved"]);
    await page.goto("/templates/gallery?language=ar");
    await page.getByRole("checkbox", { name: "Order shipped", exact: true }).waitFor();
  });
});

const offersOf = (page: Page) => page.getByRole("list", { name: "Gallery" }).locator(":scope > li");

async function ownedOf({ operator }: Opened, language: string): Promise<string[]> {
  const { items } = await operator.client.templates.list.query({ limit: 200 });
  return items
    .filter((each) => each.language === language)
    .map(({ name, status }) => `${name} ${status}`)
    .toSorted();
}

import { demoTemplate, demoVariableMap } from "admin-server/cli/demo";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { waitFor } from "../../support/wait-for.ts";
import { accessibilityProblems, sidewaysScroll, untilThereAre } from "../stack.ts";
import { addFilter, countClicks, describeInBrowser, type Opened, openSite } from "../support.ts";

describeInBrowser("rows that are chosen", (opened) => {
  test("move 18 bindings to another shop", async () => {
    const { owner, visit } = opened();
    const [from, to] = [await openSite(opened(), "Old shop"), await openSite(opened(), "New shop")];
    const events = Array.from({ length: 18 }, (_, n) => `order.step_${n + 1}`);
    await repeat(opened(), await bind(opened(), from.siteId, "order.other"), events);
    const equal = await bind(opened(), to.siteId, "order.step_7");
    const { page } = await visit("operator", "/bindings");
    const clicks = countClicks(page);
    await addFilter(page, "Site");
    await page.getByRole("option", { name: "Old shop" }).click();
    await untilThereAre(20, rows(page));
    await page.getByRole("checkbox", { name: "Select all shown" }).click();
    await page.getByRole("checkbox", { name: `Select order.other sends ${demoTemplate.name}, Old shop` }).click();
    const bar = page.getByRole("region", { name: "Selection" });
    await bar.getByText("18 bindings selected").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await bar.getByRole("button", { name: "Move…" }).click();
    await page.getByRole("combobox", { name: "To site" }).click();
    await page.getByRole("option", { name: "New shop" }).click();
    await page.getByRole("button", { name: "Move 18 bindings" }).click();
    await page.getByText("17 bindings moved").waitFor();
    expect(await clicks()).toBe(9);
    const moved = await owner.client.bindings.list.query({ siteId: to.siteId });
    expect(new Set(moved.items.map(({ event }) => event))).toEqual(new Set(events));
    // The binding that the shop has already stays, says why, and stays chosen.
    expect(await page.getByRole("link", { name: "an equal binding" }).getAttribute("href")).toBe(`/bindings/${equal}`);
    await page.getByRole("checkbox", { name: "Select order.step_7 sends", exact: false, checked: true }).waitFor();
    await bar.getByText("1 binding selected").waitFor();
    await untilThereAre(3, rows(page));
  });

  test("with the keyboard and over several pages, whatever is loaded meanwhile; filters begin anew", async () => {
    const { sql, visit } = opened();
    const { siteId } = await openSite(opened(), "Many rules");
    const first = await bind(opened(), siteId, "event.first");
    await repeat(
      opened(),
      first,
      Array.from({ length: 119 }, (_, n) => `event.${n + 1}`),
    );
    const { page } = await visit("operator", `/bindings?siteId=${siteId}`, { width: 390 });
    const boxes = page.getByRole("checkbox", { name: /^Select event/u });
    await page.getByText("50+ matches").waitFor();
    await boxes.nth(1).focus();
    await page.keyboard.press("Space");
    await boxes.nth(4).focus();
    await page.keyboard.press("Shift+Space");
    const bar = page.getByRole("region", { name: "Selection" });
    await bar.getByText("4 bindings selected").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("100+ matches").waitFor();
    await bar.getByText("4 bindings selected").waitFor();
    await bar.getByRole("button", { name: "Select all that match" }).click();
    await bar.getByText("120 bindings selected").waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await bar.getByRole("button", { name: "Switch off" }).click();
    await page.getByText("120 bindings switched off").waitFor();
    await waitFor("all to be off", async () => (await sql`select from binding where site_id = ${siteId} and enabled`).length === 0);
    await boxes.first().check();
    await addFilter(page, "Event");
    await page.getByRole("combobox", { name: "Event" }).fill("event.1");
    await untilThereAre(1, boxes);
    expect(await bar.count()).toBe(0);
  });
});

const rows = (page: Page) => page.getByRole("table", { name: "Bindings" }).getByRole("row");

/** The same binding for other events. */
const repeat = ({ sql }: Opened, id: string, events: string[]) => sql`
  insert into binding (id, site_id, event, template_id, recipient, variable_map, enabled)
  select gen_random_uuid(), site_id, name, template_id, recipient, variable_map, true from binding, unnest(${events}::text[]) name where id = ${id}`;

async function bind({ owner }: Opened, siteId: string, event: string): Promise<string> {
  const [template] = (await owner.client.templates.list.query({ search: demoTemplate.name })).items;
  const recipient = { strategy: "customer" as const };
  const { binding } = await owner.client.bindings.create.mutate({
    siteId,
    event,
    templateId: template?.id ?? "",
    recipient,
    variableMap: demoVariableMap,
  });
  return binding.id;
}

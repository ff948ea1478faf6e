import { expect, test } from "vitest";
import { accessibilityProblems, sidewaysScroll, type WatchedPage } from "../watched-page.ts";
import type { Case } from "./opened.ts";

interface Look {
  path: string;
  /** A text by which it is there. */
  landmark: string;
  as: "owner" | "viewer" | "nobody";
}

const looks: Look[] = [
  { path: "/sign-in", landmark: "E-mail", as: "nobody" },
  { path: "/no/such/page", landmark: "No such page", as: "nobody" },
  { path: "/invite#token", landmark: "Accept the invitation", as: "nobody" },
  { path: "/invite", landmark: "The link is not whole", as: "nobody" },
  { path: "/reset-password#token", landmark: "Set a new password", as: "nobody" },
  { path: "/", landmark: "Hello Ada", as: "owner" },
  { path: "/no/such/page", landmark: "No such page", as: "owner" },
  { path: "/settings/people", landmark: "oscar@example.com", as: "owner" },
  { path: "/settings/tokens", landmark: "Everyday", as: "owner" },
  { path: "/settings/audit", landmark: "oscar@example.com", as: "owner" },
  { path: "/settings/audit?actor=nobody", landmark: "Nothing fits", as: "owner" },
  { path: "/settings/account", landmark: "this one", as: "owner" },
  { path: "/settings/people", landmark: "Not for your role", as: "viewer" },
];

export function lookTests(opened: Case): void {
  test.each([
    ["light", [768, 360, 1440]],
    ["dark", [768, 1440, 360]],
  ] as const)(
    "in %s every page is accessible, quiet, of files alone and no wider than the window",
    async (colorScheme, widths) => {
      const { open, owner, viewer } = opened();
      await owner.client.tokens.create.mutate({ name: "Everyday", role: "viewer" });
      const tokens = { owner: owner.token, viewer: viewer.token, nobody: undefined };
      const found: Record<string, unknown> = {};
      for (const as of ["nobody", "viewer", "owner"] as const) {
        await using watched = await open({ colorScheme, token: tokens[as] });
        for (const { path, landmark } of looks.filter((look) => look.as === as)) {
          // An address that differs after the # alone would not load anew.
          await watched.page.goto("about:blank");
          await watched.page.goto(path);
          await watched.page.getByText(landmark).filter({ visible: true }).first().waitFor();
          found[`${as} ${path}`] = await whatIsWrong(watched, colorScheme, widths);
        }
      }
      expect(found).toEqual(Object.fromEntries(looks.map(({ as, path }) => [`${as} ${path}`, []])));
    },
    180_000,
  );
}

/** In the last of the widths it is also asked what keeps people out. */
async function whatIsWrong({ page, problems }: WatchedPage, colorScheme: string, widths: readonly number[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const excess = await sidewaysScroll(page);
    if (excess !== 0) wrong.push(`${excess} pixels wider than ${width}`);
  }
  if ((await page.locator("html").getAttribute("data-mantine-color-scheme")) !== colorScheme) wrong.push(`not in ${colorScheme}`);
  if ((await page.locator("style").count()) > 0) wrong.push("has a <style> element");
  return [...wrong, ...(await accessibilityProblems(page)), ...problems.splice(0)];
}

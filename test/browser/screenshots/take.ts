import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openPage } from "../watched-page.ts";
import { watchAnswers } from "./answers.ts";
import type { World } from "./fill/world.ts";
import type { Shot, State } from "./shots.ts";

/** One sight of a page, taken in every width. */
export interface View {
  shot: Shot;
  state: State;
  colorScheme: "light" | "dark";
}

const widths = [1440, 360];
const highest = 3_000;

/** Takes the pictures of a whole page, in a browser session of its own; answers their files' names. */
export async function take(
  browser: Browser,
  url: string,
  folder: string,
  world: World,
  { shot, state, colorScheme }: View,
): Promise<string[]> {
  const token = { nobody: undefined, empty: world.emptyToken, full: world.fullToken, failing: world.fullToken }[state];
  await using watched = await openPage(browser, url, { colorScheme, token });
  const { page } = watched;
  if (state === "failing") await page.route(/\/trpc\/(?!auth\.(?:me|state)(?:\?|$))/u, (route) => route.abort());
  const answered = watchAnswers(page);
  await page.goto(typeof shot.path === "string" ? shot.path : shot.path(world));
  await page.locator('h1, [role="alert"]').first().waitFor();
  await answered();
  if (shot.press !== undefined) {
    await page.keyboard.press(shot.press);
    await page.getByRole("dialog").waitFor();
  }
  const names: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    if ((await page.getByRole("dialog").count()) === 0) await fitHeight(page, width);
    const name = `${shot.name}-${state}-${colorScheme}-${width}.png`;
    await page.screenshot({ path: join(folder, name), animations: "disabled" });
    names.push(name);
  }
  return names;
}

/** Makes the window as high as the page: what sticks to the window's edges then stands as it does at first sight. */
async function fitHeight(page: Page, width: number): Promise<void> {
  await twoFrames(page);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(height, highest) });
  await twoFrames(page);
}

/** What is drawn by measure, as charts are, follows the window a frame later. */
const twoFrames = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));

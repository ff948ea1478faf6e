import { join } from "node:path";
import type { Browser, Page, Request } from "playwright-core";
import { waitFor } from "../../support/wait-for.ts";
import { openPage } from "../stack.ts";
import type { World } from "./fill.ts";
import allShots from "./shots.json" with { type: "json" };

/** One sight of a page, taken in every width. */
export interface View {
  shot: Shot;
  state: State;
  colorScheme: "light" | "dark";
  /** The browser's language; American English unless given. */
  locale: string | undefined;
}

const widths = [1440, 360];
const highest = 3_000;

/** Takes the pictures of a whole page, in a browser session of its own; answers their files' names. */
export async function take(
  browser: Browser,
  url: string,
  folder: string,
  world: World,
  { shot, state, colorScheme, locale }: View,
): Promise<string[]> {
  const token = { nobody: undefined, empty: world.emptyToken, full: world.fullToken, failing: world.fullToken, shop: world.shopToken }[
    state
  ];
  await using watched = await openPage(browser, url, { colorScheme, token, locale });
  const { page } = watched;
  if (state === "failing") await page.route(/\/trpc\/(?!auth\.(?:me|state|state,auth\.me)(?:\?|$))/u, (route) => route.abort());
  const answered = watchAnswers(page);
  const path = shot.path.replace(/<(\w+)>/u, (_, id: string) => String(world[id as keyof World]));
  // Without a query the overview asks for the person and its data at once.
  await page.goto(state === "failing" && path === "/" ? "/?days=30" : path);
  await page.locator('h1, [role="alert"]').first().waitFor();
  await answered();
  if (shot.opened !== undefined) {
    if ("keys" in shot.opened) await page.keyboard.press(shot.opened.keys);
    else await page.getByRole("button", { name: shot.opened.button }).first().click();
    await page.getByRole("dialog").last().waitFor();
    await answered();
  }
  const names: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    if ((await page.getByRole("dialog").count()) === 0) await fitHeight(page, width);
    const name = [shot.name, state, colorScheme, locale, `${width}.png`].filter((part) => part !== undefined).join("-");
    await page.screenshot({ path: join(folder, name), animations: "disabled" });
    names.push(name);
  }
  return names;
}

/** Makes the window as high as the page, so that parts at the window's edges stand where they are at first sight. */
async function fitHeight(page: Page, width: number): Promise<void> {
  await twoFrames(page);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(height, highest) });
  await twoFrames(page);
}

/** Waits for two frames: parts that are drawn to measure, such as charts, follow the window a frame later. */
const twoFrames = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));

const quietMs = 400;
const longestMs = 8_000;

/** Placeholders of content that is still loading, also while a failed query is repeated. */
const loading = '[role="status"][aria-label^="Loading"], .mantine-Skeleton-root, .mantine-Loader-root';

/** Follows the queries of a page from now on. The returned function waits until they have been quiet for a moment and nothing loads, but not longer than allowed. */
function watchAnswers(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  let changedAt = performance.now();
  const note = (change: (request: Request) => unknown) => (request: Request) => {
    // Live queries stay open.
    if (request.resourceType() !== "fetch" || !request.url().includes("/trpc/")) return;
    change(request);
    changedAt = performance.now();
  };
  page.on(
    "request",
    note((request) => pending.add(request)),
  );
  for (const event of ["requestfinished", "requestfailed"] as const)
    page.on(
      event as "requestfinished",
      note((request) => pending.delete(request)),
    );
  const isQuiet = async () => pending.size === 0 && performance.now() - changedAt > quietMs && (await page.locator(loading).count()) === 0;
  return async () => void (await waitFor("the page to be quiet", isQuiet, longestMs).catch(() => undefined));
}

/** The viewer and the state: nobody signed in, an account without anything, one with everything, a server that answers nothing, and a shop that posts by itself. */
type State = "nobody" | "empty" | "full" | "failing" | "shop";

interface Shot {
  name: string;
  /** An id of the world stands in angle brackets. */
  path: string;
  states: readonly State[];
  /** What opens the dialog of the picture. */
  opened?: { keys: string } | { button: string };
}

export const shots = allShots as Shot[];

import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, ConsoleMessage, Page } from "playwright-core";

/** A page of its own session that remembers everything that went wrong on it. */
export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** Console warnings and errors, uncaught errors, requests that failed. */
  problems: string[];
}

export interface PageOptions {
  width?: number | undefined;
  colorScheme?: "light" | "dark" | undefined;
  /** Of a session: whoever it signs in is signed in from the start. */
  token?: string | undefined;
  /** The session is ended behind the page's back: it cannot but be refused once. */
  isEnded?: boolean | undefined;
}

/** `browser`: there is none only where the tests are skipped. */
export async function openPage(browser: Browser | undefined, baseURL: string, options: PageOptions = {}): Promise<WatchedPage> {
  if (browser === undefined) throw new Error("There is no browser: this test should have been skipped.");
  const { width = 1440, colorScheme = "light", token, isEnded = false } = options;
  const context = await browser.newContext({ baseURL, viewport: { width, height: 800 }, colorScheme, reducedMotion: "reduce" });
  if (token !== undefined) await context.addCookies([{ name: "tidings_session", value: token, url: baseURL }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type()) && !isExpected(message, isEnded))
      problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

/** What axe-core finds, one line a rule with the elements that break it. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

/** How many pixels a page is wider than its window. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Browsers log every 4xx, and a test may look for a refusal. But nothing is asked in nobody's name, except who signs in with a wrong password. */
function isExpected(message: ConsoleMessage, isEnded: boolean): boolean {
  const [, status] = /Failed to load resource: .* status of (4\d\d)/u.exec(message.text()) ?? [];
  if (status !== "401") return status !== undefined;
  return isEnded || /\/trpc\/auth\.login(?:\?|$)/u.test(message.location().url);
}

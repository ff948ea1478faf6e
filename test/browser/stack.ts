import { join } from "node:path";
import { demoPayload, makeDemo } from "admin-server/cli/demo";
import type { AdminConfig } from "admin-server/config";
import axeCore from "axe-core";
import { pino } from "pino";
import type { Browser, ConsoleMessage, Locator, Page } from "playwright-core";
import { freePort } from "shared/postgres/cluster";
import { startSandbox } from "shared/sandbox/start";
import { expect } from "vitest";
import { isLong } from "../faults/harness/scale.ts";
import { openAdminOn } from "../support/admin.ts";
import type { TestDatabase } from "../support/database.ts";
import { loopback, masterKey, openGateway } from "../support/gateway.ts";
import { root } from "../support/process.ts";
import { postEvent } from "../support/requests.ts";
import { controlToken, sandboxKey } from "../support/sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

declare global {
  /** The library in a page, once it was looked at. */
  var axe: typeof axeCore;
}

export type Stack = Awaited<ReturnType<typeof openStack>>;

export interface StackOptions {
  /** Whether there may be more accounts than the first. */
  allowSignUp?: boolean;
  /** The programs' ports; free ones unless given. Pages of the dashboard there outlast the stack, for the next one in its place. */
  ports?: Ports | undefined;
}

export type Ports = Record<"sandbox" | "gateway" | "admin", number>;

/** Starts everything that a person meets: dashboard, admin server, gateway and sandbox, over a database that outlasts it. */
export async function openStack(database: Pick<TestDatabase, "url" | "sql">, { allowSignUp = false, ports }: StackOptions = {}) {
  const sandbox = await startSandbox({
    host: "127.0.0.1",
    port: ports?.sandbox ?? 0,
    databaseUrl: database.url,
    key: sandboxKey,
    controlToken,
    log: pino({ level: "silent" }),
  });
  const gateway = await openGateway(database.url, sandbox.url, { port: ports?.gateway ?? 0, allowPrivate: loopback });
  const config = {
    masterKey,
    platformUrl: sandbox.url,
    sandboxUrl: sandbox.url,
    isSandbox: true,
    sandboxControlToken: controlToken,
    publicGatewayUrl: gateway.url,
    allowSignUp,
    allowPrivate: loopback,
  };
  const dashboardDirectory = join(root, "admin-web/dist/web");
  const admin = await openAdminOn(database.url, { ...config, port: ports?.admin ?? 0 }, { dashboardDirectory });
  return {
    sandbox,
    gateway,
    admin,
    /** Starts one more admin server, which is reached as localhost: passkeys need a name. */
    async openLocal() {
      const port = await freePort();
      const url = `http://localhost:${port}`;
      const local = await openAdminOn(database.url, { ...config, port, publicAdminUrl: url }, { dashboardDirectory });
      return { url, [Symbol.asyncDispose]: () => local[Symbol.asyncDispose]() };
    },
    /** Starts one more admin server, which sends e-mails and looks for alerts often. */
    async openWithMail(mail: AdminConfig["mail"]) {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const times = { alertingTimes: { tickMs: 200 }, sendingTimes: { tickMs: 50 } };
      const more = await openAdminOn(database.url, { ...config, port, publicAdminUrl: url, mail }, { dashboardDirectory, ...times });
      return { url, [Symbol.asyncDispose]: () => more[Symbol.asyncDispose]() };
    },
    sql: database.sql,
    async [Symbol.asyncDispose]() {
      if (ports === undefined) await closePages(admin.url);
      for (const part of [admin, gateway, sandbox]) await part[Symbol.asyncDispose]();
    },
  };
}

/** Gives the owner, who exists, a shop with a template and a binding, and posts one order to it. Answers the gateway's answer. */
export async function sendFirstMessage({ admin, gateway }: Stack): Promise<Record<string, unknown>> {
  const { shop } = await makeDemo(admin.url, { owner, password: "", setupCode: "", sandbox: null });
  const { json } = await postEvent(gateway, { key: shop.apiKey, secret: shop.webhookSecret }, demoPayload);
  return json;
}

/** The person as whom the tests sign in. */
export const owner = { email: "ann@example.com", password: "right horse battery" };

export async function signUp(page: Page, { email, password }: typeof owner): Promise<void> {
  await page.getByLabel("Account name").fill("Bean & Leaf");
  await page.getByLabel("E-mail").fill(email);
  await passwordOf(page).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
}

/** Signs in; ends on the first page after it. */
export async function signIn(page: Page): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(owner.email);
  await passwordOf(page).fill(owner.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await ownMenu(page).waitFor();
}

/** The button that opens the signed-in person's menu. */
export const ownMenu = (page: Page) => page.getByRole("button", { name: /: your menu$/u });

export async function signOut(page: Page): Promise<void> {
  await ownMenu(page).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

/**
 * Lets blocked requests through, and tries again. It uses the keyboard: if the page has just tried by itself, the notice is gone and the key does nothing,
 * while a click would wait for it in vain.
 */
export async function tryAgain(page: Page, blocked: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: "Try again" }).first().focus();
  await page.unroute(blocked);
  await page.keyboard.press("Enter");
}

/** The field of the password, not the button beside it that shows the typed text. */
export function passwordOf(page: Page) {
  return page.getByRole("textbox", { name: "Password" });
}

/** A page with a session of its own that remembers everything that went wrong on it. */
export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** Console warnings and errors, uncaught errors, requests that failed. */
  problems: string[];
}

export interface PageOptions {
  width?: number | undefined;
  colorScheme?: "light" | "dark" | undefined;
  /** The token of a session, whose person is signed in from the start. */
  token?: string | undefined;
  /** True if the session is ended behind the page's back, so that one refusal is expected. */
  isEnded?: boolean | undefined;
  /** True if the page is closed at its end, since the test changes something that would stay, such as its clock. */
  isLast?: boolean | undefined;
  /** The browser's language, such as `de-DE`; else American English. */
  locale?: string | undefined;
}

/** Opens a page. `browser` is undefined only if the tests are skipped. */
export async function openPage(browser: Browser | undefined, baseURL: string, options: PageOptions = {}): Promise<WatchedPage> {
  if (browser === undefined) throw new Error("There is no browser: this test should have been skipped.");
  const { width = 1440, colorScheme = "light", token, isEnded = false, isLast = false, locale } = options;
  const free = locale === undefined ? freePages.get(baseURL)?.pop() : undefined;
  const page =
    free ?? (await (await browser.newContext({ baseURL, reducedMotion: "reduce", ...(locale !== undefined && { locale }) })).newPage());
  const context = page.context();
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme });
  if (token !== undefined) await context.addCookies([{ name: "tidings_session", value: token, url: baseURL }]);
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type()) && !isExpected(message, isEnded))
      problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  return {
    page,
    problems,
    [Symbol.asyncDispose]: () => (isLast || locale !== undefined || page.isClosed() ? context.close() : leave(page, baseURL)),
  };
}

/** Empty pages without a session, by their server: loading in a new page costs the browser four times as much as in an existing one. */
const freePages = new Map<string, Page[]>();

async function leave(page: Page, baseURL: string): Promise<void> {
  const context = page.context();
  page.removeAllListeners();
  // The browser asks whether to leave the page.
  page.once("dialog", (dialog) => void dialog.accept());
  await page.unrouteAll({ behavior: "ignoreErrors" });
  if (page.url().startsWith(baseURL)) await page.evaluate(() => [localStorage, sessionStorage].forEach((kept) => kept.clear()));
  await page.goto("about:blank");
  page.removeAllListeners();
  for (const other of context.pages()) if (other !== page) await other.close();
  await context.clearCookies();
  await context.clearPermissions();
  freePages.set(baseURL, [...(freePages.get(baseURL) ?? []), page]);
}

async function closePages(baseURL: string): Promise<void> {
  for (const page of freePages.get(baseURL) ?? []) await page.context().close();
  freePages.delete(baseURL);
}

/**
 * Leads to a path as a link does, by way of an empty page, for a third of a load's work, in tests of something else than the load. It loads the first path
 * of a page, and paths with a part after the #. `notFound`: what the page says in its language of a path that there is not.
 */
export async function lead(page: Page, path: string, notFound = "Page not found"): Promise<void> {
  if (page.url() === "about:blank" || path.includes("#")) {
    await page.goto("about:blank");
    await page.goto(path);
    return;
  }
  const go = (to: string) =>
    page.evaluate((address) => {
      history.pushState(null, "", address);
      dispatchEvent(new PopStateEvent("popstate"));
    }, to);
  await go("/no/such/page");
  await page.getByText(notFound).waitFor();
  await go(path);
}

/** Colours are three quarters of axe's work: the usual run looks at them on each page once, in `looks.test.ts`, the long run always. */
const usualRules = isLong ? {} : { rules: { "color-contrast": { enabled: false } } };

/** The findings of axe-core, by its rules or by some, one line for each rule with the elements that break it. */
export async function accessibilityProblems(page: Page, options: axeCore.RunOptions = usualRules): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeCore.source);
  await page.waitForFunction(isStill);
  const { violations } = await page.evaluate(
    (chosen) => globalThis.axe.run({ ...chosen, resultTypes: ["violations"], preload: false, selectors: false }),
    options,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

/** The widths from narrow to wide; axe looks in the last one. The long run also looks in the dark. */
const widths = isLong ? [360, 768, 2560, 1440] : [360, 1440];
/** The rules that depend on the colours. */
const colorRules = { runOnly: ["color-contrast", "link-in-text-block"] };

/** The page is no wider than its window. */
export async function fitsItsWindow(page: Page): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    // Parts that are drawn to measure, such as a chart, follow a moment later.
    await expect.poll(() => sidewaysScroll(page), { message: `pixels wider than ${width}` }).toBe(0);
  }
}

/** The page is no wider than its window, and keeps the rules of axe. */
export async function looksRight({ page }: Pick<WatchedPage, "page">, rules?: axeCore.RunOptions): Promise<void> {
  await fitsItsWindow(page);
  await expect.poll(() => accessibilityProblems(page, rules)).toEqual([]);
  if (!isLong) return;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  await expect.poll(() => accessibilityProblems(page, colorRules), { message: "in dark" }).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

/** Whether nothing on the page fades or moves towards an end: a colour in between belongs to no state. */
const isStill = (): boolean =>
  document.getAnimations().every(({ effect, playState }) => playState !== "running" || effect?.getComputedTiming().endTime === Infinity);

/** How many pixels a page is wider than its window. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/**
 * Whether a message of the console is expected. Browsers log every 4xx, and a test may expect a refusal. But no request without a session is refused,
 * except a sign-in with a wrong password or code.
 */
function isExpected(message: ConsoleMessage, isEnded: boolean): boolean {
  const [, status] = /Failed to load resource: .* status of (4\d\d)/u.exec(message.text()) ?? [];
  if (status !== "401") return status !== undefined;
  return isEnded || /\/trpc\/auth\.(?:login|secondFactor)(?:\?|$)/u.test(message.location().url);
}

/** Waits until there are exactly this many. */
export const untilThereAre = (count: number, found: Locator): Promise<true> =>
  waitFor(`${count} of ${String(found)}`, async () => (await found.count()) === count);

export const untilFocused = (locator: Locator): Promise<void> => locator.and(locator.page().locator(":focus")).waitFor();

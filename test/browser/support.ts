import { randomInt } from "node:crypto";
import { demoEvent, demoPayload, demoTemplate, demoVariableMap } from "admin-server/cli/demo";
import type { Browser, Locator, Page } from "playwright-core";
import { isFreePort } from "shared/postgres/cluster";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isLong } from "../faults/harness/scale.ts";
import { type AdminClient, addMember } from "../support/admin.ts";
import { openBrowser } from "../support/browser.ts";
import { copyOf, testDatabase } from "../support/database.ts";
import { postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { openPage, openStack, owner, type PageOptions, type Ports, sendFirstMessage, type Stack } from "./stack.ts";

/** The browser of a worker, which ends with it; undefined, with a loud message, if there is none. */
export const browser = await openBrowser();

/** Tests of the dashboard over a start of all programs that belongs to their file. They are skipped without a browser. */
export const describeInBrowser = (name: string, tests: (opened: Case) => void): void => describeOver(name, () => openCase(browser), tests);

/** The same where nobody has signed up yet, and anybody may. */
export const describeAtFirst = (name: string, tests: (opened: () => Stack) => void): void =>
  describeOver(
    name,
    async () => {
      const database = await testDatabase();
      return endingTogether(await openStack(database, { allowSignUp: true }), database);
    },
    tests,
  );

function describeOver<Started extends AsyncDisposable>(
  name: string,
  start: () => Promise<Started>,
  tests: (opened: () => Started) => void,
) {
  describe.skipIf(browser === undefined)(`in a browser: ${name}`, () => {
    let stack: Started;

    beforeAll(async () => {
      stack = await start();
    });

    afterAll(async () => {
      await stack[Symbol.asyncDispose]();
    });

    tests(() => stack);
  });
}

export type Opened = Awaited<ReturnType<typeof openCase>>;

/**
 * One start of everything for all tests of a file, over a database of its own: an account with an owner, an operator and a viewer, and a first message
 * that was read. Each file begins with a copy of the worker's first database, at the same ports.
 */
async function openCase(browser: Browser | undefined) {
  model ??= makeModel();
  const { ports, databaseUrl, owner, operator, viewer } = await model.catch((error: unknown) => {
    model = undefined;
    throw error;
  });
  const database = await copyOf(databaseUrl);
  // The proof counts however long ago they signed in.
  await database.sql`update user_session set proven_at = now()`;
  const stack = await openStack(database, { ports });
  const { admin } = stack;
  const signedIn = <Member extends { token: string }>(member: Member): Member & { client: AdminClient } => ({
    ...member,
    client: admin.client(member.token),
  });
  const people = { owner: signedIn(owner), operator: signedIn(operator), viewer: signedIn(viewer) };
  /** A page of a browser session of its own. */
  const open = (options?: PageOptions) => openPage(browser, admin.url, options);
  return {
    ...endingTogether(stack, database),
    ...people,
    open,
    /** The same for one of the three, or for nobody yet, at a page of the dashboard. It ends with the test, which fails if anything went wrong on it but `expected`. */
    visit: async (as: keyof typeof people | null, path?: string, { expected, ...options }: PageOptions & { expected?: RegExp } = {}) => {
      const watched = await open({ ...(as !== null && { token: people[as].token }), ...options });
      onTestFinished(async () => {
        await watched[Symbol.asyncDispose]();
        expect(watched.problems.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
      });
      if (path !== undefined) await watched.page.goto(path);
      return watched;
    },
  };
}

const endingTogether = (stack: Stack, database: AsyncDisposable): Stack => ({
  ...stack,
  async [Symbol.asyncDispose]() {
    for (const part of [stack, database]) await part[Symbol.asyncDispose]();
  },
});

/** The model that the cases of this worker are copies of. */
let model: ReturnType<typeof makeModel> | undefined;

async function makeModel() {
  const database = await testDatabase();
  const ports = await ownPorts();
  const stack = await openStack(database, { ports });
  const { admin } = stack;
  const { token } = await admin.client().auth.signUp.mutate({ accountName: "Bean & Leaf", ...owner });
  // The owner has opened the mailed link.
  await database.sql`update app_user set email_proven = true`;
  const client = admin.client(token);
  await sendFirstMessage(stack);
  const operator = await addMember(admin, client, "operator", "oscar@example.com");
  const viewer = await addMember(admin, client, "viewer", "vera@example.com");
  await waitFor("the first message to be read", async () => (await client.notifications.list.query()).items[0]?.status === "read");
  await stack[Symbol.asyncDispose]();
  await database.sql.end();
  return { ports, databaseUrl: database.url, owner: { token }, operator, viewer };
}

/** Three ports that no other test takes while they are unused: each worker has a hundred of its own, below all ports that tests choose from. */
async function ownPorts(): Promise<Ports> {
  const first = 10_000 + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 20) * 100 + randomInt(33) * 3;
  const ports = { sandbox: first, gateway: first + 1, admin: first + 2 };
  const areFree = await Promise.all(Object.values(ports).map(isFreePort));
  return areFree.every(Boolean) ? ports : await ownPorts();
}

/** The surroundings of a case's tests; made before the first of them. */
export type Case = () => Opened;

/** A site of a test's own that confirms orders by the demo's template. `order` posts one for a phone. */
export async function ownShop({ owner, gateway }: Opened, name: string) {
  const { client } = owner;
  const { site, apiKey, webhookSecret } = await client.sites.create.mutate({ name, url: "https://own.example", sourceType: "generic" });
  const [template] = (await client.templates.list.query({ search: demoTemplate.name })).items;
  await client.bindings.create.mutate({
    siteId: site.id,
    event: demoEvent,
    templateId: template?.id ?? "",
    recipient: { strategy: "customer" },
    variableMap: demoVariableMap,
  });
  const order = (phone: string, firstName: string, number = demoPayload.order.number) =>
    postEvent(
      gateway,
      { key: apiKey, secret: webhookSecret },
      {
        ...demoPayload,
        order: { ...demoPayload.order, number },
        customer: { ...demoPayload.customer, first_name: firstName, phone_e164: phone },
      },
    );
  return { site, order };
}

export async function openSite({ owner }: Opened, name: string) {
  const made = await owner.client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" });
  return { siteId: made.site.id, sender: { key: made.apiKey, secret: made.webhookSecret } };
}

/** Waits until so many problems of a site are found. A look that began earlier may end after the order for a new one, which is therefore repeated. */
export const untilFound = ({ owner, sql }: Opened, siteId: string, count: number): Promise<true> =>
  waitFor("the problems to be found", async () => {
    await sql`update alert_watch set looked_at = null`;
    return (await owner.client.problems.list.query({ siteId })).items.length >= count;
  });

/** Presses the Tab key until the target has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: "attached" });
  for (let left = 40; left > 0; left -= 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("It cannot be reached with the Tab key");
}

/** Presses a key on a control once it is enabled; Playwright's `press` does not wait for that, as its `click` does. */
export async function press(control: Locator, key = "Enter"): Promise<void> {
  await control.and(control.page().locator(":not(:disabled)")).press(key);
}

/** Types into a field with suggestions, and takes the first one. */
export async function choose(page: Page, name: string, typed: string): Promise<void> {
  const field = page.getByRole("combobox", { name, exact: true });
  await tabTo(page, field);
  await page.keyboard.type(typed);
  const offered = page.getByRole("listbox").getByRole("option").filter({ visible: true });
  await offered.first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => offered.count()).toBe(0);
}

/** Adds a filter of a list: one of its values, or the field that opens. */
export async function addFilter(page: Page, name: string, value?: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
  if (value !== undefined) await page.getByRole("menuitemradio", { name: value, exact: true }).click();
}

/** Counts the clicks that a person needs from now on, until the page is loaded anew. */
export function countClicks(page: Page): () => Promise<number> {
  const listening = page.evaluate(() => {
    document.body.dataset["clicks"] = "0";
    // Clicks of the pointer count, since a label repeats a click at its field.
    addEventListener("pointerdown", () => (document.body.dataset["clicks"] = String(Number(document.body.dataset["clicks"]) + 1)), true);
  });
  return async () => {
    await listening;
    return page.evaluate(() => Number(document.body.dataset["clicks"]));
  };
}

/** A test for the long run alone, of something that a page does besides its main journeys. */
export const detail: (name: string, run: () => Promise<void>) => void = isLong ? test : () => undefined;

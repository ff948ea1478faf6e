import { demoEvent, demoPayload, demoTemplate, demoVariableMap } from "admin-server/cli/demo";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { addMember } from "../support/admin.ts";
import { openBrowser } from "../support/browser.ts";
import { testDatabase } from "../support/database.ts";
import { postEvent } from "../support/requests.ts";
import { openPage, openStack, owner, type PageOptions, sendFirstMessage } from "./stack.ts";

/** The browser of a worker, which ends with it; undefined, and said loudly, where there is none. */
export const browser = await openBrowser();

/** Tests of the dashboard over a start of everything that belongs to their file. Skipped where there is no browser. */
export function describeInBrowser(name: string, tests: (opened: Case) => void): void {
  describe.skipIf(browser === undefined)(`in a browser: ${name}`, () => {
    let stack: Opened;

    beforeAll(async () => {
      stack = await openCase(browser);
    });

    afterAll(async () => {
      await stack[Symbol.asyncDispose]();
    });

    tests(() => stack);
  });
}

export type Opened = Awaited<ReturnType<typeof openCase>>;

/** One start of everything for all tests of a file: an account with an owner, an operator and a viewer, and a first message. */
async function openCase(browser: Browser | undefined) {
  const database = await testDatabase();
  const stack = await openStack(database);
  const { admin } = stack;
  const { token } = await admin.client().auth.signUp.mutate({ accountName: "Bean & Leaf", ...owner });
  await sendFirstMessage(stack);
  const client = admin.client(token);
  const operator = await addMember(admin, client, "operator", "oscar@example.com");
  const viewer = await addMember(admin, client, "viewer", "vera@example.com");
  return {
    ...stack,
    owner: { token, client },
    operator,
    viewer,
    /** A page of a browser session of its own. */
    open: (options?: PageOptions) => openPage(browser, admin.url, options),
    async [Symbol.asyncDispose]() {
      for (const part of [stack, database]) await part[Symbol.asyncDispose]();
    },
  };
}

/** What a case's tests run in; made before the first of them. */
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
  const order = (phone: string, firstName: string) =>
    postEvent(
      gateway,
      { key: apiKey, secret: webhookSecret },
      { ...demoPayload, customer: { ...demoPayload.customer, first_name: firstName, phone_e164: phone } },
    );
  return { site, order };
}

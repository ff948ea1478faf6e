import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { bindingTests } from "./cases/bindings.ts";
import { developersTests } from "./cases/developers.ts";
import { eventTests } from "./cases/events.ts";
import { logLiveTests } from "./cases/log-live.ts";
import { logTests } from "./cases/log.ts";
import { type Opened, openCase } from "./cases/opened.ts";
import { overviewTests } from "./cases/overview.ts";
import { phoneTests } from "./cases/phone.ts";
import { siteTests } from "./cases/sites.ts";
import { templateTests } from "./cases/templates.ts";
import { textTests } from "./cases/texts.ts";

const browser = await openBrowser();

describe.skipIf(browser === undefined)("the pages of daily work in a real browser", () => {
  let stack: Opened;
  const opened = () => stack;

  beforeAll(async () => {
    stack = await openCase(browser);
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await browser?.close();
  });

  // One line a page, each from a file of ./cases.
  test("it opens", () => expect(opened().owner.token).not.toBe(""));
  overviewTests(opened);
  eventTests(opened);
  logTests(opened);
  logLiveTests(opened);
  bindingTests(opened);
  siteTests(opened);
  phoneTests(opened);
  templateTests(opened);
  developersTests(opened);
  textTests(opened);
});

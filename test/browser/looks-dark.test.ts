import { afterAll, beforeAll, describe } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { lookTests } from "./cases/looks.ts";
import { type Opened, openCase } from "./cases/opened.ts";

const browser = await openBrowser();

describe.skipIf(browser === undefined)("in dark", () => {
  let stack: Opened;

  beforeAll(async () => {
    stack = await openCase(browser);
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await browser?.close();
  });

  lookTests(() => stack, "dark");
});

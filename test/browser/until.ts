import type { Locator } from "playwright-core";
import { waitFor } from "../support/wait-for.ts";

/** Until there are so many, no fewer and no more. */
export const untilThereAre = (count: number, found: Locator): Promise<true> =>
  waitFor(`${count} of ${String(found)}`, async () => (await found.count()) === count);

export const untilFocused = (locator: Locator): Promise<void> => locator.and(locator.page().locator(":focus")).waitFor();

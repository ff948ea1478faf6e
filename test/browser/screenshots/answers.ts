import type { Page, Request } from "playwright-core";
import { waitFor } from "../../support/wait-for.ts";

const quietMs = 400;
const longestMs = 8_000;

/** What stands where something will be, also while a failed question is asked once more. */
const loading = '[role="status"][aria-label^="Loading"], .mantine-Skeleton-root, .mantine-Loader-root';

/** Follows what a page asks the server from now on. The answer waits until that has been quiet for a moment and nothing loads; for no longer than it may. */
export function watchAnswers(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  let changedAt = performance.now();
  const note = (change: (request: Request) => unknown) => (request: Request) => {
    // What is followed live stays open.
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

import { trpc } from "../../trpc.ts";
import type { Site } from "./site.ts";

/** Takes over what the server answered to a change of a site, wherever the site is shown. */
export function useKeepSite(): (answer: { site: Site }) => Promise<void> {
  const cache = trpc.useUtils();
  return async ({ site }) => {
    cache.sites.get.setData({ id: site.id }, (former) => former && { ...former, site });
    await cache.sites.list.invalidate();
  };
}

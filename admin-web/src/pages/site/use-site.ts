import { cache, type Outputs } from "../../trpc.ts";

export type Site = Outputs["sites"]["get"]["site"];

/** A key or secret of the site that is valid now. */
export type SiteSecret = Outputs["sites"]["get"]["secrets"][number];

/** A topic that the site's shop has posted. */
export type Topic = Outputs["sites"]["get"]["topics"][number];

/** Puts the server's answer to a change into the cache. */
export function useKeepSite(): (answer: { site: Site }) => Promise<void> {
  return async ({ site }) => {
    cache.sites.get.setData({ id: site.id }, (former) => former && { ...former, site });
    await cache.sites.list.invalidate();
  };
}

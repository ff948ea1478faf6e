import { type Outputs, trpc } from "../../trpc.ts";

export type Site = Outputs["sites"]["get"]["site"];

/** One of the site's keys and webhook secrets that count at present. */
export type SiteSecret = Outputs["sites"]["get"]["secrets"][number];

/** Takes over what the server answered to a change of a site, wherever the site is shown. */
export function useKeepSite(): (answer: { site: Site }) => Promise<void> {
  const cache = trpc.useUtils();
  return async ({ site }) => {
    cache.sites.get.setData({ id: site.id }, (former) => former && { ...former, site });
    await cache.sites.list.invalidate();
  };
}

import { cache, type Outputs, trpc } from "../../trpc.ts";

export type Site = Outputs["sites"]["get"]["site"];

/** A key or secret of the site that is valid now. */
export type SiteSecret = Outputs["sites"]["get"]["secrets"][number];

/** A topic that the site's shop has posted. */
export type Topic = Outputs["sites"]["get"]["topics"][number];

/** Changes a site, and puts the server's answer into the cache. */
export const useUpdateSite = (): ReturnType<typeof trpc.sites.update.useMutation> =>
  trpc.sites.update.useMutation({
    onSuccess: async ({ site }) => {
      cache.sites.get.setData({ id: site.id }, (former) => former && { ...former, site });
      await cache.sites.list.invalidate();
    },
  });

import { useParams } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { ListSkeleton } from "../../ui/states/list-skeleton.tsx";
import { SiteLinks } from "./site-links.tsx";
import { SiteParts } from "./site-parts.tsx";

const back = { to: paths.sites, label: "Sites" };

export function SitePage() {
  const { siteId } = useParams({ from: `/signed-in${paths.site}` });
  const query = trpc.sites.get.useQuery({ id: siteId });
  if (query.data !== undefined) {
    const { site, secrets } = query.data;
    return (
      <Page title={site.name} lead={site.url} back={back} actions={<SiteLinks siteId={site.id} />}>
        {query.error !== null && (
          <FailureNotice title="What stands here may be old" error={query.error} onRetry={() => void query.refetch()} />
        )}
        <SiteParts key={site.id} site={site} secrets={secrets} />
      </Page>
    );
  }
  return (
    <Page title="Site" back={back}>
      {query.error === null && <ListSkeleton what="the site" />}
      {query.error !== null && isNoSite(query.error) && (
        <EmptyState title="There is no such site">It may have been deleted, or the address is not whole.</EmptyState>
      )}
      {query.error !== null && !isNoSite(query.error) && (
        <FailureNotice title="Could not load the site" error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}

/** An address that was cut off names no id at all. */
const isNoSite = ({ data }: { data?: { code: string } | null | undefined }): boolean =>
  data?.code === "NOT_FOUND" || data?.code === "BAD_REQUEST";

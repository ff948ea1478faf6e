import { useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Attention } from "./attention/attention.tsx";
import { Deliveries } from "./deliveries/deliveries.tsx";
import { HomeFilters } from "./home-filters.tsx";
import { spans } from "./home-search.ts";
import { HomeSkeleton } from "./home-skeleton.tsx";
import { NothingYet } from "./nothing-yet.tsx";
import { PlatformNotice } from "./platform-notice.tsx";
import { RecentMessages } from "./recent-messages.tsx";
import { useRecent } from "./use-recent.ts";

export function HomePage() {
  const search = useSearch({ from: `/signed-in${paths.home}` });
  const settings = trpc.settings.get.useQuery();
  const recent = useRecent(search.siteId);
  const isNew = search.siteId === undefined && recent.items?.length === 0;
  const isKnown = settings.data !== undefined && (recent.items !== undefined || recent.error !== null);
  return (
    <Page
      title="Overview"
      lead="What was sent, how far it came, and what needs you."
      actions={isNew ? null : <HomeFilters search={search} />}
    >
      {settings.error !== null && (
        <FailureNotice title="Could not load the settings" error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.data !== undefined && <PlatformNotice {...settings.data.platform} />}
      {!isKnown && settings.error === null && <HomeSkeleton />}
      {isNew && <NothingYet />}
      {isKnown && !isNew && (
        <>
          <Attention />
          <Deliveries timezone={settings.data.timezone} days={search.days ?? spans[0]} siteId={search.siteId} />
          <RecentMessages {...recent} />
        </>
      )}
    </Page>
  );
}

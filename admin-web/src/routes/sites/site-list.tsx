import { Group, Stack } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMay } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { TextFilter } from "../../ui/filters/text-filter.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { SiteTable } from "./site-table.tsx";
import { readSitesSearch } from "./sites-search.ts";

/** From how many on they are looked for rather than looked through. */
const many = 10;

export function SiteList({ search }: { search: string | undefined }) {
  const sites = trpc.sites.list.useInfiniteQuery(
    { search, limit: 50 },
    { getNextPageParam: (page) => page.nextCursor, placeholderData: keepPreviousData },
  );
  const navigate = useNavigate();
  const look = (text: string) => void navigate({ to: paths.sites, search: readSitesSearch({ search: text }), replace: true });
  const isLong = sites.data !== undefined && (sites.hasNextPage || sites.data.pages.flatMap((page) => page.items).length >= many);
  return (
    <Stack gap="sm">
      {(isLong || search !== undefined) && (
        <TextFilter aria-label="Search the sites" placeholder="Name or URL" maw="24rem" value={search} onChange={look} />
      )}
      <PagedList query={sites} what="the sites" empty={search === undefined && !sites.isPlaceholderData ? <NoSite /> : <NothingFound />}>
        {(items) => <SiteTable sites={items} />}
      </PagedList>
    </Stack>
  );
}

function NoSite() {
  const mayCreate = useMay("operator");
  return (
    <EmptyState title="No site yet">
      A site is one shop, clinic or product whose backend posts events.{" "}
      {mayCreate ? "Make one, then give its backend the key and the secret that you are shown." : "Operators and owners can make one."}
      {mayCreate && (
        <Group justify="center" mt="sm">
          <ButtonLink to={paths.sites} search={{ create: true }} replace size="xs">
            Make the first site
          </ButtonLink>
        </Group>
      )}
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState title="No site has that in its name or URL">
      <TextLink to={paths.sites}>Show all sites</TextLink>
    </EmptyState>
  );
}

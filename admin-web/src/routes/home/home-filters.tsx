import { Group, SegmentedControl } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { SiteSelect } from "../../pickers/site-select.tsx";
import { type HomeSearch, readHomeSearch, spans } from "./home-search.ts";

const choices = spans.map((days) => ({ value: String(days), label: `${days} days` }));

/** They stand in the address, so that a view can be sent to somebody and comes back with a reload. */
export function HomeFilters({ search }: { search: HomeSearch }) {
  const navigate = useNavigate();
  const change = (changes: Record<keyof HomeSearch, unknown>) =>
    void navigate({ to: paths.home, search: readHomeSearch(changes), replace: true });
  return (
    <Group gap="sm">
      <SiteSelect
        label={null}
        aria-label="Site"
        placeholder="All sites"
        size="sm"
        w="12rem"
        clearable
        value={search.siteId ?? null}
        onChange={(siteId) => change({ days: search.days, siteId })}
      />
      <SegmentedControl
        aria-label="Days shown"
        data={choices}
        value={String(search.days ?? spans[0])}
        onChange={(days) => change({ siteId: search.siteId, days: Number(days) })}
      />
    </Group>
  );
}

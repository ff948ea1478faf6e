import { Code, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { Moment } from "../../ui/moment.tsx";
import { sourceTypeWords } from "../../ui/source-type-words.ts";
import { TextLink } from "../../ui/text-link.tsx";

type Site = Outputs["sites"]["list"]["items"][number];

const columns: Column<Site>[] = [
  { name: "Name", kind: "title", cell: (site) => <SiteName {...site} /> },
  { name: "Source type", kind: "short", cell: ({ sourceType }) => sourceTypeWords[sourceType] },
  {
    name: "State",
    kind: "short",
    cell: ({ enabled }) => <LabelBadge color={enabled ? "teal" : "gray"}>{enabled ? "enabled" : "disabled"}</LabelBadge>,
  },
  { name: "Last event", kind: "short", cell: ({ lastEventAt }) => (lastEventAt === null ? "none yet" : <Moment at={lastEventAt} />) },
  { name: "API key", kind: "short", cell: ({ apiKeyHint }) => <Code w="fit-content">{apiKeyHint}</Code> },
];

export function SiteTable({ sites }: { sites: Site[] }) {
  return <DataTable label="Sites" columns={columns} rows={sites} rowKey={({ id }) => id} />;
}

function SiteName({ id, name, url }: Site) {
  return (
    <>
      <TextLink to={paths.site} params={{ siteId: id }} fw={600} underline="hover">
        {name}
      </TextLink>
      <Text size="sm" c="dimmed">
        {url}
      </Text>
    </>
  );
}

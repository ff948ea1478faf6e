import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useSiteName } from "../../pickers/use-site-name.ts";
import { useMay } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { recipientWords } from "../../ui/recipient-words.ts";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { TemplateStatusBadge } from "../../ui/template/template-status-badge.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { BindingProblems } from "./binding-problems.tsx";
import { BindingSwitch } from "./binding-switch.tsx";
import type { BindingsSearch } from "./bindings-search.ts";
import type { ListedBinding } from "./listed-binding.ts";

const columns: Column<ListedBinding>[] = [
  { name: "Event", kind: "title", cell: (binding) => <Trigger {...binding} /> },
  { name: "Sends", cell: (binding) => <Sent {...binding} /> },
  { name: "To", cell: ({ recipient }) => <Text size="sm">{recipientWords(recipient)}</Text> },
  { name: "On", kind: "short", cell: (binding) => <BindingSwitch binding={binding} /> },
];

export function BindingList({ search }: { search: BindingsSearch }) {
  const bindings = trpc.bindings.list.useInfiniteQuery(
    { ...search, limit: 50 },
    {
      getNextPageParam: (page) => page.nextCursor,
      // Other filters keep the list until theirs is here.
      placeholderData: (shown) => shown,
    },
  );
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <PagedList query={bindings} what="the bindings" empty={isFiltered ? <NothingFound {...search} /> : <NoBinding />}>
      {(items) => <DataTable label="Bindings" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function Trigger({ id, event, siteId }: ListedBinding) {
  const siteName = useSiteName();
  return (
    <>
      <TextLink to={paths.binding} params={{ bindingId: id }} fw={600} underline="hover">
        {event}
      </TextLink>
      <Text size="sm" c="dimmed">
        {siteName(siteId)}
      </Text>
    </>
  );
}

function Sent({ templateId, template, language, templateStatus, problems }: ListedBinding) {
  return (
    <Stack gap={6}>
      <Group gap={6}>
        <TextLink to={paths.template} params={{ templateId }} size="sm">
          {template}
        </TextLink>
        <Text size="sm" c="dimmed" span>
          {language}
        </Text>
        <TemplateStatusBadge status={templateStatus} />
      </Group>
      <BindingProblems problems={problems} />
    </Stack>
  );
}

function NothingFound({ siteId, event, templateId }: BindingsSearch) {
  const mayWrite = useMay("operator");
  return (
    <EmptyState title="No binding fits">
      <Group justify="center" gap="md">
        <Anchor component={Link} to={paths.bindings} underline="always">
          Show all bindings
        </Anchor>
        {mayWrite && (
          <TextLink to={paths.newBinding} search={{ siteId, event, templateId }}>
            Make one like this
          </TextLink>
        )}
      </Group>
    </EmptyState>
  );
}

function NoBinding() {
  const mayWrite = useMay("operator");
  return (
    <EmptyState title="No binding yet">
      A binding says what happens when an event comes: which template is sent, to whom, and what its slots are filled with. It takes a site
      that sends events and a template.
      {mayWrite && (
        <Group justify="center" mt="sm">
          <TextLink to={paths.newBinding}>Make the first binding</TextLink>
        </Group>
      )}
    </EmptyState>
  );
}

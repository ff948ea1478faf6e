import { Group } from "@mantine/core";
import { formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session/me.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/moment.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { categoryName } from "../../ui/template/category-name.ts";
import { QualityBadge } from "../../ui/template/quality-badge.tsx";
import { reviewMs } from "../../ui/template/review-ms.ts";
import { TemplateStatusBadge } from "../../ui/template/template-status-badge.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { TemplateTitle } from "./template-title.tsx";
import type { TemplatesSearch } from "./templates-search.ts";

type Template = Outputs["templates"]["list"]["items"][number];

const columns: Column<Template>[] = [
  { name: "Name", kind: "title", cell: (template) => <TemplateTitle {...template} /> },
  { name: "Status", cell: ({ status }) => <TemplateStatusBadge status={status} /> },
  { name: "Language", cell: ({ language }) => <span title={language}>{formatLanguage(language)}</span> },
  { name: "Category", cell: ({ category }) => categoryName(category) },
  { name: "Quality", cell: ({ quality }) => <QualityBadge quality={quality} /> },
  { name: "Changed", kind: "short", cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
];

export function TemplateList({ search }: { search: TemplatesSearch }) {
  const templates = trpc.templates.list.useInfiniteQuery(
    { ...search, limit: 50 },
    {
      getNextPageParam: (page) => page.nextCursor,
      refetchInterval: ({ state }) => (state.data?.pages.some(isInReview) ? reviewMs : false),
      // Other filters keep the list until theirs is here.
      placeholderData: (shown) => shown,
    },
  );
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <PagedList query={templates} what="the templates" empty={isFiltered ? <NothingFound /> : <NoTemplate />}>
      {(items) => <DataTable label="Templates" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

const isInReview = ({ items }: Outputs["templates"]["list"]): boolean => items.some(({ status }) => status === "pending");

function NoTemplate() {
  const mayWrite = useMay("operator");
  return (
    <EmptyState title="No template yet">
      A template is a message with slots, such as “Hello {"{{1}}"}, your order is on its way”. Write one, and the platform reviews it,
      mostly within minutes. Templates that you have on the platform already come with a sync.
      {mayWrite && (
        <Group justify="center" mt="sm">
          <ButtonLink to={paths.newTemplate} size="xs">
            Write the first template
          </ButtonLink>
        </Group>
      )}
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState title="No template fits">
      <TextLink to={paths.templates}>Show all templates</TextLink>
    </EmptyState>
  );
}

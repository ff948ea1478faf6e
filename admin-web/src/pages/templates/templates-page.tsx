import { Group, Alert, Button, Text } from "@mantine/core";
import IconRefresh from "@tabler/icons-react/dist/esm/icons/IconRefresh.mjs";
import { useNavigate, useSearch, Link } from "@tanstack/react-router";
import { templateStatuses, type TemplateStatus } from "shared/core/template/definition";
import { formatCount, formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { TextFilter } from "../../ui/filters.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { reviewMs, categoryName, QualityBadge, TemplateStatusBadge, rejectionAdvice } from "../../ui/template-words.tsx";
import { readTemplatesSearch, type TemplatesSearch } from "./route.ts";
import classes from "./templates.module.css";

export function TemplatesPage() {
  const search = useSearch({ from: `/signed-in${paths.templates}` });
  const navigate = useNavigate();
  const mayWrite = useMay("operator");
  const find = (text: string) =>
    void navigate({ to: paths.templates, search: (now) => readTemplatesSearch({ ...now, search: text }), replace: true });
  return (
    <Page
      title="Templates"
      lead="The texts of your messages. Only templates approved by WhatsApp are sent."
      actions={
        <Group gap="xs">
          <ButtonLink variant="default" to={paths.templateGallery}>
            From the gallery
          </ButtonLink>
          {mayWrite && <ButtonLink to={paths.newTemplate}>New template</ButtonLink>}
        </Group>
      }
    >
      <SyncTemplates />
      <Group justify="space-between" gap="sm">
        <StatusFilter search={search} />
        <TextFilter
          aria-label="Search templates"
          placeholder="Search name or text"
          value={search.search}
          onChange={find}
          flex="1 1 14rem"
          maw="22rem"
        />
      </Group>
      <TemplateList search={search} />
    </Page>
  );
}

/** Every status with its number of templates. */
function StatusFilter({ search }: { search: TemplatesSearch }) {
  const { data } = trpc.templates.counts.useQuery(undefined, {
    refetchInterval: ({ state }) => ((state.data?.counts.pending ?? 0) > 0 ? reviewMs : false),
  });
  const counts = data?.counts;
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  const choices: [TemplateStatus | undefined, number | undefined][] = [
    [undefined, all],
    ...templateStatuses.map((status): [TemplateStatus, number | undefined] => [status, counts?.[status]]),
  ];
  return (
    <nav aria-label="Status">
      <ul className={classes["list"]}>
        {choices.map(([status, count]) => (
          <li key={status ?? "all"}>
            <Link
              to={paths.templates}
              search={(now) => readTemplatesSearch({ ...now, status })}
              replace
              className={classes["link"]}
              aria-current={search.status === status ? "page" : undefined}
            >
              {status ?? "all"} <span className={classes["count"]}>{count === undefined ? "–" : formatCount(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The last sync with its result, and a button for the next. */
function SyncTemplates() {
  const mayWrite = useMay("operator");
  const cache = trpc.useUtils();
  const state = trpc.templates.syncState.useQuery();
  const sync = trpc.templates.sync.useMutation({ onSettled: () => cache.templates.invalidate() });
  return (
    <>
      <Group gap="sm">
        {mayWrite && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={sync.isPending}
            onClick={() => sync.mutate()}
          >
            Sync templates
          </Button>
        )}
        <Text size="sm" c="dimmed" component="div" role="status">
          {sync.isPending && "Syncing templates…"}
          {sync.isSuccess && <strong>{outcome(sync.data)} </strong>}
          {!sync.isPending && state.data !== undefined && <LastRead {...state.data} />}
        </Text>
      </Group>
      {sync.error !== null && <FailureNotice title="The sync failed" error={sync.error} onRetry={() => sync.mutate()} />}
      {sync.error === null && state.data?.problem && (
        <Alert color="yellow" title="The hourly sync fails">
          {state.data.problem} {state.data.nextAt !== null && <Next at={state.data.nextAt} />}
        </Alert>
      )}
    </>
  );
}

function LastRead({ lastAt, nextAt }: Outputs["templates"]["syncState"]) {
  if (nextAt === null) return "Not connected to WhatsApp yet.";
  if (lastAt === null) return "Not synced yet; this happens every hour.";
  return (
    <>
      Last synced <Moment at={lastAt} />, then every hour.
    </>
  );
}

const Next = ({ at }: { at: string }) => (
  <>
    Next try: <Moment at={at} />.
  </>
);

function outcome({ imported, updated }: Outputs["templates"]["sync"]): string {
  if (imported + updated === 0) return "Templates synced: no changes.";
  return `Templates synced: ${formatCount(imported)} imported, ${formatCount(updated)} updated.`;
}

type Template = Outputs["templates"]["list"]["items"][number];

const columns: Column<Template>[] = [
  { name: "Name", kind: "title", cell: (template) => <TemplateTitle {...template} /> },
  { name: "Status", cell: ({ status }) => <TemplateStatusBadge status={status} /> },
  { name: "Language", cell: ({ language }) => <span title={language}>{formatLanguage(language)}</span> },
  { name: "Category", cell: ({ category }) => categoryName(category) },
  { name: "Quality", cell: ({ quality }) => <QualityBadge quality={quality} /> },
  { name: "Changed", kind: "short", cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
];

function TemplateList({ search }: { search: TemplatesSearch }) {
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
    <EmptyState title="No templates yet">
      A template is a message with variables, such as “Hello {"{{1}}"}, your order is on its way”. Choose some from the gallery or create
      one, and WhatsApp reviews it, usually within minutes. Sync to import templates that exist there already.
      {mayWrite && (
        <Group justify="center" mt="sm">
          <ButtonLink to={paths.templateGallery} size="xs" variant="default">
            Open the gallery
          </ButtonLink>
          <ButtonLink to={paths.newTemplate} size="xs">
            Create first template
          </ButtonLink>
        </Group>
      )}
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState title="No matching templates">
      <TextLink to={paths.templates}>Show all templates</TextLink>
    </EmptyState>
  );
}

/** Name and first line of the text, with the reason of a rejection. */
function TemplateTitle({ id, name, body, status, reason }: Outputs["templates"]["list"]["items"][number]) {
  return (
    <>
      <TextLink to={paths.template} params={{ templateId: id }} fw={600} underline="hover" display="block" w="fit-content">
        {name}
      </TextLink>
      <Text size="xs" c="dimmed" fw={400} lineClamp={1} maw="26rem" title={body}>
        {body}
      </Text>
      {reason !== null && status !== "approved" && (
        <Text size="xs" c="var(--mantine-color-error)" fw={400} lineClamp={2} maw="26rem" title={reason}>
          {rejectionAdvice(reason) ?? reason}
        </Text>
      )}
    </>
  );
}

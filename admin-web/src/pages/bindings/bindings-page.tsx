import { Button, Anchor, Group, Stack, Text, Switch } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { Link, useSearch, useNavigate } from "@tanstack/react-router";
import { describeReason } from "shared/core/reason";
import { describeSchedule } from "shared/core/schedule/describe";
import { mergeSchedule } from "shared/core/schedule/schedule";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { describeConditions, describeIdle, describeRecipient } from "../../ui/labels.ts";
import { readableMessage } from "../../ui/page-states.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { useSiteName, SiteSelect, TemplateSelect } from "../../ui/pickers.tsx";
import { SavedViews } from "../../ui/saved-views.tsx";
import { useChooseLoaded, useSelection } from "../../ui/selection.tsx";
import { Status } from "../../ui/status-badge.tsx";
import { SuggestedFilter } from "../../ui/suggested-filter.tsx";
import { TemplateStatusBadge } from "../../ui/template-labels.tsx";
import { type BindingsSearch, readBindingsSearch } from "./route.ts";
import { SelectedBindings } from "./selected-bindings.tsx";
import classes from "./bindings.module.css";

type ListedBinding = Outputs["bindings"]["list"]["items"][number];

export function BindingsPage() {
  const search = useSearch({ from: `/signed-in${paths.bindings}` });
  const { siteId, event } = search;
  const mayWrite = useMay("operator");
  return (
    <Page
      title={t("Bindings")}
      lead={t("Message rules: which message an event of a site sends, and to whom.")}
      actions={
        mayWrite && (
          <Button renderRoot={(props) => <Link to={paths.newBinding} search={{ siteId, event }} {...props} />}>{t("New binding")}</Button>
        )
      }
    >
      <SavedViews list="bindings" search={search} mayWrite={mayWrite} />
      <BindingsFilters search={search} />
      <BindingList search={search} />
    </Page>
  );
}

const columns: Column<ListedBinding>[] = [
  { name: t("Event"), kind: "title", cell: (binding) => <Trigger {...binding} /> },
  { name: t("Sends"), cell: (binding) => <Sent {...binding} /> },
  { name: t("To"), cell: ({ recipient }) => <Text size="sm">{describeRecipient(recipient)}</Text> },
  { name: t("On"), kind: "short", cell: (binding) => <BindingSwitch binding={binding} /> },
];

function BindingList({ search }: { search: BindingsSearch }) {
  const bindings = trpc.bindings.list.useInfiniteQuery(
    { ...search, limit: 50 },
    {
      getNextPageParam: (page) => page.nextCursor,
      // The list stays until that of another filter is there.
      placeholderData: (shown) => shown,
    },
  );
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const siteName = useSiteName();
  const selection = useSelection(bindings.data?.pages.flatMap(({ items }) => items) ?? [], JSON.stringify(search));
  const all = useChooseLoaded(bindings, selection);
  const mayWrite = useMay("operator");
  const nameOf = ({ event, template, siteId }: ListedBinding) =>
    t("{event} sends {template}, {siteId}", { event, template, siteId: siteName(siteId) });
  return (
    <Stack gap="sm">
      <PagedList query={bindings} what={t("the bindings")} empty={isFiltered ? <NothingFound {...search} /> : <NoBinding />}>
        {(items) => (
          <DataTable
            label={t("Bindings")}
            columns={columns}
            rows={items}
            rowKey={({ id }) => id}
            choice={mayWrite ? { selection, nameOf } : undefined}
          />
        )}
      </PagedList>
      {mayWrite && <SelectedBindings selection={selection} all={all} />}
    </Stack>
  );
}

function Trigger(binding: ListedBinding) {
  const { id, event, siteId, conditions } = binding;
  const schedule = mergeSchedule(binding);
  const siteName = useSiteName();
  return (
    <>
      <TextLink to={paths.binding} params={{ bindingId: id }} fw={600} underline="hover">
        {event}
      </TextLink>
      <Text size="sm" c="dimmed">
        {siteName(siteId)}
      </Text>
      {conditions !== null && (
        <Text size="sm" lineClamp={2} className={classes["conditions"] ?? ""}>
          {t("if {conditions}", { conditions: describeConditions(conditions) })}
        </Text>
      )}
      {schedule !== null && (
        <Text size="sm" lineClamp={2} className={classes["conditions"] ?? ""}>
          {describeSchedule(schedule, t)}
        </Text>
      )}
    </>
  );
}

function Sent(binding: ListedBinding) {
  const { templateId, template, language, templateStatus, problemCodes, idleSince } = binding;
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
      <BindingProblems
        problems={[
          ...problemCodes.map((problem) => describeReason(problem, t)),
          ...(idleSince === null ? [] : [t("Not fired for 30 days: {binding}", { binding: describeIdle(binding) })]),
        ]}
      />
    </Stack>
  );
}

function NothingFound({ siteId, event, templateId }: BindingsSearch) {
  const mayWrite = useMay("operator");
  return (
    <EmptyState title={t("No matching bindings")}>
      <Group justify="center" gap="md">
        <Anchor component={Link} to={paths.bindings} underline="always">
          {t("Show all bindings")}
        </Anchor>
        {mayWrite && (
          <TextLink to={paths.newBinding} search={{ siteId, event, templateId }}>
            {t("Create binding for these filters")}
          </TextLink>
        )}
      </Group>
    </EmptyState>
  );
}

function NoBinding() {
  const mayWrite = useMay("operator");
  return (
    <EmptyState title={t("No bindings yet")}>
      {t(
        "A binding is a message rule: it says which template an event sends, to whom, and with which variables. It needs a site that sends events, and a template.",
      )}
      {mayWrite && (
        <Group justify="center" mt="sm">
          <TextLink to={paths.newBinding}>{t("Create first binding")}</TextLink>
        </Group>
      )}
    </EmptyState>
  );
}

function BindingProblems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={classes["problems"]}>
      {problems.map((problem, index) => (
        <li key={index}>
          <IconAlertTriangle size={16} aria-hidden />
          {problem}
        </li>
      ))}
    </ul>
  );
}

/** Switches a binding on or off; if the server refuses, it goes back and says why. */
function BindingSwitch({ binding: { id, event, template, enabled } }: { binding: ListedBinding }) {
  const mayWrite = useMay("operator");
  const cache = trpc.useUtils();
  const update = trpc.bindings.update.useMutation({
    // The switch shows the new position until the list is reloaded.
    onSuccess: async ({ binding }) => {
      cache.bindings.get.setData({ id }, { binding });
      await cache.bindings.list.invalidate();
    },
  });
  if (!mayWrite) return <Status tone={enabled ? "delivered" : "waiting"}>{enabled ? t("On") : t("Off")}</Status>;
  return (
    <Switch
      aria-label={t("{event} sends {template}", { event, template })}
      checked={update.isPending ? update.variables.enabled === true : enabled}
      error={update.error && t("Not changed: {message}", { message: readableMessage(update.error.message) })}
      onChange={({ currentTarget }) => update.mutate({ id, enabled: currentTarget.checked })}
    />
  );
}

/** The filters are part of the URL, so that a view can be shared and survives a reload. */
function BindingsFilters({ search }: { search: BindingsSearch }) {
  const navigate = useNavigate();
  const change = (changes: Record<string, unknown>) =>
    void navigate({ to: paths.bindings, search: (now) => readBindingsSearch({ ...now, ...changes }), replace: true });
  return (
    <search aria-label={t("Filters")} className={classes["filters"]}>
      <SiteSelect placeholder={t("Any site")} clearable value={search.siteId ?? null} onChange={(siteId) => change({ siteId })} />
      <SuggestedFilter
        label={t("Event")}
        placeholder="order.created"
        field="event"
        within={{ siteId: search.siteId }}
        value={search.event}
        onChange={(event) => change({ event })}
      />
      <SuggestedFilter
        label={t("Uses field")}
        placeholder="order.tracking_number"
        field="field"
        within={{ siteId: search.siteId }}
        value={search.field}
        onChange={(field) => change({ field })}
      />
      <TemplateSelect
        placeholder={t("Any template")}
        clearable
        value={search.templateId ?? null}
        onChange={(templateId) => change({ templateId })}
      />
      <Button
        variant="default"
        w="fit-content"
        disabled={Object.values(search).every((value) => value === undefined)}
        onClick={() => void navigate({ to: paths.bindings, search: {} })}
      >
        {t("Clear filters")}
      </Button>
    </search>
  );
}

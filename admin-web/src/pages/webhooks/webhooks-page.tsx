import { NativeSelect, Select, Text, Button, Group, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { deliveryStatuses } from "shared/core/webhook";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialogs.tsx";
import { DeliveryBadge, describeAnswer, type Endpoint } from "../../ui/endpoints.tsx";
import { Due, Moment } from "../../ui/facts.tsx";
import { useLiveList } from "../../ui/live-list.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { SiteSelect, useSiteName } from "../../ui/pickers.tsx";
import { Rich } from "../../ui/rich.tsx";
import { toLocalMinute } from "../../ui/search-params.ts";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { changeWebhooksSearch, type DeliveryFilters } from "./route.ts";
import classes from "./webhooks.module.css";

export function WebhooksPage() {
  const { open, ...filters } = useSearch({ from: `/signed-in${paths.webhooks}` });
  const endpoints = useEndpoints();
  const mayReplay = useMay("operator");
  const replayable = endpoints?.filter(({ enabled }) => enabled) ?? [];
  return (
    <Page
      title={t("Webhooks")}
      lead={t("Deliveries to the sites' endpoints, newest first.")}
      actions={mayReplay && replayable.length > 0 && <ReplayFailedButton endpoints={replayable} webhookId={filters.webhookId} />}
    >
      <Filters filters={filters} endpoints={endpoints ?? []} />
      <DeliveryList filters={filters} endpoints={endpoints} />
      <DeliveryDrawer id={open} endpoints={endpoints ?? []} />
    </Page>
  );
}

/** All endpoints of the account, of which there are at most 100; undefined while they load. */
const useEndpoints = (): Endpoint[] | undefined => trpc.webhooks.list.useQuery({ limit: 200 }, { staleTime: 10_000 }).data?.items;

interface FiltersProps {
  filters: DeliveryFilters;
  endpoints: Endpoint[];
}

const statusChoices = [{ value: "", label: t("Any status") }, ...deliveryStatuses];

/** The filters stand in the address, so that a view can be shared and reloaded. */
function Filters({ filters: { siteId, webhookId, status, ...about }, endpoints }: FiltersProps) {
  const navigate = useNavigate();
  const change = (changes: Parameters<typeof changeWebhooksSearch>[0]) =>
    void navigate({ to: paths.webhooks, search: changeWebhooksSearch(changes), replace: true, resetScroll: false });
  const offered = endpoints.filter((endpoint) => siteId === undefined || endpoint.siteId === siteId);
  return (
    <>
      <search className={classes["filters"]} aria-label={t("Filters")}>
        <SiteSelect
          placeholder={t("Any site")}
          value={siteId ?? null}
          onChange={(next) => change({ siteId: next, webhookId: null })}
          clearable
          clearButtonProps={{ "aria-label": t("Any site") }}
        />
        <Select
          label={t("Endpoint")}
          placeholder={t("Any endpoint")}
          data={offered.map(({ id, url }) => ({ value: id, label: url }))}
          searchable
          nothingFoundMessage={t("No matching endpoints")}
          value={webhookId ?? null}
          onChange={(next) => change({ webhookId: next })}
          clearable
          clearButtonProps={{ "aria-label": t("Any endpoint") }}
        />
        <NativeSelect
          label={t("Status")}
          data={statusChoices}
          value={status ?? ""}
          onChange={({ currentTarget }) => change({ status: currentTarget.value })}
        />
      </search>
      <About {...about} />
    </>
  );
}

function About({ notificationId, eventId }: Pick<DeliveryFilters, "notificationId" | "eventId">) {
  if (notificationId === undefined && eventId === undefined) return null;
  const link =
    notificationId === undefined ? (
      <TextLink to={paths.events} search={{ open: eventId }}>
        {t("one event")}
      </TextLink>
    ) : (
      <TextLink to={paths.log} search={{ open: notificationId }}>
        {t("one message")}
      </TextLink>
    );
  return (
    <Text size="sm">
      <Rich text={t("Only what tells of <0/>. <1>Show all</1>")}>
        {link}
        <TextLink to={paths.webhooks} search={changeWebhooksSearch({ notificationId: null, eventId: null })} />
      </Rich>
    </Text>
  );
}

type Delivery = Outputs["webhookDeliveries"]["list"]["items"][number];

const lookEveryMs = 5_000;

function DeliveryList({ filters, endpoints }: { filters: DeliveryFilters; endpoints: Endpoint[] | undefined }) {
  const siteName = useSiteName();
  const list = useLiveList("webhookDeliveries.list", { ...filters, limit: 50 }, { every: lookEveryMs, keepsShown: true });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const addressOf = (id: string) => endpoints?.find((endpoint) => endpoint.id === id)?.url ?? "…";
  return (
    <PagedList
      query={list}
      what={t("the deliveries")}
      empty={<NothingTold isFiltered={isFiltered} hasEndpoints={endpoints?.length !== 0} />}
    >
      {(items) => <DataTable label={t("Deliveries")} columns={columnsOf(siteName, addressOf)} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

type NameOf = (id: string) => string;

const columnsOf = (siteName: NameOf, addressOf: NameOf): Column<Delivery>[] => [
  { name: t("Type"), kind: "title", cell: (delivery) => <Type {...delivery} /> },
  { name: t("Status"), cell: (delivery) => <Status {...delivery} /> },
  { name: t("Endpoint"), cell: ({ webhookId, siteId }) => <EndpointCell address={addressOf(webhookId)} site={siteName(siteId)} /> },
  { name: t("Attempts"), kind: "short", cell: ({ attempts }) => formatCount(attempts) },
  { name: t("When"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

const Type = ({ id, type }: Delivery) => (
  <TextLink to={paths.webhooks} search={changeWebhooksSearch({ open: id })} resetScroll={false}>
    {type}
  </TextLink>
);

/** The status with the last answer, and with the next attempt if there is one. */
function Status({ lastStatusCode: code, lastError: error, nextAttemptAt, ...delivery }: Delivery) {
  const last = describeAnswer({ code, error });
  const isTriedAgain = nextAttemptAt !== null && delivery.attempts > 0;
  return (
    <div>
      <DeliveryBadge {...delivery} />
      {error !== null && (
        <Text size="xs" c="dimmed" mt={2}>
          {last}
        </Text>
      )}
      {isTriedAgain && (
        <Text size="xs" c="dimmed">
          {t("Next attempt: ")}
          <Due at={nextAttemptAt} />
        </Text>
      )}
    </div>
  );
}

function EndpointCell({ address, site }: { address: string; site: string }) {
  return (
    <div>
      {address}
      <Text size="sm" c="dimmed">
        {site}
      </Text>
    </div>
  );
}

function NothingTold({ isFiltered, hasEndpoints }: { isFiltered: boolean; hasEndpoints: boolean }) {
  if (isFiltered && hasEndpoints)
    return (
      <EmptyState title={t("No deliveries match these filters")}>
        <TextLink to={paths.webhooks} search={{}}>
          {t("Clear filters")}
        </TextLink>
      </EmptyState>
    );
  if (hasEndpoints)
    return (
      <EmptyState title={t("No deliveries yet")}>
        <Rich
          text={t(
            "Deliveries appear here as soon as a message of a site with an endpoint is sent. To try an endpoint, send it a test event from the <0>page of its site</0>.",
          )}
        >
          <TextLink to={paths.sites} />
        </Rich>
      </EmptyState>
    );
  return (
    <EmptyState title={t("No endpoints yet")}>
      <Rich
        text={t(
          "Tidings can notify your backend when messages are sent, are delivered, are read or fail. Open a <0>site</0> and add an endpoint under Webhooks. The documentation has <1>code to receive webhooks</1>.",
        )}
      >
        <TextLink to={paths.sites} />
        <TextLink to={paths.topic} params={{ topic: "webhooks" }} />
      </Rich>
    </EmptyState>
  );
}

interface ReplayFailedProps {
  /** The endpoints that are on. */
  endpoints: Endpoint[];
  /** The endpoint that is looked at. */
  webhookId: string | undefined;
}

/** Repeats the deliveries that an endpoint has failed to take since a time, and tells how many they were. */
function ReplayFailedButton(props: ReplayFailedProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [count, setCount] = useState<number | null>(null);
  return (
    <Stack gap={0}>
      <Button variant="default" onClick={open}>
        {t("Replay failed…")}
      </Button>
      <Text size="sm" role="status">
        {count !== null && t("{count, plural, one {# delivery} other {# deliveries}} replayed.", { count })}
      </Text>
      <Dialog title={t("Replay all failed deliveries")} opened={isOpen} onClose={close}>
        <ReplayFailedForm {...props} onClose={close} onDone={setCount} />
      </Dialog>
    </Stack>
  );
}

interface ReplayFailedFormProps extends ReplayFailedProps {
  onClose: () => void;
  onDone: (count: number) => void;
}

function ReplayFailedForm({ endpoints, webhookId, onClose, onDone }: ReplayFailedFormProps) {
  const [chosen, choose] = useState(endpoints.find(({ id }) => id === webhookId)?.id ?? endpoints[0]?.id ?? "");
  const [since, setSince] = useState(() => toLocalMinute(Date.now() - dayMs));
  const cache = trpc.useUtils();
  const replay = trpc.webhookDeliveries.replayFailed.useMutation({
    onSuccess: async ({ count }) => {
      onDone(count);
      onClose();
      await cache.webhookDeliveries.invalidate();
    },
  });
  const at = new Date(since);
  const isTime = !Number.isNaN(at.getTime());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTime) replay.mutate({ webhookId: chosen, since: at.toISOString() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NativeSelect
          label={t("Endpoint")}
          data={endpoints.map(({ id, url }) => ({ value: id, label: url }))}
          value={chosen}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label={t("Since")}
          description={t("In your time zone")}
          type="datetime-local"
          error={!isTime && t("Enter a date and a time")}
          value={since}
          onChange={({ currentTarget }) => setSince(currentTarget.value)}
        />
        <Text size="sm">
          {t(
            "Deliveries that failed for good since then are sent again now, the oldest first, at most 10,000 at a time. Each keeps its webhook-id, so the endpoint can recognise what it already has.",
          )}
        </Text>
        {replay.error !== null && <FailureNotice title={t("Nothing was replayed")} error={replay.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={replay.isPending}>
            {t("Replay all failed deliveries")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const dayMs = 86_400_000;

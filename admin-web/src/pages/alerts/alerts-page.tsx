import { Stack, Text } from "@mantine/core";
import { type Condition, describeAlert } from "shared/core/alert/alert";
import { formatMoment } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { useLiveList } from "../../ui/live-list.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { Rich } from "../../ui/rich.tsx";
import { Channels } from "./channels.tsx";
import { AlertRules } from "./rules.tsx";

export function AlertsPage() {
  const maySee = useMay("operator");
  return (
    <Page title={t("Alerts")} lead={t("Problems with this account, and who is notified of them.")}>
      <Current />
      {maySee && <Telling />}
      <Past />
    </Page>
  );
}

type Alert = Outputs["alerts"]["list"]["items"][number];

const lookEveryMs = 30_000;

function Title({ kind, detail, subjectId, clearedAt }: Alert) {
  const { title, advice, path } = describeAlert(kind, inWords({ kind, detail } as Condition), subjectId ?? "", t);
  return (
    <Stack gap={2}>
      <Text inherit fw={600}>
        {title}
      </Text>
      {clearedAt === null && (
        <Text size="sm" fw={400}>
          {advice} <TextLink to={path}>{t("View problem")}</TextLink>
        </Text>
      )}
    </Stack>
  );
}

/** The detail with its moment by the reader's clock, and with the meaning of WhatsApp's code in the reader's language. */
function inWords({ kind, detail }: Condition): Condition["detail"] {
  if (kind === "platform_stopped") return { ...detail, reason: translated(detail.reason) };
  if (kind === "requests_refused") {
    const { text, action } = detail.explanation;
    return { ...detail, explanation: { text: translated(text), action: translated(action) } };
  }
  return kind === "site_silent" ? { ...detail, lastEventAt: formatMoment(detail.lastEventAt) } : detail;
}

const currentColumns: Column<Alert>[] = [
  { name: t("Alert"), kind: "title", cell: Title },
  { name: t("Since"), kind: "short", cell: ({ raisedAt }) => <Moment at={raisedAt} /> },
];

function Current() {
  const list = useLiveList("alerts.list", { state: "current", limit: 50 }, { every: lookEveryMs });
  return (
    <Section title={t("Current alerts")}>
      <PagedList query={list} what={t("the alerts")} empty={<NothingWrong />}>
        {(items) => <DataTable label={t("Current alerts")} columns={currentColumns} rows={items} rowKey={({ id }) => id} />}
      </PagedList>
    </Section>
  );
}

const NothingWrong = () => (
  <EmptyState title={t("Nothing is wrong")}>
    <Rich
      text={t(
        "Tidings checks every minute if there is a channel, otherwise every ten minutes. The overview also shows what <0>needs attention</0>.",
      )}
    >
      <TextLink to={paths.home} />
    </Rich>
  </EmptyState>
);

const pastColumns: Column<Alert>[] = [
  { name: t("Alert"), kind: "title", cell: Title },
  { name: t("Began"), kind: "short", cell: ({ raisedAt }) => <Moment at={raisedAt} /> },
  { name: t("Ended"), kind: "short", cell: ({ clearedAt }) => clearedAt !== null && <Moment at={clearedAt} /> },
];

function Past() {
  const list = useLiveList("alerts.list", { state: "past", limit: 20 }, { every: lookEveryMs });
  return (
    <Section title={t("Past alerts")} lead={t("Alerts that ended in the last three months.")}>
      <PagedList query={list} what={t("the alerts")} empty={<EmptyState title={t("No alert has ended yet")}>{null}</EmptyState>}>
        {(items) => <DataTable label={t("Past alerts")} columns={pastColumns} rows={items} rowKey={({ id }) => id} />}
      </PagedList>
    </Section>
  );
}

/** The channels, conditions and hours of alerts. */
function Telling() {
  const settings = trpc.alerts.settings.useQuery(undefined, { refetchInterval: lookEveryMs });
  const { timezone } = trpc.settings.get.useQuery().data ?? {};
  if (settings.error !== null) {
    return <FailureNotice title={t("Could not load the channels")} error={settings.error} onRetry={() => void settings.refetch()} />;
  }
  if (settings.data === undefined || timezone === undefined) return <Loading what={t("the channels")} />;
  return (
    <>
      <Channels settings={settings.data} />
      <AlertRules settings={settings.data} timezone={timezone} />
    </>
  );
}

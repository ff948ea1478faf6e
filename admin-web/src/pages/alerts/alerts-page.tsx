import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type OrEarlier, type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable, EmptyState, PagedList } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { useLiveList } from "../../ui/live-list.tsx";
import { Page, Section, Loaded } from "../../ui/page.tsx";
import { InWords } from "../../ui/problem-cards.tsx";
import { Channels } from "./channels.tsx";
import { AlertRules } from "./rules.tsx";

export function AlertsPage() {
  const maySee = useMay("operator");
  return (
    <Page title={t("Alerts")}>
      {maySee && <Telling />}
      <Told />
    </Page>
  );
}

type Alert = Outputs["alerts"]["list"]["items"][number];

const lookEveryMs = 30_000;

const columns: Column<Alert>[] = [
  {
    name: t("Problem"),
    kind: "title",
    cell: (alert) => <InWords problem={{ ...alert, subject: alert.subjectId ?? "" }}>{({ title }) => title}</InWords>,
  },
  { name: t("Began"), kind: "short", cell: ({ raisedAt, beganAt = raisedAt }: OrEarlier<Alert, "beganAt">) => <Moment at={beganAt} /> },
  { name: t("Ended"), kind: "short", cell: ({ clearedAt }) => clearedAt !== null && <Moment at={clearedAt} /> },
];

const Told = () => (
  <Section
    title={t("What was told")}
    lead={t("Each problem that opened in the last three months and that channels are told of.")}
    actions={<TextLink to={paths.problems}>{t("All problems")}</TextLink>}
  >
    <PagedList
      query={useLiveList("alerts.list", { limit: 20 }, { every: lookEveryMs })}
      what={t("the alerts")}
      empty={<EmptyState title={t("No alerts yet")}>{null}</EmptyState>}
    >
      {(items) => <DataTable label={t("What was told")} columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  </Section>
);

/** The channels, conditions and hours of alerts. */
function Telling() {
  const settings = trpc.alerts.settings.useQuery(undefined, { refetchInterval: lookEveryMs });
  const { timezone } = trpc.settings.get.useQuery().data ?? {};
  return (
    <Loaded query={settings} what={t("the channels")}>
      {(data) => (
        <>
          <Channels settings={data} />
          {timezone !== undefined && <AlertRules settings={data} timezone={timezone} />}
        </>
      )}
    </Loaded>
  );
}

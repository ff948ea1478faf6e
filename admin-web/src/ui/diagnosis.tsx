import { Card, SegmentedControl, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { lazy, Suspense, useState } from "react";
import type { FindingPlace, FindingWords } from "shared/core/diagnosis";
import { formatCount } from "../format.ts";
import { language, t } from "../language.ts";
import { paths } from "../paths.ts";
import { type Outputs, trpc } from "../trpc.ts";
import { TextLink } from "./buttons.tsx";
import { Moment } from "./facts.tsx";
import { FailureNotice } from "./page-states.tsx";
import { Section } from "./page.tsx";
import { ListSkeleton, useFirst } from "./paged-list.tsx";
import { daysBack, daySpan } from "./search-params.ts";
import classes from "./diagnosis.module.css";

/** The answer has the sentences in English, so only other languages load the texts that they are made of. */
const Translated = lazy(async () => ({ default: (await import("./translated-finding.tsx")).TranslatedFinding }));

const spans = ["2", "7", "30"] as const;
const spanChoices = spans.map((days) => ({ value: days, label: t("{days} days", { days }) }));

const fewFindings = 4;

/** The reasons why messages of the account's sites (or one) fail or do not leave, the most harmful first, each with a link to where they are fixed. */
export function DiagnosisSection({ siteId }: { siteId?: string | undefined }) {
  const [days, setDays] = useState<string>("7");
  const from = daysBack(Number(days) - 1);
  const { data, error, refetch } = trpc.sites.diagnose.useQuery({ siteId, from: daySpan({ from }).from }, { refetchInterval: 60_000 });
  const findings = data?.items ?? [];
  const { shown, button } = useFirst(findings, fewFindings, {
    more: t("Show all {count} problems", { count: formatCount(findings.length) }),
    fewer: t("Show the most harmful"),
  });
  return (
    <Section
      title={t("What is wrong")}
      actions={<SegmentedControl aria-label={t("Days checked")} size="xs" data={spanChoices} value={days} onChange={setDays} />}
    >
      {error !== null && <FailureNotice title={t("Could not check for problems")} error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <ListSkeleton what={t("the problems")} />}
      {data !== undefined && (
        <Card withBorder padding={0}>
          {data.items.length === 0 ? (
            <Text size="sm" p="md">
              {t("Nothing is wrong. ")}
              <LastFailure at={data.lastFailedAt} />
            </Text>
          ) : (
            <ol className={classes["list"]}>
              {shown.map((finding) => (
                <FindingItem
                  key={JSON.stringify([finding.code, finding.place, finding.sentence])}
                  finding={finding}
                  from={from}
                  ofSite={siteId}
                />
              ))}
            </ol>
          )}
        </Card>
      )}
      {button}
    </Section>
  );
}

function LastFailure({ at }: { at: string | null }) {
  if (at === null) return t("No message in the log has failed.");
  return (
    <>
      {t("The last message failed ")}
      <Moment at={at} />.
    </>
  );
}

type Found = Outputs["sites"]["diagnose"]["items"][number];

function FindingItem({ finding, from, ofSite }: { finding: Found; from: string; ofSite: string | undefined }) {
  const { site, lastAt, place, sentence, action } = finding;
  const show = (words: FindingWords) => (
    <>
      <Text size="sm" fw={600}>
        {site !== null && ofSite === undefined && `${site.name}: `}
        {words.text}
      </Text>
      <Text size="sm" c="dimmed">
        {words.action} {lastAt !== null && <Last at={lastAt} />}
      </Text>
    </>
  );
  return (
    <li className={classes["item"]}>
      <IconAlertTriangle size={18} className={classes["icon"]} aria-hidden />
      <div>
        {language === "en" ? (
          show({ text: sentence, action })
        ) : (
          <Suspense fallback={null}>
            <Translated finding={finding}>{show}</Translated>
          </Suspense>
        )}
        <Text size="sm" component="div">
          <PlaceLink place={place} from={from} />
        </Text>
      </div>
    </li>
  );
}

const Last = ({ at }: { at: string }) => (
  <>
    {t("Last seen ")}
    <Moment at={at} />.
  </>
);

/** A link to the place of a finding. Lists open with the filter that shows exactly the counted rows. */
function PlaceLink({ place, from }: { place: FindingPlace; from: string }) {
  switch (place.kind) {
    case "platform":
      return <TextLink to={paths.platform}>{t("Check the connection")}</TextLink>;
    case "general":
      return <TextLink to={paths.general}>{t("Open the settings")}</TextLink>;
    case "site":
      return (
        <TextLink to={paths.site} params={{ siteId: place.id }}>
          {t("Open the site")}
        </TextLink>
      );
    case "template":
      return (
        <TextLink to={paths.template} params={{ templateId: place.id }}>
          {t("Open the template")}
        </TextLink>
      );
    case "binding":
      return (
        <TextLink to={paths.binding} params={{ bindingId: place.id }}>
          {t("Open the binding")}
        </TextLink>
      );
    case "bindings":
      return (
        <TextLink to={paths.bindings} search={place.filter}>
          {t("Open the bindings")}
        </TextLink>
      );
    case "scheduled":
      return (
        <TextLink to={paths.scheduled} search={place.filter}>
          {t("Show the messages that wait")}
        </TextLink>
      );
    case "events":
      return (
        <TextLink to={paths.events} search={{ ...place.filter, from }}>
          {t("Show the events")}
        </TextLink>
      );
    case "log":
      return (
        <TextLink to={paths.log} search={{ ...place.filter, from }}>
          {t("Show the messages")}
        </TextLink>
      );
  }
}

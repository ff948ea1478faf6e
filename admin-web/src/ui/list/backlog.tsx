import { Card } from "@mantine/core";
import { formatCount, formatDuration } from "../../format.ts";
import { t, locale } from "../../language.ts";
import { paths } from "../../paths.ts";
import { trpc, type Inputs, type OrEarlier, type Outputs } from "../../trpc.ts";
import { ButtonLink } from "../base/buttons.tsx";
import { Fact, Facts, Moment } from "../base/facts.tsx";
import { Dimmed, FailureNotice, rich, Section } from "../base/page.tsx";

type Backlog = Outputs["stats"]["backlog"];

/** One site, or all of a mode. */
export type CountedSites = Inputs["stats"]["backlog"] & object;

const lookEveryMs = 5000;
const isEmpty = ({ queued, scheduled }: Backlog): boolean => queued + scheduled === 0;

const messages = (count: number): string => t("{count, plural, one {# message} other {# messages}}", { count });

/** Since when the figures of the last day may have changed; draws nothing where all are as of now, as an earlier version of the server says of all. */
export const CountedAt = ({ at }: { at: string | null | undefined }) =>
  at != null && <Dimmed size="sm">{rich(t("What became of the last day's messages was counted: <0/>"), <Moment at={at} />)}</Dimmed>;

/** The waiting messages; draws nothing while none waits. Refetches only while some wait and the page is visible. */
export function BacklogSection({ sites }: { sites: CountedSites }) {
  const backlog = trpc.stats.backlog.useQuery(sites, {
    refetchInterval: ({ state }) => (state.data === undefined || !isEmpty(state.data)) && lookEveryMs,
  });
  if (backlog.error !== null) return <FailureNotice title={t("Could not load what waits")} of={backlog} />;
  if (backlog.data === undefined || isEmpty(backlog.data)) return null;
  const { queued, scheduled: waiting, paused = 0, perSecond, limitPerSecond } = backlog.data as OrEarlier<Backlog, "paused">;
  return (
    <Section
      title={t("Waiting")}
      actions={
        <ButtonLink variant="subtle" size="compact-sm" to={paths.scheduled} search={{ siteId: sites.siteId }}>
          {t("Open scheduled")}
        </ButtonLink>
      }
    >
      <Card>
        <Facts>
          <Fact name={t("In the queue")}>{messages(queued)}</Fact>
          <Fact name={t("Scheduled")}>{messages(waiting - paused)}</Fact>
          <Fact name={t("Paused")}>{paused > 0 && messages(paused)}</Fact>
          <Fact name={t("Pace now")}>
            {t("{perSecond} a second{value}", {
              perSecond: perSecond.toLocaleString(locale, { maximumFractionDigits: 1 }),
              value: limitPerSecond !== null && t(", at most {limitPerSecond}", { limitPerSecond: formatCount(limitPerSecond) }),
            })}
          </Fact>
        </Facts>
        {queued > 0 && <Dimmed mt="sm">{describeEnd(backlog.data)}</Dimmed>}
      </Card>
    </Section>
  );
}

/** When the queue will be empty at the present pace. */
export function describeEnd({ queued, due, perSecond, oldestDueSeconds }: Omit<Backlog, "paused">): string {
  if (due === 0) return t("Nothing in the queue is due now: it is tried again later.");
  if (perSecond > 0)
    return t("At this pace the queue is empty in about {formatDuration}.", { formatDuration: formatDuration(queued / perSecond) });
  const since =
    oldestDueSeconds < 10
      ? ""
      : t(" The oldest message has waited for {oldestQueuedSeconds}.", { oldestQueuedSeconds: formatDuration(oldestDueSeconds) });
  return t("Nothing was sent in the last 10 seconds.{since}", { since });
}

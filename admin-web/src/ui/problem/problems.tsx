import { type ReactNode, useState } from "react";
import { rankProblems } from "shared/core/problem/problem";
import { formatCount } from "../../format.ts";
import { language, t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ButtonLink } from "../base/buttons.tsx";
import { Moment } from "../base/facts.tsx";
import { Awaiting, part } from "../base/later.tsx";
import { Dimmed, FailureNotice, rich, Section } from "../base/page.tsx";
import { ListSkeleton, useFirst } from "../table/data-table.tsx";

/** The cards come with their first problem, in the reader's language: pages without any do not load them. */
const ProblemCards = part(async () => {
  const [{ ProblemCards }] = await Promise.all([import("./problem-cards.tsx"), language !== "en" && import("./translated-problem.tsx")]);
  return ProblemCards;
});

const lookEveryMs = 10_000;
/** What a banner on every page says, with its button, and the head of the site's own page: it comes last. */
const inBanner: ReadonlySet<string> = new Set(["site_held", "site_disabled"]);
const fewProblems = 3;
export const mostProblems = 100;

interface ProblemsSectionProps {
  siteId?: string | undefined;
  /** Further cards of the list. */
  children?: ReactNode;
}

/** What is wrong with the account, or with one site, the most harmful first; in one line when nothing is. */
export function ProblemsSection({ siteId, children }: ProblemsSectionProps) {
  const open = trpc.problems.list.useQuery({ state: "open", siteId, limit: mostProblems }, { refetchInterval: lookEveryMs });
  const problems = rankProblems(open.data?.items ?? []).toSorted(
    (one, other) => Number(inBanner.has(one.kind)) - Number(inBanner.has(other.kind)),
  );
  const all = t("Show all {count} problems", { count: formatCount(problems.length) });
  const { shown, button } = useFirst(problems, fewProblems, "problems", all);
  const isNothing = open.data !== undefined && problems.length === 0;
  return (
    <Section
      title={t("Problems")}
      actions={
        button === false && (
          <ButtonLink variant="subtle" size="compact-sm" to={paths.problems} search={{ siteId }}>
            {t("All problems")}
          </ButtonLink>
        )
      }
    >
      <FailureNotice title={t("Could not check for problems")} of={open} />
      {open.data === undefined && open.error === null && <ListSkeleton what={t("the problems")} />}
      {children}
      {problems.length > 0 && (
        <Awaiting fallback={<ListSkeleton what={t("the problems")} />}>
          <ProblemCards problems={shown} isOfSite={siteId !== undefined} />
          {button}
        </Awaiting>
      )}
      {isNothing && (
        <Dimmed>
          <NothingOpen siteId={siteId} />
        </Dimmed>
      )}
    </Section>
  );
}

const weekMs = 7 * 86_400_000;

/** Says since when nothing is wrong, or that somebody takes care of what is. */
function NothingOpen({ siteId }: { siteId: string | undefined }) {
  const { data } = trpc.problems.list.useQuery({ siteId, limit: mostProblems });
  const [weekAgo] = useState(() => Date.now() - weekMs);
  // The two lists are asked apart: one that is open is shown as soon as the other has it.
  if (data === undefined || data.items.some(({ state }) => state === "open")) return null;
  const count = data.items.filter(({ state }) => state === "acknowledged" || state === "snoozed").length;
  if (count > 0)
    return t("No open problems. {count, plural, one {# is acknowledged or snoozed.} other {# are acknowledged or snoozed.}}", { count });
  const last = Math.max(0, ...data.items.map(({ resolvedAt }) => (resolvedAt === null ? 0 : Date.parse(resolvedAt))));
  if (last < weekAgo) return t("No problems in the last 7 days");
  return rich(t("No open problems. The last one was resolved <0/>."), <Moment at={new Date(last).toISOString()} />);
}

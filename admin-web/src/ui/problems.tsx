import { Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { rankProblems, type TellableProblem } from "shared/core/problem/problem";
import type { ProblemWords } from "shared/core/problem/words";
import { formatCount } from "../format.ts";
import { language, t } from "../language.ts";
import { paths } from "../paths.ts";
import { useMay } from "../session.tsx";
import { type Outputs, trpc } from "../trpc.ts";
import { TextLink } from "./buttons.tsx";
import { Moment } from "./facts.tsx";
import { FailureNotice } from "./page-states.tsx";
import { Section } from "./page.tsx";
import { ListSkeleton, useFirst } from "./paged-list.tsx";
import { useSiteName } from "./pickers.tsx";
import { type Problem as CardProblem, type ProblemAction, ProblemCard } from "./problem-card.tsx";
import { Rich } from "./rich.tsx";

/** The answer has the words in English, so only other languages load the texts that they are made of. */
const Translated = lazy(async () => ({ default: (await import("./translated-problem.tsx")).TranslatedProblem }));

export type Problem = Outputs["problems"]["list"]["items"][number];
type Told = Pick<Problem, "kind" | "detail" | "subject" | "title" | "advice" | "counted"> &
  Partial<Pick<Problem, "siteId" | "count" | "more">>;

/** Gives the words of a problem in the reader's language. */
export function InWords({ problem, children }: { problem: Told; children: (words: Omit<ProblemWords, "path">) => ReactNode }) {
  if (language === "en") return children(problem);
  const tellable = { siteId: null, count: 0, more: false, ...problem } as TellableProblem;
  return (
    <Suspense fallback={null}>
      <Translated problem={tellable}>{children}</Translated>
    </Suspense>
  );
}

/** Cards of problems, each with what people may do about it. `isOfSite`: all are of one site, whose page this is. */
export function ProblemCards({ problems, isOfSite = false }: { problems: readonly Problem[]; isOfSite?: boolean }) {
  return (
    <Stack gap={8} component="ol" m={0} p={0} style={{ listStyle: "none" }}>
      {problems.map((problem) => (
        <li key={problem.id}>
          <InWords problem={problem}>{(words) => <OneProblem problem={{ ...problem, ...words }} isOfSite={isOfSite} />}</InWords>
        </li>
      ))}
    </Stack>
  );
}

function OneProblem({ problem, isOfSite }: { problem: Problem & CardProblem; isOfSite: boolean }) {
  const { id, siteId } = problem;
  const mayChange = useMay("operator");
  const siteName = useSiteName();
  const navigate = useNavigate();
  const cache = trpc.useUtils();
  const onSuccess = () => cache.problems.list.invalidate();
  const acknowledge = trpc.problems.acknowledge.useMutation({ onSuccess });
  const snooze = trpc.problems.snooze.useMutation({ onSuccess });
  const note = trpc.problems.note.useMutation({ onSuccess });
  const resolve = trpc.problems.resolve.useMutation({ onSuccess });
  /** What mends it is done where its subject stands: the log has exactly the messages, the site's page its switches. */
  const act = ({ path, filter }: ProblemAction) => {
    const [to = "/"] = path.split("?", 1);
    void navigate({ to, search: (filter ?? {}) as never });
  };
  return (
    <ProblemCard
      problem={problem}
      site={isOfSite || siteId === null ? undefined : siteName(siteId)}
      {...(mayChange && {
        changes: {
          acknowledge: () => acknowledge.mutateAsync({ id }),
          snooze: (until: string) => snooze.mutateAsync({ id, until }),
          note: (text: string) => note.mutateAsync({ id, note: text }),
          resolve: () => resolve.mutateAsync({ id }),
        },
        onAct: act,
      })}
    />
  );
}

const lookEveryMs = 10_000;
const fewProblems = 4;
const mostProblems = 100;

interface ProblemsSectionProps {
  siteId?: string | undefined;
  /** Further cards of the list. */
  children?: ReactNode;
}

/** What is wrong with the account, or with one site, the most harmful first; in one line when nothing is. */
export function ProblemsSection({ siteId, children }: ProblemsSectionProps) {
  const open = trpc.problems.list.useQuery({ state: "open", siteId, limit: mostProblems }, { refetchInterval: lookEveryMs });
  const problems = rankProblems(open.data?.items ?? []);
  const { shown, button } = useFirst(problems, fewProblems, {
    more: t("Show all {count} problems", { count: formatCount(problems.length) }),
    fewer: t("Show fewer"),
  });
  const isNothing = open.data !== undefined && problems.length === 0;
  return (
    <Section
      title={t("Problems")}
      actions={
        <TextLink to={paths.problems} search={{ siteId }} size="sm">
          {t("All problems")}
        </TextLink>
      }
    >
      {open.error !== null && (
        <FailureNotice title={t("Could not check for problems")} error={open.error} onRetry={() => void open.refetch()} />
      )}
      {open.data === undefined && open.error === null && <ListSkeleton what={t("the problems")} />}
      {children}
      {problems.length > 0 && <ProblemCards problems={shown} isOfSite={siteId !== undefined} />}
      {isNothing && (
        <Text size="sm" c="dimmed">
          <NothingOpen siteId={siteId} />
        </Text>
      )}
      {button}
    </Section>
  );
}

const weekMs = 7 * 86_400_000;

/** Says since when nothing is wrong. */
function NothingOpen({ siteId }: { siteId: string | undefined }) {
  const { data } = trpc.problems.list.useQuery({ state: "resolved", siteId, limit: mostProblems });
  if (data === undefined) return null;
  const last = Math.max(0, ...data.items.map(({ resolvedAt }) => Date.parse(resolvedAt ?? "")));
  if (Date.now() - last > weekMs) return t("No problems in the last 7 days");
  return (
    <Rich text={t("No open problems. The last one was resolved <0/>.")}>
      <Moment at={new Date(last).toISOString()} />
    </Rich>
  );
}

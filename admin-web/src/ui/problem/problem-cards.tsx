import { Skeleton, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { defaultParseSearch, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ProblemAction } from "shared/core/problem/actions";
import type { TellableProblem } from "shared/core/problem/problem";
import type { ProblemWords } from "shared/core/problem/words";
import { formatMoment } from "../../format.ts";
import { language, t } from "../../language.ts";
import { cache, type Outputs, queryClient, settled, trpcClient } from "../../trpc.ts";
import { type AskedDialog, useDialog } from "../base/dialogs.tsx";
import { Awaiting, part } from "../base/later.tsx";
import { FailureNotice, News } from "../base/page.tsx";
import { useMay } from "../base/role.ts";
import { useSiteName } from "../base/site-names.tsx";
import { resuming } from "../message/hold.tsx";
import { ProblemCard } from "./problem-card.tsx";

/** The answer has the words in English, so only other languages load the texts that they are made of. */
const Translated = part(async () => (await import("./translated-problem.tsx")).TranslatedProblem);

/** Loads once somebody resends. */
const ResendForm = part(async () => (await import("../message/resend.tsx")).ResendForm);

type Problem = Outputs["problems"]["list"]["items"][number];
type Told = Pick<Problem, "kind" | "detail" | "subject" | "title" | "advice" | "counted"> &
  Partial<Pick<Problem, "siteId" | "count" | "more">>;

/** Gives the words of a problem in the reader's language. */
export function InWords({ problem, children }: { problem: Told; children: (words: ProblemWords) => ReactNode }) {
  if (language === "en") return children(withTime(problem));
  const tellable = { siteId: null, count: 0, more: false, ...problem } as TellableProblem;
  return (
    <Awaiting fallback={<Skeleton height={88} />}>
      <Translated problem={tellable}>{children}</Translated>
    </Awaiting>
  );
}

/** The words with times as the reader's clock has them. */
const withTime = <Words extends Told>(problem: Words): Words => ({
  ...problem,
  advice: problem.advice.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, (at) => formatMoment(at)),
});

const resending = (filter: object): AskedDialog => ({
  title: t("Resend failed messages"),
  isWide: true,
  children: (close) => <ResendForm filter={filter} onClose={close} />,
});

interface ProblemCardsProps {
  problems: readonly Problem[];
  /** All are of one site, whose page this is. */
  isOfSite?: boolean;
  /** The level of their headings. */
  level?: 2 | 3;
}

/** Cards of problems, each with what people may do about it. */
export const ProblemCards = ({ problems, isOfSite = false, level = 3 }: ProblemCardsProps) => (
  <Stack gap={8} component="ol">
    {problems.map((problem) => (
      <li key={problem.id}>
        <InWords problem={problem}>{(words) => <OneProblem {...{ isOfSite, level }} problem={{ ...problem, ...words }} />}</InWords>
      </li>
    ))}
  </Stack>
);

function OneProblem({ problem, isOfSite, level }: { problem: Problem } & Required<Omit<ProblemCardsProps, "problems">>) {
  const mayChange = useMay("operator");
  const { id, siteId, kind, subject } = problem;
  // The page of a site needs no link to itself.
  const actions = problem.actions.filter(({ kind, path }) => !isOfSite || kind !== "open" || path !== `/sites/${siteId}`);
  const siteName = useSiteName();
  const navigate = useNavigate();
  const { problems, webhooks, sites } = trpcClient;
  const change = (made: Promise<unknown>) => settled(made, cache.problems.list);
  const { show, draw } = useDialog();
  const turn = useMutation({
    mutationFn: (): Promise<unknown> =>
      kind === "endpoint_disabled"
        ? webhooks.update.mutate({ id: subject, enabled: true })
        : sites.update.mutate({ id: siteId ?? "", enabled: true }),
    onSettled: () => queryClient.invalidateQueries(),
  });
  /** Messages are resent here, and what is off is switched on here. */
  const act = ({ kind: does, path, filter }: ProblemAction) => {
    const [to = "/", query = ""] = path.split("?", 2);
    if (does === "resend" && filter !== undefined) show(resending(filter));
    else if (does === "enable" && kind === "site_held") show(resuming({ id: siteId ?? "", name: siteName(siteId ?? "") }));
    else if (does === "enable") turn.mutate();
    else void navigate({ to, search: { ...defaultParseSearch(query), ...filter } as never });
  };
  return (
    <>
      <ProblemCard
        problem={{ ...problem, actions: turn.isSuccess ? actions.filter((action) => action.kind !== "enable") : actions }}
        level={level}
        site={isOfSite || siteId === null ? undefined : siteName(siteId)}
        {...(mayChange && {
          changes: {
            acknowledge: () => change(problems.acknowledge.mutate({ id })),
            snooze: (until: string) => change(problems.snooze.mutate({ id, until })),
            note: (input) => change(problems.note.mutate({ id, ...input })),
            resolve: () => change(problems.resolve.mutate({ id })),
          },
          onAct: act,
        })}
      />
      {turn.isSuccess && <News>{t("It is switched on. The problem ends within a minute.")}</News>}
      <FailureNotice title={t("It was not switched on")} of={turn} />
      {draw()}
    </>
  );
}

import { Stack } from "@mantine/core";
import { formatTime } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import { later } from "../../ui/base/later.tsx";
import { FailureNotice } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import labels from "./concern-labels.json";

const ProblemCard = later(async () => (await import("../../ui/problem/problem-card.tsx")).ProblemCard);

type PersonConcern = Outputs["audit"]["concerns"]["items"][number];

/** What an owner should know of the other people of the account. It is not a problem of messages, and only owners see it. */
export function PeopleConcerns() {
  const concerns = trpc.audit.concerns.useQuery(undefined, { refetchInterval: 60_000, enabled: useMay("owner") });
  const { data, error } = concerns;
  if (error !== null) return <FailureNotice title={t("Could not check what happened to people")} of={concerns} />;
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Stack gap={8}>
      {data.items.map((concern) => (
        <ProblemCard key={keyOf(concern)} problem={cardOf(concern)} />
      ))}
    </Stack>
  );
}

const keyOf = (concern: PersonConcern): string => ("userId" in concern ? `${concern.kind} ${concern.userId}` : concern.kind);

const unknown = { state: "open", counted: null, reopenedAt: null, snoozedUntil: null, acknowledgedBy: null, note: null } as const;

function cardOf(concern: PersonConcern) {
  const [title = "", advice = ""] = words[concern.kind].map((text) => translated(text, { ...concern, at: formatTime(concern.at) }));
  return {
    ...unknown,
    id: keyOf(concern),
    title,
    advice,
    beganAt: concern.at,
    lastAt: concern.at,
    actions: [{ kind: "open" as const, path: "userId" in concern ? paths.people : paths.privacy }],
  };
}

/** The title and the advice. */
const words: Record<PersonConcern["kind"], string[]> = labels;

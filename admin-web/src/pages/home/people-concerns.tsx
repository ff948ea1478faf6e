import { Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import { formatTime } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { FailureNotice } from "../../ui/base/page.tsx";

const ProblemCard = lazy(async () => ({ default: (await import("../../ui/problem/problem-card.tsx")).ProblemCard }));

type PersonConcern = Outputs["audit"]["concerns"]["items"][number];

/** What an owner should know of the other people of the account. It is not a problem of messages, and only owners see it. */
export function PeopleConcerns() {
  const concerns = trpc.audit.concerns.useQuery(undefined, { refetchInterval: 60_000, enabled: useMay("owner") });
  const { data, error } = concerns;
  if (error !== null) return <FailureNotice title={t("Could not check what happened to people")} of={concerns} />;
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <Stack gap={8}>
        {data.items.map((concern) => (
          <ProblemCard key={keyOf(concern)} problem={cardOf(concern)} />
        ))}
      </Stack>
    </Suspense>
  );
}

const keyOf = (concern: PersonConcern): string => ("userId" in concern ? `${concern.kind} ${concern.userId}` : concern.kind);

const unknown = { state: "open", counted: null, reopenedAt: null, snoozedUntil: null, acknowledgedBy: null, note: null } as const;

function cardOf(concern: PersonConcern) {
  const [title, advice] = wordsOf(concern);
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
function wordsOf(person: PersonConcern): readonly [string, string] {
  const at = formatTime(person.at);
  switch (person.kind) {
    case "password_reset":
      return [
        t("Password of {email} was reset", { email: person.email }),
        t("{at}. Sessions, access tokens and open invites ended. If nobody asked for it, remove the person.", { at }),
      ];
    case "second_factor_reset":
      return [
        t("Second factor of {email} was removed", { email: person.email }),
        t("{at}, by another owner. The password alone signs in until a new one is set up. If nobody asked for it, read the audit.", { at }),
      ];
    case "erasures_asked":
      return [
        t("{count, plural, one {A shop asks to erase a person} other {Shops ask to erase # people}}", { count: person.count }),
        t("Check who is meant under Privacy. A request that nobody decides confirms itself after 14 days."),
      ];
    case "erasures_confirmed":
      return [
        t("{count, plural, one {The data of a person was erased} other {The data of # people was erased}} at a shop's request", {
          count: person.count,
        }),
        t("{at}. Nobody had decided for 14 days.", { at }),
      ];
    default:
      return [
        t("{count, plural, one {# failed sign-in} other {# failed sign-ins}} for {email}", { count: person.count, email: person.email }),
        t("In the last 24 hours. The audit names the addresses. If it was not them, have them choose a longer password."),
      ];
  }
}

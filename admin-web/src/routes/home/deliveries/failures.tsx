import { Card, Text } from "@mantine/core";
import { formatCount } from "../../../format.ts";
import { paths } from "../../../paths.ts";
import type { Outputs } from "../../../trpc.ts";
import { Section } from "../../../ui/page/section.tsx";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import classes from "./failures.module.css";

type Reason = Outputs["stats"]["overview"]["errors"][number];

interface FailuresProps {
  errors: Reason[];
  days: number;
  siteId: string | undefined;
}

/** Why messages failed, the most frequent reason first, and what helps. */
export function Failures({ errors, days, siteId }: FailuresProps) {
  return (
    <Section title="Failures by reason">
      <Card withBorder padding={0}>
        {errors.length === 0 ? (
          <EmptyState title="No failure">Every message of the last {days} days went through or is on its way.</EmptyState>
        ) : (
          <ul className={classes["list"]}>
            {errors.map((reason) => (
              <Failure key={reason.code} reason={reason} most={errors[0]?.count ?? 1} siteId={siteId} />
            ))}
          </ul>
        )}
      </Card>
    </Section>
  );
}

function Failure({ reason, most, siteId }: { reason: Reason; most: number; siteId: string | undefined }) {
  const { code, title, explanation, count } = reason;
  return (
    <li className={classes["item"]}>
      <div className={classes["count"]}>
        <TextLink to={paths.log} search={{ status: "failed", errorCode: code, siteId }} title="Show them in the log">
          {formatCount(count)}
        </TextLink>
        <meter className={classes["meter"]} min={0} max={most} value={count} aria-hidden />
      </div>
      <div>
        <Text fw={600}>
          {title}{" "}
          <Text component="span" size="sm" c="dimmed" fw={400}>
            code {code}
          </Text>
        </Text>
        <Text size="sm" c="dimmed">
          {explanation.text}
        </Text>
        <Text size="sm">{explanation.action}</Text>
      </div>
    </li>
  );
}

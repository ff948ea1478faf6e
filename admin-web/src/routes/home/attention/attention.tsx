import { Card } from "@mantine/core";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { ConcernItem } from "./concern-item.tsx";
import { useConcerns } from "./use-concerns.ts";
import classes from "./attention.module.css";

/** What somebody has to look after. Nothing stands here while all is well. */
export function Attention() {
  const { concerns, error, retry } = useConcerns();
  if (error !== null) return <FailureNotice title="Could not look for what needs you" error={error} onRetry={retry} />;
  if (concerns.length === 0) return null;
  return (
    <Section title="Needs you">
      <Card withBorder padding={0}>
        <ul className={classes["list"]}>
          {concerns.map((concern) => (
            <ConcernItem key={concern.id} {...concern} />
          ))}
        </ul>
      </Card>
    </Section>
  );
}

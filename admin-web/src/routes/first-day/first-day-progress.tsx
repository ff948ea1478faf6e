import { Group, Progress, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/text-link.tsx";
import { type StepName, stepNames, stepTitles } from "./steps.ts";
import classes from "./first-day.module.css";

interface FirstDayProgressProps {
  done: Record<StepName, boolean>;
  next: StepName | undefined;
  /** Whether secrets are shown that have to be saved first. */
  isHeld: boolean;
}

/** How far it is; read out whenever it changes. */
export function FirstDayProgress({ done, next, isHeld }: FirstDayProgressProps) {
  const count = stepNames.filter((name) => done[name]).length;
  const isDone = next === undefined;
  return (
    <div className={classes["progress"]}>
      <Progress value={(count / stepNames.length) * 100} aria-label="Steps done" color="teal.9" size="sm" />
      <Text size="sm" role="status">
        <strong>
          {count} of {stepNames.length} done.
        </strong>{" "}
        {wordsFor(next, isHeld)}
      </Text>
      {isDone && (
        <Group gap="lg">
          <TextLink to={paths.home}>Go to the overview</TextLink>
          <TextLink to={paths.bindings}>Bind more events</TextLink>
          <TextLink to={paths.developers}>Read the documentation</TextLink>
        </Group>
      )}
    </div>
  );
}

function wordsFor(next: StepName | undefined, isHeld: boolean): string {
  if (isHeld) return "Save the key and the secret before you go on.";
  return next === undefined ? "Everything is set up: events that come now are sent." : `Next: ${stepTitles[next]}.`;
}

import { Group, Progress, Text, UnstyledButton } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import { type ReactNode, useId } from "react";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page } from "../../ui/page.tsx";
import { ListSkeleton } from "../../ui/paged-list.tsx";
import { BindingStep, BindingSummary } from "./binding-step.tsx";
import { EventStep, EventSummary } from "./event-step.tsx";
import { PlatformStep, PlatformSummary, SiteStep, SiteSummary } from "./platform-and-site-steps.tsx";
import { useFacts, type Facts, nextStep, stepsDone, useMadeSite, useOpenStep, stepButtonId } from "./progress.ts";
import { type StepName, stepNames, stepTitles } from "./route.ts";
import { TemplateStep, TemplateSummary } from "./template-step.tsx";
import classes from "./getting-started.module.css";

export function GettingStartedPage() {
  const { facts, error, retry } = useFacts();
  return (
    <Page title="Get started" lead="Five steps to the first message on a phone. Each is ticked off by itself.">
      {error !== null && <FailureNotice title="Could not load your progress" error={error} onRetry={retry} />}
      {facts !== undefined ? <Steps facts={facts} /> : error === null && <ListSkeleton what="your progress" />}
    </Page>
  );
}

/** One step is open at a time. */
function Steps({ facts }: { facts: Facts }) {
  const site = useMadeSite();
  const done = stepsDone(facts);
  // The secrets are shown once, so the step stays open until somebody confirms that they are saved.
  const next = site.isUnsaved ? "site" : nextStep(done);
  const { open, show } = useOpenStep(next, site.isUnsaved);
  const contents: Record<StepName, { summary: ReactNode; panel: ReactNode }> = {
    platform: { summary: <PlatformSummary {...facts} />, panel: <PlatformStep {...facts} /> },
    site: { summary: <SiteSummary {...facts} />, panel: <SiteStep {...facts} held={site} /> },
    template: { summary: <TemplateSummary {...facts} />, panel: <TemplateStep {...facts} /> },
    binding: { summary: <BindingSummary {...facts} />, panel: <BindingStep {...facts} /> },
    event: { summary: <EventSummary {...facts} />, panel: <EventStep {...facts} made={site.made} /> },
  };
  return (
    <div className={classes["day"]}>
      <StepsProgress done={done} next={next} isHeld={site.isUnsaved} />
      <ol className={classes["steps"]}>
        {stepNames.map((name, index) => (
          <Step
            key={name}
            name={name}
            number={index + 1}
            isDone={done[name]}
            isOpen={open === name}
            onOpen={() => show(name)}
            summary={contents[name].summary}
          >
            {contents[name].panel}
          </Step>
        ))}
      </ol>
    </div>
  );
}

interface StepsProgressProps {
  done: Record<StepName, boolean>;
  next: StepName | undefined;
  /** Secrets are shown that must be saved first. */
  isHeld: boolean;
}

function StepsProgress({ done, next, isHeld }: StepsProgressProps) {
  const count = stepNames.filter((name) => done[name]).length;
  const isDone = next === undefined;
  return (
    <div className={classes["progress"]}>
      <Progress value={(count / stepNames.length) * 100} aria-label="Steps done" color="teal.9" size="sm" />
      <Text size="sm" role="status">
        <strong>
          {count} of {stepNames.length} done.
        </strong>{" "}
        {describeNext(next, isHeld)}
      </Text>
      {isDone && (
        <Group gap="lg">
          <TextLink to={paths.home}>Go to Overview</TextLink>
          <TextLink to={paths.bindings}>Create more bindings</TextLink>
          <TextLink to={paths.developers}>Read the documentation</TextLink>
        </Group>
      )}
    </div>
  );
}

function describeNext(next: StepName | undefined, isHeld: boolean): string {
  if (isHeld) return "Save the API key and the webhook secret before you go on.";
  return next === undefined ? "Everything is set up: new events send messages." : `Next: ${stepTitles[next]}.`;
}

interface StepProps {
  name: StepName;
  number: number;
  isDone: boolean;
  isOpen: boolean;
  onOpen: () => void;
  /** One line: the result, or the purpose. */
  summary: ReactNode;
  children: ReactNode;
}

function Step({ name, number, isDone, isOpen, onOpen, summary, children }: StepProps) {
  const panel = useId();
  return (
    <li className={classes["step"]} data-done={isDone || undefined} data-open={isOpen || undefined}>
      <span className={classes["mark"]} aria-hidden>
        {isDone ? <IconCheck size={16} stroke={2.5} /> : number}
      </span>
      <div className={classes["body"]}>
        <h2 className={classes["heading"]}>
          <UnstyledButton
            id={stepButtonId(name)}
            className={classes["title"]}
            aria-expanded={isOpen}
            aria-controls={isOpen ? panel : undefined}
            aria-disabled={isOpen || undefined}
            onClick={onOpen}
          >
            {stepTitles[name]}
            <span className={classes["state"]}>{isDone ? "Done" : "Not done"}</span>
          </UnstyledButton>
        </h2>
        <p className={classes["summary"]}>{summary}</p>
        {isOpen && (
          <div id={panel} className={classes["panel"]}>
            {children}
          </div>
        )}
      </div>
    </li>
  );
}

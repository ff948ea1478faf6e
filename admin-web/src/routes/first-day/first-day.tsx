import type { ReactNode } from "react";
import { BindingStep, BindingSummary } from "./binding/binding-step.tsx";
import { EventStep, EventSummary } from "./event/event-step.tsx";
import { FirstDayProgress } from "./first-day-progress.tsx";
import { PlatformStep, PlatformSummary } from "./platform-step.tsx";
import { type Facts, nextStep, stepsDone } from "./progress.ts";
import { SiteStep, SiteSummary } from "./site-step.tsx";
import { Step } from "./step.tsx";
import { type StepName, stepNames } from "./steps.ts";
import { TemplateStep, TemplateSummary } from "./template/template-step.tsx";
import { useMadeSite } from "./use-made-site.ts";
import { useOpenStep } from "./use-open-step.ts";
import classes from "./first-day.module.css";

/** The steps, one open at a time. */
export function FirstDay({ facts }: { facts: Facts }) {
  const site = useMadeSite();
  const done = stepsDone(facts);
  // Secrets that are shown this once are not hidden by anything but the word that they are saved.
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
      <FirstDayProgress done={done} next={next} isHeld={site.isUnsaved} />
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

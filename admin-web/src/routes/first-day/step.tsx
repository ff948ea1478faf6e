import { UnstyledButton } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import { useId, type ReactNode } from "react";
import { stepTitles, type StepName } from "./steps.ts";
import { stepButtonId } from "./use-open-step.ts";
import classes from "./step.module.css";

interface StepProps {
  name: StepName;
  number: number;
  isDone: boolean;
  isOpen: boolean;
  onOpen: () => void;
  /** In a line: what was done, or what it is for. */
  summary: ReactNode;
  children: ReactNode;
}

/** One step of the first day: its heading, and when it is open, all that there is to do in it. */
export function Step({ name, number, isDone, isOpen, onOpen, summary, children }: StepProps) {
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
            <span className={classes["state"]}>{isDone ? "Done" : "Not done yet"}</span>
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

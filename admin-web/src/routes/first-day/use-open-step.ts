import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { paths } from "../../paths.ts";
import type { StepName } from "./steps.ts";

/** The id of the button that opens a step. */
export const stepButtonId = (name: StepName): string => `first-day-${name}`;

interface OpenStep {
  open: StepName;
  show: (name: StepName) => void;
}

/**
 * Which step stands open: the one that somebody chose, which the address keeps, else `next`, the first that is not done. When that changes the flow goes on to
 * it, and takes the focus along.
 */
export function useOpenStep(next: StepName | undefined, isHeld: boolean): OpenStep {
  const { step } = useSearch({ from: `/signed-in${paths.firstDay}` });
  const navigate = useNavigate();
  const goTo = (name?: StepName) => void navigate({ to: paths.firstDay, search: { step: name }, replace: true });
  const open = (isHeld ? next : (step ?? next)) ?? "event";
  useOnChange(next, () => goTo());
  useOnChange(open, () => takeFocus(open));
  return { open, show: (name) => goTo(name === next ? undefined : name) };
}

function useOnChange(value: unknown, act: () => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    act();
  });
}

/** Not from somebody who is busy elsewhere: only where the step that is closed had the focus, and lost it with what was in it. */
function takeFocus(name: StepName): void {
  const button = document.getElementById(stepButtonId(name));
  const { activeElement } = document;
  const isWithin = button?.closest("ol")?.contains(activeElement) === true;
  if (isWithin || activeElement === document.body) button?.focus();
}

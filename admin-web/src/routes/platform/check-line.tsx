import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import type { ReactNode } from "react";
import type { ConnectionCheck } from "shared/platform/connection-check";
import classes from "./platform.module.css";

const states = {
  passed: { icon: IconCheck, words: "passed" },
  failed: { icon: IconAlertTriangle, words: "failed" },
  skipped: { icon: IconMinus, words: "not reached" },
};

interface CheckLineProps {
  check: ConnectionCheck;
  state: keyof typeof states;
  /** What to do, of one that failed. */
  children: ReactNode;
}

export function CheckLine({ check, state, children }: CheckLineProps) {
  const { icon: Icon, words } = states[state];
  return (
    <li className={classes["check"]} data-state={state}>
      <Icon size={18} aria-hidden />
      <div>
        {sentenceCase(check)}: {words}
        {children !== false && <div className={classes["advice"]}>{children}</div>}
      </div>
    </li>
  );
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

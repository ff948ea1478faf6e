import { useEffect, useRef } from "react";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { FaultList } from "./fault-list.tsx";
import type { Editing } from "./use-editing.ts";
import classes from "./template-editor.module.css";

/** Why the last attempt came to nothing. It takes the focus, and its links lead on to the fields. */
export function WhyNot({ editing }: { editing: Editing }) {
  const place = useRef<HTMLDivElement>(null);
  const { stopped, refusal } = editing;
  useEffect(() => {
    if (stopped !== null || refusal !== null) place.current?.focus();
  }, [stopped, refusal]);
  return (
    <div ref={place} tabIndex={-1} className={classes["notice"]}>
      <Reason editing={editing} />
    </div>
  );
}

/** What is submitted is saved before. */
const titles = { save: "It was not saved", submit: "It is saved, but was not submitted" };

function Reason({ editing: { stopped, refusal, draft, go } }: { editing: Editing }) {
  if (stopped !== null) {
    const title = stopped.goal === "save" ? "Before it can be saved" : "Before it can be submitted";
    return <FaultList title={title} faults={stopped.faults} left={draft.faults} onGo={go} />;
  }
  if (refusal === null) return null;
  const title = titles[refusal.asked];
  if (refusal.faults.length > 0) return <FaultList title={title} faults={refusal.faults} left={draft.said} onGo={go} />;
  return <FailureNotice title={title} error={refusal} />;
}

import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconChecks from "@tabler/icons-react/dist/esm/icons/IconChecks.mjs";
import classes from "./phone-page.module.css";

/** How far a message has come, as its sender's app shows it: one tick sent, two delivered, two in colour read. */
export function MessageTicks({ status }: { status: string }) {
  const Icon = status === "delivered" || status === "read" ? IconChecks : IconCheck;
  return (
    <span className={classes["ticks"]} data-status={status}>
      <Icon size={16} aria-hidden />
      {status}
    </span>
  );
}

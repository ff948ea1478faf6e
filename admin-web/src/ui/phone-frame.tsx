import type { ReactNode } from "react";
import classes from "./phone-frame.module.css";

/** A phone with a chat on it. `title`: whose chat. */
export function PhoneFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes["phone"]}>
      <div className={classes["bar"]}>{title}</div>
      {/* A region that scrolls is reached by the keyboard too. */}
      <div className={classes["chat"]} role="log" aria-label={title} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}

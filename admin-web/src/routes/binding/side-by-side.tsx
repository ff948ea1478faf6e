import type { ReactNode } from "react";
import classes from "./side-by-side.module.css";

export const previewId = "preview";

/** What is worked on, and beside it, or below where there is no room, what comes of it. */
export function SideBySide({ aside, children }: { aside: ReactNode; children: ReactNode }) {
  return (
    <div className={classes["frame"]}>
      <div className={classes["columns"]}>
        {children}
        <aside id={previewId} className={classes["aside"]} aria-label="Preview">
          {aside}
        </aside>
      </div>
    </div>
  );
}

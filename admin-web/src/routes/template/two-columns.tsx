import type { ReactNode } from "react";
import classes from "./two-columns.module.css";

/** What is worked on, and its preview: beside it where there is room, and staying in sight. */
export function TwoColumns({ beside, children }: { beside: ReactNode; children: ReactNode }) {
  return (
    <div className={classes["frame"]}>
      <div className={classes["columns"]}>
        <div>{children}</div>
        <div className={classes["beside"]}>{beside}</div>
      </div>
    </div>
  );
}

import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** What is known of a thing, a `Fact` each. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={classes["facts"]}>{children}</dl>;

/** What there is not (null, false or an empty text) is left out. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <div className={classes["fact"]}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

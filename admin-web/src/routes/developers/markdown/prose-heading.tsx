import { Children, type ReactNode } from "react";
import { slugOf } from "../docs/sections.ts";
import classes from "./prose.module.css";

/** A heading that can be linked to. */
export function ProseHeading({ children }: { children: ReactNode }) {
  const title = Children.toArray(children)
    .filter((child) => typeof child === "string")
    .join("");
  const slug = slugOf(title);
  return (
    <h2 id={slug} className={classes["heading"]}>
      {children}{" "}
      <a href={`#${slug}`} className={classes["anchor"]} aria-label={`Link to ${title}`}>
        #
      </a>
    </h2>
  );
}

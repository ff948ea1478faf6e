import { Group, type GroupProps } from "@mantine/core";
import type { CSSProperties, HTMLAttributes, ReactNode } from "react";
import classes from "./ui.module.css";

interface ColumnsProps extends HTMLAttributes<HTMLDivElement> {
  /** The least width of a column, as a CSS length. */
  least: string;
  /** The space between them, as a CSS length. */
  gap?: string;
}

/** As many columns of the same width as fit beside each other. */
export const Columns = ({ least, gap = "var(--mantine-spacing-sm)", ...props }: ColumnsProps) => (
  <div className={classes["columns"]} style={{ "--least": least, "--gap": gap } as CSSProperties} {...props} />
);

interface TwoColumnsProps {
  id?: string;
  /** The name of what stands beside. */
  label: string;
  beside: ReactNode;
  children: ReactNode;
}

/** A form with its preview beside it where there is room, else below. */
export const TwoColumns = ({ id, label, beside, children }: TwoColumnsProps) => (
  <div className={classes["frame"]}>
    <div className={classes["two"]}>
      <div>{children}</div>
      <aside id={id} className={classes["beside"]} aria-label={label}>
        {beside}
      </aside>
    </div>
  </div>
);

/** The end of a form, always in sight. */
export const StickyBar = (props: GroupProps) => <Group data-screen gap="sm" {...props} className={classes["bar"] ?? ""} />;

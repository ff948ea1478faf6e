import { Box, type BoxProps, Group, type GroupProps } from "@mantine/core";
import type { ComponentProps, CSSProperties, HTMLAttributes, ReactNode } from "react";
import { t } from "../../language.ts";
import classes from "./ui.module.css";

interface ColumnsProps extends HTMLAttributes<HTMLDivElement> {
  /** The least width of a column, as a CSS length. */
  least: string;
  /** The space between them, as a CSS length. */
  gap?: string;
}

/** The style of as many columns of the same width as fit beside each other; both are CSS lengths. */
export const inColumns = (least: string, gap: string) =>
  ({ display: "grid", gridTemplateColumns: `repeat(auto-fit, minmax(min(100%, ${least}), 1fr))`, gap, alignItems: "start" }) as const;

export const Columns = ({ least, gap = "var(--mantine-spacing-sm)", ...props }: ColumnsProps) => (
  <div style={inColumns(least, gap)} {...props} />
);

/** A list with a line between its items. */
export const Rows = (props: BoxProps & ComponentProps<"ul">) => <Box component="ul" {...props} className={classes["rows"] ?? ""} />;

/** A form with its preview beside it where there is room, else below. */
export const TwoColumns = ({ id, beside, children }: { id?: string; beside: ReactNode; children: ReactNode }) => (
  <div style={{ containerType: "inline-size" }}>
    <div className={classes["two"]}>
      <div>{children}</div>
      <aside id={id} className={classes["beside"]} aria-label={t("Preview")}>
        {beside}
      </aside>
    </div>
  </div>
);

/** One column, and in wide windows these; a narrow one at the end unless others are given. */
export const WideColumns = ({ columns = "minmax(0, 1fr) 22rem", ...props }: HTMLAttributes<HTMLDivElement> & { columns?: string }) => (
  <div className={classes["wide"]} style={{ "--columns": columns } as CSSProperties} {...props} />
);

/** What a page ends with, always in sight. */
export const StickyBar = (props: GroupProps) => <Group data-screen gap="sm" {...props} className={classes["bar"] ?? ""} />;

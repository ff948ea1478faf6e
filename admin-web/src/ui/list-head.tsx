import { Button, Checkbox, Group, Popover, Stack, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import type { ReactNode } from "react";
import { formatCount } from "../format.ts";
import { t } from "../language.ts";
import type { Column } from "./data-table.tsx";
import classes from "./ui.module.css";

interface ListHeadProps {
  /** How many rows match the filters; undefined while that is not known. */
  count: number | undefined;
  /** True if `count` is a lower bound. */
  more?: boolean;
  /** What stands at the end of the line, such as the choice of columns. */
  children?: ReactNode;
}

/** The line above a list: how many match, which screen readers hear when it changes. */
export const ListHead = ({ count, more = false, children }: ListHeadProps) => (
  <Group gap={12} mih={28} justify="space-between">
    <Text fz={13} c="dimmed" role="status">
      {count !== undefined && matchWords(count, more)}
    </Text>
    {children}
  </Group>
);

const matchWords = (count: number, more: boolean): string =>
  more
    ? t("More than {count} matches", { count: formatCount(count) })
    : t("{count, plural, =0 {No matches} one {# match} other {# matches}}", { count });

/** From this number of columns on a reader chooses which to see. */
const many = 7;

interface ChosenColumns<Row> {
  columns: Column<Row>[];
  /** The button that chooses; null where there are few columns. */
  chooser: ReactNode;
}

/** The columns that a reader wants to see of a list, kept on this device under `name`. Titles and buttons are always there. */
export function useColumns<Row>(name: string, all: Column<Row>[]): ChosenColumns<Row> {
  const [hidden, hide] = useLocalStorage<string[]>({ key: `columns-${name}`, defaultValue: [], getInitialValueInEffect: false });
  const optional = all.filter(({ kind }) => kind !== "title" && kind !== "buttons");
  if (all.length < many) return { columns: all, chooser: null };
  const columns = all.filter((column) => !optional.includes(column) || !hidden.includes(column.name));
  const chooser = (
    <Popover position="bottom-end" trapFocus returnFocus withinPortal={false} transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Button size="compact-sm" fz={13} variant="subtle" color="gray" c="var(--mantine-color-text)">
          {t("Columns")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("Columns")} className={classes["columns"] ?? ""}>
        <Stack gap={8}>
          {optional.map((column) => (
            <Checkbox
              key={column.name}
              size="sm"
              label={column.name}
              checked={!hidden.includes(column.name)}
              onChange={({ currentTarget: { checked } }) =>
                hide(checked ? hidden.filter((each) => each !== column.name) : [...hidden, column.name])
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
  return { columns, chooser };
}

import { ActionIcon, Drawer, Group, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import IconChevronUp from "@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { useMeant } from "../base/dialogs.tsx";
import { Moment } from "../base/facts.tsx";
import { Awaiting } from "../base/later.tsx";
import { ListSkeleton } from "../table/data-table.tsx";

interface DetailDrawerProps {
  /** What it shows, such as `Message`. */
  title: string;
  /** The open row: the search parameter `open`, so that it can be shared. */
  id: string | undefined;
  /** The list in its order. It may lack the open row. */
  rows: readonly { id: string }[];
  /** May load with the first row that is opened. */
  children: (id: string) => ReactNode;
}

/** Opens a row of the list that is shown beside it, with its filters as they are. */
export const openHere = (open: string) => ({
  to: "." as const,
  search: ((now: object) => ({ ...now, open })) as never,
  resetScroll: false,
});

/** One row of a list beside it. The list's neighbours are one key away. */
export function DetailDrawer({ title, id, rows, children }: DetailDrawerProps) {
  const navigate = useNavigate();
  const open = (next: string | undefined) =>
    void navigate({ to: ".", search: (now: object) => ({ ...now, open: next }) as never, replace: next !== undefined, resetScroll: false });
  const { root, isMeant } = useMeant();
  const index = rows.findIndex((row) => row.id === id);
  return (
    <Drawer.Root
      ref={root}
      opened={id !== undefined}
      onClose={() => isMeant() && open(undefined)}
      position="right"
      size="42rem"
      lockScroll={false}
    >
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content>
        <Drawer.Header role="presentation">
          <Drawer.Title component="h2" fw={600}>
            {title}
          </Drawer.Title>
          <Neighbours previous={rows[index - 1]?.id} next={index === -1 ? undefined : rows[index + 1]?.id} onOpen={open} />
          <Drawer.CloseButton aria-label={t("Close")} ms={0} />
        </Drawer.Header>
        <Drawer.Body>
          <Awaiting fallback={<ListSkeleton what={title} />}>{id !== undefined && <div key={id}>{children(id)}</div>}</Awaiting>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

interface DrawerHeadProps {
  /** What it is, by the name that the list has for it. */
  name: ReactNode;
  /** The order's number. */
  order?: string | null | undefined;
  /** Its badges. */
  state: ReactNode;
  at: string;
  children?: ReactNode;
}

/** What the drawer shows: its name, how it stands, of which order, and when it was. */
export const DrawerHead = ({ name, order = null, state, at, children }: DrawerHeadProps) => (
  <Stack gap={4}>
    <Group gap="sm">
      <Text size="md" fw={600} component="h3" style={{ overflowWrap: "anywhere" }}>
        {name}
      </Text>
      {state}
    </Group>
    <Group gap="0 var(--mantine-spacing-sm)">
      {order !== null && <Text>{t("Order {value}", { value: order })}</Text>}
      <Moment at={at} seconds />
    </Group>
    {children}
  </Stack>
);

function Neighbours({ previous, next, onOpen }: { previous: string | undefined; next: string | undefined; onOpen: (id: string) => void }) {
  const go = (id: string | undefined) => id !== undefined && onOpen(id);
  useHotkeys([
    ["j", () => go(next)],
    ["k", () => go(previous)],
  ]);
  const button = (id: string | undefined, label: string, key: string, icon: ReactNode) => (
    <ActionIcon variant="default" aria-label={label} title={`${label} (${key})`} disabled={id === undefined} onClick={() => go(id)}>
      {icon}
    </ActionIcon>
  );
  return (
    <Group gap={4} ms="auto" me="xs">
      {button(previous, t("Previous"), "K", <IconChevronUp size={16} aria-hidden />)}
      {button(next, t("Next"), "J", <IconChevronDown size={16} aria-hidden />)}
    </Group>
  );
}

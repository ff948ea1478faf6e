import { ActionIcon, Group } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import IconChevronUp from "@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs";

interface NeighboursProps {
  newer: string | undefined;
  older: string | undefined;
  onOpen: (id: string) => void;
}

/** From message to message without going back to the list; by j and k too. */
export function Neighbours({ newer, older, onOpen }: NeighboursProps) {
  const go = (id: string | undefined) => id !== undefined && onOpen(id);
  useHotkeys([
    ["j", () => go(older)],
    ["k", () => go(newer)],
  ]);
  return (
    <Group gap={4} ml="auto" mr="xs">
      <ActionIcon
        variant="default"
        aria-label="Newer message"
        title="Newer message (K)"
        disabled={newer === undefined}
        onClick={() => go(newer)}
      >
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label="Older message"
        title="Older message (J)"
        disabled={older === undefined}
        onClick={() => go(older)}
      >
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

import { Button, Group } from "@mantine/core";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";

interface FilterChip {
  name: string;
  value: string;
  onRemove: () => void;
}

/** The filters that are set, each to be taken away alone. */
export function FilterChips({ chips, onClear }: { chips: FilterChip[]; onClear: () => void }) {
  if (chips.length === 0) return null;
  return (
    <Group gap={6} role="group" aria-label="Filters that are set">
      {chips.map(({ name, value, onRemove }) => (
        <Button
          key={name}
          variant="default"
          size="compact-xs"
          radius="xl"
          maw="100%"
          fw={500}
          aria-label={`Remove the filter ${name}: ${value}`}
          rightSection={<IconX size={12} aria-hidden />}
          onClick={onRemove}
        >
          {name}: {value}
        </Button>
      ))}
      <Button variant="subtle" size="compact-xs" onClick={onClear}>
        Clear all
      </Button>
    </Group>
  );
}

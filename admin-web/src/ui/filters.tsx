import { Button, Group, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useState } from "react";

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

interface TextFilterProps extends Omit<TextInputProps, "value" | "onChange"> {
  /** What is filtered by at present. */
  value: string | undefined;
  onChange: (text: string) => void;
}

/** A text to filter by, told when whoever types it pauses. */
export function TextFilter({ value, onChange, ...props }: TextFilterProps) {
  const [text, type] = useTypedFilter(value, onChange);
  return <TextInput type="search" maxLength={500} {...props} value={text} onChange={(event) => type(event.currentTarget.value)} />;
}

const typingPauseMs = 300;

/** What is typed is the field's own, and told after a pause. Changed from outside, by a chip or the way back, the field follows. */
export function useTypedFilter(value: string | undefined, onChange: (value: string) => void): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(value ?? "");
  const [known, setKnown] = useState(value);
  const [told, setTold] = useState(value ?? "");
  const tellSoon = useDebouncedCallback((typed: string) => {
    setTold(typed);
    onChange(typed);
  }, typingPauseMs);
  if (value !== known) {
    const given = value ?? "";
    setKnown(value);
    setTold(given);
    // What was told comes back without its blanks, and more may have been typed meanwhile.
    if (given !== told.trim()) setText(given);
  }
  const type = (typed: string) => {
    setText(typed);
    tellSoon(typed);
  };
  return [text, type];
}

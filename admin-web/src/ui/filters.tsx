import { Button, Group, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useState } from "react";

interface FilterChip {
  name: string;
  value: string;
  onRemove: () => void;
}

/** The active filters, each with a button to remove it. */
export function FilterChips({ chips, onClear }: { chips: FilterChip[]; onClear: () => void }) {
  if (chips.length === 0) return null;
  return (
    <Group gap={6} role="group" aria-label="Active filters">
      {chips.map(({ name, value, onRemove }) => (
        <Button
          key={name}
          variant="default"
          size="compact-xs"
          radius="xl"
          maw="100%"
          fw={500}
          aria-label={`Remove filter ${name}: ${value}`}
          rightSection={<IconX size={12} aria-hidden />}
          onClick={onRemove}
        >
          {name}: {value}
        </Button>
      ))}
      <Button variant="subtle" size="compact-xs" onClick={onClear}>
        Clear filters
      </Button>
    </Group>
  );
}

interface TextFilterProps extends Omit<TextInputProps, "value" | "onChange"> {
  value: string | undefined;
  onChange: (text: string) => void;
}

/** A search field that reports its text after a pause in typing. */
export function TextFilter({ value, onChange, ...props }: TextFilterProps) {
  const [text, type] = useTypedFilter(value, onChange);
  return <TextInput type="search" maxLength={500} {...props} value={text} onChange={(event) => type(event.currentTarget.value)} />;
}

const typingPauseMs = 300;

/** Keeps what is typed and reports it after a pause. The text follows a change from outside: a removed chip, the back button. */
export function useTypedFilter(value: string | undefined, onChange: (value: string) => void): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(value ?? "");
  const [known, setKnown] = useState(value);
  const [reported, setReported] = useState(value ?? "");
  const reportSoon = useDebouncedCallback((typed: string) => {
    setReported(typed);
    onChange(typed);
  }, typingPauseMs);
  if (value !== known) {
    const given = value ?? "";
    setKnown(value);
    setReported(given);
    // The reported text comes back trimmed, and more may have been typed meanwhile.
    if (given !== reported.trim()) setText(given);
  }
  const type = (typed: string) => {
    setText(typed);
    reportSoon(typed);
  };
  return [text, type];
}

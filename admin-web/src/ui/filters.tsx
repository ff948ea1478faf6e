import { Button, Group, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useState } from "react";
import { isUuid } from "shared/core/uuid";

interface DaySpan {
  /** Days of the reader's own, YYYY-MM-DD; both belong to the span whole. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The same span as the server takes it: as instants, of which both belong to it. */
export const daySpan = ({ from, to }: DaySpan): DaySpan => ({
  from: from && midnight(from, 0).toISOString(),
  to: to && new Date(midnight(to, 1).getTime() - 1).toISOString(),
});

/** In the reader's zone, `later` days after the named one. */
function midnight(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later);
}

/** `path` with what is given of the filters as its query. */
export function fileAddress(path: string, filter: object): string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

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

/** Reads what stands in an address: each answers undefined for what is empty or cannot be, since the router keeps what is not answered. */

/** The router reads digits in an address as a number. */
export function searchText(value: unknown): string | undefined {
  const written = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return written === "" ? undefined : written;
}

export const searchId = (value: unknown): string | undefined => (typeof value === "string" && isUuid(value) ? value : undefined);

/** A day of the reader's own, YYYY-MM-DD. */
export const searchDay = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

export const searchOneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined => values.find((each) => each === value);

/** The router reads true and false in an address as what they are. */
export const searchFlag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

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

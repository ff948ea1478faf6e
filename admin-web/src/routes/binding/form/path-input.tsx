import { Autocomplete, type AutocompleteProps, Group, Text } from "@mantine/core";
import type { LearnedField } from "./use-learned-fields.ts";
import classes from "./path-input.module.css";

interface PathInputProps extends Omit<AutocompleteProps, "data" | "filter" | "renderOption"> {
  fields: readonly LearnedField[];
}

const shownOptions = 100;

/** A path into the event: one of those that were seen, found by its name or by what it held, or any other. */
export function PathInput({ fields, ...props }: PathInputProps) {
  const byPath = new Map(fields.map((field) => [field.path, field]));
  return (
    <Autocomplete
      placeholder={fields.length === 0 ? "order.number" : "Search by name or by value"}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      limit={shownOptions}
      maxDropdownHeight={300}
      data={fields.map(({ path }) => path)}
      // A whole path is what was chosen, not what is looked for.
      filter={({ options, search }) =>
        byPath.has(search) ? options : options.filter((option) => "value" in option && fits(byPath.get(option.value), search))
      }
      renderOption={({ option }) => <PathOption field={byPath.get(option.value)} />}
      {...props}
    />
  );
}

function fits(field: LearnedField | undefined, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/u);
  const text = `${field?.path ?? ""} ${field?.sample ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function PathOption({ field }: { field: LearnedField | undefined }) {
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap" className={classes["option"] ?? ""}>
      <Text size="sm" ff="monospace" className={classes["path"] ?? ""}>
        {field?.path}
      </Text>
      <Text size="xs" c="dimmed" truncate className={classes["sample"] ?? ""}>
        {field?.sample ?? "empty"}
      </Text>
    </Group>
  );
}

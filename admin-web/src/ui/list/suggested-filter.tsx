import { Autocomplete, type AutocompleteProps, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "../../format.ts";
import { translated } from "../../language.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { Dimmed, Small } from "../base/page.tsx";
import { asTyped } from "../form/pickers.tsx";
import { useTypedFilter } from "./filters.tsx";

type Suggestion = Outputs["notifications"]["filterValues"]["items"][number];

interface SuggestedFilterProps extends Omit<AutocompleteProps, "value" | "onChange" | "data"> {
  field: "event" | "template" | "errorCode" | "field";
  /** The site and the period whose values are offered. */
  within?: { siteId?: string | undefined; from?: string | undefined; to?: string | undefined };
  value: string | undefined;
  onChange: (value: string) => void;
}

/** A filter with suggestions while somebody types. If it takes only whole values, the beginning of a suggested one is not searched yet. */
export function SuggestedFilter({ field, within = {}, value, onChange, ...props }: SuggestedFilterProps) {
  const [wasOpened, setOpened] = useState(false);
  const [more, setMore] = useState(false);
  const [sought, seek] = useState("");
  const [search] = useDebouncedValue(sought.trim(), 200);
  const query = trpc.notifications.filterValues.useQuery(
    { field, ...within, ...(more && search !== "" && { search }) },
    { enabled: wasOpened, placeholderData: keepPreviousData, staleTime: 30_000 },
  );
  if (query.data?.more === true && !more) setMore(true);
  const items = query.data?.items ?? [];
  const [text, type] = useTypedFilter(value, (typed) => (field !== "field" && isBeginning(typed, items)) || onChange(typed));
  const byValue = new Map(items.map((item) => [item.value, item]));
  return (
    <Autocomplete
      maxLength={500}
      {...asTyped}
      maxDropdownHeight={320}
      limit={100}
      comboboxProps={{ width: 320, position: "bottom-start" }}
      {...props}
      data={[...byValue.keys()]}
      filter={({ options, search: typed }) =>
        options.filter((option) => "value" in option && holds(byValue.get(option.value), typed.trim().toLowerCase()))
      }
      renderOption={({ option }) => <Option item={byValue.get(option.value)} />}
      value={text}
      onFocus={() => setOpened(true)}
      onChange={(typed) => {
        seek(typed);
        type(typed);
      }}
      onOptionSubmit={onChange}
      onBlur={() => text !== (value ?? "") && onChange(text)}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && !currentTarget.hasAttribute("aria-activedescendant") && onChange(text)}
    />
  );
}

const holds = (item: Suggestion | undefined, typed: string): boolean =>
  item !== undefined && `${item.value}\n${titleOf(item)}`.toLowerCase().includes(typed);

function isBeginning(typed: string, items: readonly Suggestion[]): boolean {
  const sought = typed.trim().toLowerCase();
  return sought !== "" && items.every(({ value }) => value.toLowerCase() !== sought) && items.some((item) => holds(item, sought));
}

const titleOf = ({ title }: Suggestion): string => (title === null ? "" : translated(title));

function Option({ item }: { item: Suggestion | undefined }) {
  if (item === undefined) return null;
  const { value, count, countIsLeast } = item;
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" w="100%">
      <div>
        <Text>{value}</Text>
        {item.title !== null && <Small>{titleOf(item)}</Small>}
      </div>
      {count !== null && (
        <Dimmed>
          {formatCount(count)}
          {countIsLeast && "+"}
        </Dimmed>
      )}
    </Group>
  );
}

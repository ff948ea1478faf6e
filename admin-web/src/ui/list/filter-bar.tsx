import { ActionIcon, Box, Button, Group, Menu, Popover, Skeleton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useNavigate } from "@tanstack/react-router";
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import type { ViewFilter } from "shared/core/input/views";
import type { ViewList } from "shared/core/saved-view";
import { sentenceCase } from "shared/core/text";
import { formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { QuietButton, SmallButton } from "../base/buttons.tsx";
import { between } from "../base/facts.tsx";
import { doing } from "../base/fields.ts";
import { Awaiting } from "../base/later.tsx";
import { TextFilter, type TextFilterProps } from "./filters.tsx";
import { SavedViewsMenu } from "./saved-views.tsx";
import { searchChanger } from "./search-params.ts";
import classes from "./filter-bar.module.css";

/** Changes of search parameters; null removes one. */
type Change<Search> = (changes: { [Name in keyof Search]?: Search[Name] | string | null }) => void;

/** A filter that is one of some values, or that its own field edits. */
export type Filter<Search> = {
  name: string;
  label: string;
  /** The search parameters that it sets; its name unless given. */
  members?: (keyof Search & string)[];
  /** True for one that always has a value, which is changed and never removed. */
  isKept?: true;
} & (
  | { options: readonly { value: string; label: string }[] }
  | {
      /** The value in words. */
      tell: (search: Search) => string;
      edit: (search: Search, change: Change<Search>) => ReactNode;
    }
);

interface FilterBarProps<Search extends object> {
  /** The page's search parameters, as its route has read them; `search` among them is what is searched for. */
  search: Search;
  /** The reader of the route. */
  read: (search: Record<string, unknown>) => Search;
  /** What can be searched for, such as `Order, name or phone number`. Without it there is no search field. */
  placeholder?: string | undefined;
  filters: readonly Filter<Search>[];
  /** The saved views of the list. */
  views?: ViewList;
  /** What the page itself stands for of them. */
  within?: ViewFilter | undefined;
  /** The time zone of the list's days; the reader's unless given. */
  zone?: string;
}

/** Search, filters and saved views of a list, the same in every list. All of them are in the address, so that what is shown can be shared and reloaded. */
export function FilterBar<Search extends object>({ search, read, placeholder, filters, views, within, zone }: FilterBarProps<Search>) {
  const navigate = useNavigate();
  const changed = searchChanger(read);
  const change: Change<Search> = (changes) =>
    void navigate({ to: ".", search: changed(changes as never) as never, replace: true, resetScroll: false });
  /** The filter whose field is open; it has a chip before it has a value. */
  const [open, setOpen] = useState<string | null>(null);
  const { chips, refocus } = useRefocus();
  const shown = filters.filter((filter) => isSet(filter, search) || filter.name === open);
  const rest = filters.filter((filter) => !shown.includes(filter));
  const removable = filters.filter(({ isKept }) => isKept !== true);
  const clear = (some: readonly Filter<Search>[]) => {
    setOpen(null);
    change(Object.fromEntries(some.flatMap((filter) => membersOf(filter).map((name) => [name, null]))) as never);
    refocus();
  };
  return (
    <Group component="search" gap="8px 12px" aria-label={t("Filters")}>
      {placeholder !== undefined && (
        <SearchField
          placeholder={placeholder}
          value={(search as { search?: string }).search}
          onChange={(text) => change({ search: text } as never)}
        />
      )}
      <Group ref={chips} className={classes["chips"] ?? ""} gap={8} role="group" miw={0} aria-label={t("Active filters")}>
        {shown.map((filter) => (
          <Chip
            key={filter.name}
            filter={filter}
            search={search}
            change={change}
            isOpen={filter.name === open}
            onOpen={(isOpen) => {
              setOpen(isOpen ? filter.name : null);
              if (!isOpen) refocus(filter.name);
            }}
            onRemove={() => clear([filter])}
          />
        ))}
        {rest.length > 0 && <AddFilter filters={rest} onAdd={setOpen} />}
        {removable.some((filter) => isSet(filter, search)) && (
          <QuietButton onClick={() => clear(removable)}>{t("Clear filters")}</QuietButton>
        )}
      </Group>
      {views !== undefined && (
        <Box ms="auto">
          <SavedViewsMenu list={views} {...{ zone, search, within }} />
        </Box>
      )}
    </Group>
  );
}

/** Keeps the focus among the chips where what had it is gone: on the named filter, else at their end. */
function useRefocus() {
  const chips = useRef<HTMLDivElement>(null);
  const refocus = (name?: string) =>
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const buttons = [...(chips.current?.querySelectorAll<HTMLButtonElement>("button[data-filter]") ?? [])];
      (buttons.find((button) => button.dataset["filter"] === name) ?? buttons.at(-1))?.focus();
    });
  return { chips, refocus };
}

const membersOf = <Search,>({ name, members = [name as keyof Search & string] }: Filter<Search>) => members;

const isSet = <Search,>(filter: Filter<Search>, search: Search): boolean => membersOf(filter).some((name) => search[name] !== undefined);

/** The field that `/` leads to. */
function SearchField(props: Pick<TextFilterProps, "placeholder" | "value" | "onChange">) {
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
  return (
    <TextFilter
      ref={field}
      aria-label={t("Search")}
      leftSection={<IconSearch size={16} aria-hidden />}
      className={classes["search"] ?? ""}
      {...props}
    />
  );
}

interface ChipProps<Search> {
  filter: Filter<Search>;
  search: Search;
  change: Change<Search>;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onRemove: () => void;
}

/** The filter and its value: a click changes it, the button beside removes it. */
function Chip<Search>(props: ChipProps<Search>) {
  const { filter, search, isOpen, onOpen, onRemove } = props;
  const { name, label } = filter;
  const value = isSet(filter, search) ? toldValue(filter, search) : "";
  const Field = "options" in filter ? ChoiceField : TypedField;
  return (
    <Group display="inline-flex" gap={0} wrap="nowrap" maw="100%">
      <Field {...props}>
        <SmallButton
          fw={400}
          miw={0}
          h={28}
          style={filter.isKept === true ? {} : { borderStartEndRadius: 0, borderEndEndRadius: 0 }}
          data-filter={name}
          {...(Field === TypedField && { onClick: () => onOpen(!isOpen) })}
        >
          {formatParts([label, value], between(": "))}
        </SmallButton>
      </Field>
      {filter.isKept !== true && (
        <ActionIcon
          variant="default"
          size={28}
          style={{ flex: "none", borderInlineStart: 0, borderStartStartRadius: 0, borderEndStartRadius: 0 }}
          aria-label={t("Remove filter {name}: {value}", { name: label, value })}
          onClick={onRemove}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

/** The filters that have a value, each with it. */
export const toldFilters = <Search,>(filters: readonly Filter<Search>[], search: Search): string[] =>
  filters.filter((filter) => isSet(filter, search)).map((filter) => formatParts([filter.label, toldValue(filter, search)], between(": ")));

function toldValue<Search>(filter: Filter<Search>, search: Search): string {
  if (!("options" in filter)) return filter.tell(search);
  const value = valueOf(filter, search);
  return inCase(filter.options.find((option) => option.value === value)?.label ?? value);
}

/** Words in sentence case; addresses and names of the API stay as they are. */
const inCase = (label: string): string => (/^[a-z]+[.:]/u.test(label) ? label : sentenceCase(label));

/** A flag is a choice between `true` and `false`. */
const valueOf = <Search,>(filter: Filter<Search>, search: Search): string => {
  const [name] = membersOf(filter);
  return name === undefined ? "" : String(search[name] ?? "");
};

/** The field of a filter, below its button. */
type FieldProps<Search> = ChipProps<Search> & { children: ReactNode };

function ChoiceField<Search>({ filter, search, change, isOpen, onOpen, children }: FieldProps<Search>) {
  if (!("options" in filter)) return null;
  const choose = (value: string) => {
    const [name] = membersOf(filter);
    const flag = value === "true" ? true : value === "false" ? false : value;
    if (name !== undefined) change({ [name]: flag } as never);
  };
  return (
    <Menu opened={isOpen} onChange={onOpen} position="bottom-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown aria-label={filter.label} mah="20rem" style={{ overflowY: "auto" }}>
        <Menu.RadioGroup value={valueOf(filter, search)} onChange={choose}>
          {filter.options.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick>
              {inCase(label)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

function TypedField<Search>({ filter, search, change, isOpen, onOpen, children }: FieldProps<Search>) {
  if ("options" in filter) return null;
  // What is typed counts also where a click elsewhere ends it.
  const settle = (opens: boolean) => {
    if (!opens && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    onOpen(opens);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={settle}
      position="bottom-start"
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
      withinPortal={false}
    >
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown aria-label={filter.label} w="min(20rem, calc(100vw - 2rem))">
        <Awaiting fallback={<Skeleton height={58} />}>
          <FieldForm onSubmit={doing(() => onOpen(false))}>{filter.edit(search, change)}</FieldForm>
        </Awaiting>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Gives its field the focus once it is loaded. */
function FieldForm(props: ComponentProps<"form">) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus({ preventScroll: true }), []);
  return <form ref={form} {...props} />;
}

/** Offers the filters that have no value; the chosen one gets a chip, whose field is open. */
const AddFilter = <Search,>({ filters, onAdd }: { filters: readonly Filter<Search>[]; onAdd: (name: string) => void }) => (
  <Menu position="bottom-start" returnFocus={false} transitionProps={{ duration: 0 }}>
    <Menu.Target>
      <Button data-filter="" variant="subtle" size="compact-sm" leftSection={<IconPlus size={14} aria-hidden />}>
        {t("Filter")}
      </Button>
    </Menu.Target>
    <Menu.Dropdown aria-label={t("Filter")}>
      {filters.map(({ name, label }) => (
        <Menu.Item key={name} onClick={() => setTimeout(() => onAdd(name))}>
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);

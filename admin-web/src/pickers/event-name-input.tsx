import { Autocomplete, type AutocompleteProps } from "@mantine/core";
import { trpc } from "../trpc.ts";

interface EventNameInputProps extends Omit<AutocompleteProps, "data"> {
  /** Whose events' names are offered; empty for none. */
  siteId: string;
}

/** The name of an event: one that the site has sent, or any other. */
export function EventNameInput({ siteId, ...props }: EventNameInputProps) {
  const names = trpc.events.names.useQuery({ siteId, limit: 200 }, { enabled: siteId !== "" });
  return (
    <Autocomplete
      label="Event"
      placeholder="order.created"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxDropdownHeight={280}
      data={siteId === "" ? [] : (names.data?.items.map(({ name }) => name) ?? [])}
      {...props}
    />
  );
}

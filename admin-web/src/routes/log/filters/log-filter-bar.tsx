import { Button, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import IconAdjustmentsHorizontal from "@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { useRef } from "react";
import { notificationStatuses } from "shared/core/message";
import { SiteSelect } from "../../../pickers/site-select.tsx";
import { useMay } from "../../../session/me.ts";
import { useTypedFilter } from "../../../ui/filters/use-typed-filter.ts";
import type { LogFilters } from "../log-search.ts";
import { ActiveFilters } from "./active-filters.tsx";
import { MoreFilters } from "./more-filters.tsx";
import { useChangeFilters } from "./use-change-filters.ts";
import classes from "./log-filter-bar.module.css";

/** What is looked for often, the rest at hand, and chips of what is set. */
export function LogFilterBar({ filters }: { filters: LogFilters }) {
  const change = useChangeFilters();
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <Stack component="search" gap="sm" aria-label="Filters">
      <div className={classes["bar"]}>
        <SearchBox value={filters.search} onChange={(search) => change({ search })} />
        <NativeSelect
          aria-label="Status"
          data={[{ value: "", label: "Any status" }, ...notificationStatuses]}
          value={filters.status ?? ""}
          onChange={(event) => change({ status: event.currentTarget.value })}
        />
        <SiteSelect
          label={undefined}
          aria-label="Site"
          placeholder="Any site"
          value={filters.siteId ?? null}
          onChange={(siteId) => change({ siteId })}
          clearable
          clearButtonProps={{ "aria-label": "Any site" }}
        />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls="more-filters"
          onClick={toggle}
        >
          More filters
        </Button>
      </div>
      <div id="more-filters" hidden={!isOpen}>
        {isOpen && <MoreFilters filters={filters} />}
      </div>
      <ActiveFilters filters={filters} />
    </Stack>
  );
}

function SearchBox({ value, onChange }: { value: string | undefined; onChange: (value: string) => void }) {
  const [text, type] = useTypedFilter(value, onChange);
  const seesPhones = useMay("operator");
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label="Search"
      placeholder={seesPhones ? "Phone, message id, event id or order id" : "Message id, event id or order id"}
      leftSection={<IconSearch size={16} aria-hidden />}
      maxLength={500}
      className={classes["search"] ?? ""}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

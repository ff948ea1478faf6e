import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { SiteSelect } from "../../pickers/site-select.tsx";
import { TemplateSelect } from "../../pickers/template-select.tsx";
import { TextFilter } from "../../ui/filters/text-filter.tsx";
import { type BindingsSearch, readBindingsSearch } from "./bindings-search.ts";
import classes from "./bindings-filters.module.css";

/** They stand in the address, so that a view can be sent to somebody and comes back with a reload. */
export function BindingsFilters({ search }: { search: BindingsSearch }) {
  const navigate = useNavigate();
  const change = (changes: Record<string, unknown>) =>
    void navigate({ to: paths.bindings, search: (now) => readBindingsSearch({ ...now, ...changes }), replace: true });
  return (
    <search aria-label="Filters" className={classes["filters"]}>
      <SiteSelect placeholder="Any site" clearable value={search.siteId ?? null} onChange={(siteId) => change({ siteId })} />
      <TextFilter label="Event" placeholder="order.created" value={search.event} onChange={(event) => change({ event })} />
      <TemplateSelect
        placeholder="Any template"
        clearable
        value={search.templateId ?? null}
        onChange={(templateId) => change({ templateId })}
      />
      <Button
        variant="default"
        w="fit-content"
        disabled={Object.values(search).every((value) => value === undefined)}
        onClick={() => void navigate({ to: paths.bindings, search: {} })}
      >
        Clear
      </Button>
    </search>
  );
}

import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { actionWords } from "./action-words.ts";
import { ActorFilter } from "./actor-filter.tsx";
import { type AuditSearch, readAuditSearch } from "./audit-search.ts";
import classes from "./audit-filters.module.css";

/** They stand in the address, so that a view can be sent to somebody and comes back with a reload. */
export function AuditFilters({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const change = (changes: AuditSearch) =>
    void navigate({ to: paths.audit, search: (now) => readAuditSearch({ ...now, ...changes }), replace: true });
  return (
    <search aria-label="Filters" className={classes["filters"]}>
      <ActorFilter actor={search.actor} onChange={(actor) => change({ actor })} />
      <NativeSelect
        label="What"
        data={[{ value: "", label: "anything" }, ...choices(search.action)]}
        value={search.action ?? ""}
        onChange={(event) => change({ action: event.currentTarget.value })}
      />
      <TextInput type="date" label="From" value={search.from ?? ""} onChange={(event) => change({ from: event.currentTarget.value })} />
      <TextInput type="date" label="To" value={search.to ?? ""} onChange={(event) => change({ to: event.currentTarget.value })} />
      <Button
        variant="default"
        w="fit-content"
        disabled={Object.values(search).every((value) => value === undefined)}
        onClick={() => void navigate({ to: paths.audit, search: {} })}
      >
        Clear
      </Button>
    </search>
  );
}

/** The named actions, and the chosen one should it be another. */
function choices(chosen: string | undefined) {
  const named = Object.entries(actionWords).map(([value, label]) => ({ value, label }));
  return chosen === undefined || chosen in actionWords ? named : [...named, { value: chosen, label: chosen }];
}

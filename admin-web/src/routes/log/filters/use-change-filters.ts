import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { changeLogSearch, type LogFilters } from "../log-search.ts";

/** Changes some of the filters, in the address alone: so a view can be sent to somebody and comes back with a reload. */
export function useChangeFilters(): (changes: { [Name in keyof LogFilters]: string | null | undefined }) => void {
  const navigate = useNavigate();
  return (changes) => void navigate({ to: paths.log, search: changeLogSearch(changes), replace: true, resetScroll: false });
}

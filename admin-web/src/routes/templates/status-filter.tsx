import { Link } from "@tanstack/react-router";
import { templateStatuses, type TemplateStatus } from "shared/core/template/definition";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { reviewMs } from "../../ui/template/review-ms.ts";
import { readTemplatesSearch, type TemplatesSearch } from "./templates-search.ts";
import classes from "./status-filter.module.css";

/** Every status with how many templates are in it, and all of them. */
export function StatusFilter({ search }: { search: TemplatesSearch }) {
  const { data } = trpc.templates.counts.useQuery(undefined, {
    refetchInterval: ({ state }) => ((state.data?.counts.pending ?? 0) > 0 ? reviewMs : false),
  });
  const counts = data?.counts;
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  const choices: [TemplateStatus | undefined, number | undefined][] = [
    [undefined, all],
    ...templateStatuses.map((status): [TemplateStatus, number | undefined] => [status, counts?.[status]]),
  ];
  return (
    <nav aria-label="Status">
      <ul className={classes["list"]}>
        {choices.map(([status, count]) => (
          <li key={status ?? "all"}>
            <Link
              to={paths.templates}
              search={(now) => readTemplatesSearch({ ...now, status })}
              replace
              className={classes["link"]}
              aria-current={search.status === status ? "page" : undefined}
            >
              {status ?? "all"} <span className={classes["count"]}>{count ?? "–"}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

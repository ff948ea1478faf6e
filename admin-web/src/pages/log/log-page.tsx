import { Button, Group } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { Page } from "../../ui/page.tsx";
import { LogFilterBar } from "./filters.tsx";
import { ResendManyButton, ResendProgress } from "./resend-many.tsx";
import { csvAddress, filtersOf } from "./route.ts";
import { LogList } from "./table.tsx";

export function LogPage() {
  const search = useSearch({ from: `/signed-in${paths.log}` });
  const isOperator = useMay("operator");
  const filters = filtersOf(search);
  return (
    <Page
      title="Log"
      lead="Every message, its status, and why it failed."
      actions={
        <Group gap="sm">
          {isOperator && <ResendManyButton filters={filters} />}
          <Button component="a" variant="default" href={csvAddress(filters)} download>
            Download CSV
          </Button>
        </Group>
      }
    >
      <LogFilterBar filters={filters} />
      {isOperator && search.resends !== undefined && <ResendProgress key={search.resends} id={search.resends} />}
      <LogList search={search} />
    </Page>
  );
}

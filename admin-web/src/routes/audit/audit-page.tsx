import { Button } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { RoleOnly } from "../../session/role-only.tsx";
import { Page } from "../../ui/page/page.tsx";
import { csvAddress } from "./audit-filter.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditList } from "./audit-list.tsx";

export function AuditPage() {
  const search = useSearch({ from: `/signed-in${paths.audit}` });
  return (
    <RoleOnly needed="owner">
      <Page
        title="Audit"
        lead="Every change in the account: who made it, when, and from where."
        actions={
          <Button component="a" variant="default" href={csvAddress(search)} download>
            Download as CSV
          </Button>
        }
      >
        <AuditFilters search={search} />
        <AuditList search={search} />
      </Page>
    </RoleOnly>
  );
}

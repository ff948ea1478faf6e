import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { bundleFileName } from "shared/docs/topics";
import { paths } from "../../paths.ts";
import { DownloadButton } from "../../ui/download-button.tsx";
import { TextFilter } from "../../ui/filters/text-filter.tsx";
import { Page } from "../../ui/page/page.tsx";
import { readDevelopersSearch } from "./developers-search.ts";
import { documentationBundle } from "./docs/documentation.ts";
import { SearchHits } from "./search/search-hits.tsx";
import { TopicOverview } from "./topic-overview.tsx";

export function DevelopersPage() {
  const { q } = useSearch({ from: `/signed-in${paths.developers}` });
  const navigate = useNavigate();
  return (
    <Page
      title="Developers"
      lead="How your backend posts events, and all that becomes of them."
      actions={
        <DownloadButton fileName={bundleFileName} text={documentationBundle()}>
          Download all as Markdown
        </DownloadButton>
      }
    >
      <search aria-label="Documentation">
        <TextFilter
          aria-label="Search the documentation"
          placeholder="Search the documentation"
          leftSection={<IconSearch size={16} aria-hidden />}
          maw="32rem"
          value={q}
          onChange={(text) => void navigate({ to: paths.developers, search: readDevelopersSearch({ q: text }), replace: true })}
        />
      </search>
      {q === undefined ? <TopicOverview /> : <SearchHits query={q} />}
    </Page>
  );
}

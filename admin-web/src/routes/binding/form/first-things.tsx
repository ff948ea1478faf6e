import { Alert } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { useAllTemplates } from "../../../pickers/use-all-templates.ts";
import { trpc } from "../../../trpc.ts";
import { TextLink } from "../../../ui/text-link.tsx";

/** What has to be there before a binding can be made, where it is not. */
export function FirstThings() {
  const sites = trpc.sites.list.useQuery({ limit: 200 });
  const { templates, isLoading } = useAllTemplates();
  const lacksSite = sites.data?.items.length === 0;
  const lacksTemplate = !isLoading && templates.length === 0;
  if (!lacksSite && !lacksTemplate) return null;
  return (
    <Alert color="yellow" title="Something comes first">
      {lacksSite && (
        <>
          Events come from a site, and there is none yet. <TextLink to={paths.sites}>Make a site</TextLink>.{" "}
        </>
      )}
      {lacksTemplate && (
        <>
          What is sent is a template, and there is none yet. <TextLink to={paths.newTemplate}>Write a template</TextLink>.
        </>
      )}
    </Alert>
  );
}

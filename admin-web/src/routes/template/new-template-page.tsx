import { useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { RoleOnly } from "../../session/role-only.tsx";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { TemplateEditor } from "./editor/template-editor.tsx";
import { emptyValues, likelyLanguage } from "./editor/template-values.ts";
import { valuesOf } from "./editor/values-of.ts";

export function NewTemplatePage() {
  const { from } = useSearch({ from: `/signed-in${paths.newTemplate}` });
  return (
    <RoleOnly needed="operator">
      <Page
        title="New template"
        back={{ to: paths.templates, label: "Templates" }}
        lead="Write the message, see it beside as a phone shows it, and submit it: the platform reviews it, mostly within minutes."
      >
        {from === undefined ? <TemplateEditor initial={emptyValues(likelyLanguage(navigator.language))} /> : <Copy key={from} id={from} />}
      </Page>
    </RoleOnly>
  );
}

/** Begins with another template's text; its language is left to choose, since it is what usually differs. */
function Copy({ id }: { id: string }) {
  const original = trpc.templates.get.useQuery({ id }, { staleTime: Infinity });
  if (original.error !== null)
    return <FailureNotice title="Could not load the template to copy" error={original.error} onRetry={() => void original.refetch()} />;
  if (original.data === undefined) return <Loading what="the template" />;
  const values = valuesOf(original.data.template) ?? emptyValues("");
  return <TemplateEditor initial={{ ...values, language: "" }} />;
}

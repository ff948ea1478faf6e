import { useNavigate, useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { RoleOnly } from "../../session/role-only.tsx";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { BindingEditor } from "./binding-editor.tsx";
import { type BindingDraft, emptyDraft, toDraft } from "./draft/binding-draft.ts";
import { FirstThings } from "./form/first-things.tsx";
import type { NewBindingSearch } from "./new-binding-search.ts";
import { useBindingForm } from "./use-binding-form.ts";

export function NewBindingPage() {
  const search = useSearch({ from: `/signed-in${paths.newBinding}` });
  return (
    <RoleOnly needed="operator">
      <Page
        title="New binding"
        lead="When a site sends an event, which message goes to whom, and what its slots are filled with."
        back={{ to: paths.bindings, label: "Bindings" }}
      >
        {search.copyOf === undefined ? <NewBinding initial={beginWith(search, emptyDraft)} /> : <Copy {...search} copyOf={search.copyOf} />}
      </Page>
    </RoleOnly>
  );
}

/** All of another binding but its event. */
function Copy({ copyOf, ...search }: NewBindingSearch & { copyOf: string }) {
  const { data, error, refetch } = trpc.bindings.get.useQuery({ id: copyOf }, { staleTime: Infinity });
  if (data !== undefined) return <NewBinding initial={beginWith(search, { ...toDraft(data.binding), event: "" })} />;
  if (error === null) return <Loading what="the binding" />;
  return <FailureNotice title="Could not load the binding to copy" error={error} onRetry={() => void refetch()} />;
}

function NewBinding({ initial }: { initial: BindingDraft }) {
  const navigate = useNavigate();
  const cache = trpc.useUtils();
  const create = trpc.bindings.create.useMutation();
  const form = useBindingForm({
    initial,
    save: async (input) => (await create.mutateAsync(input)).binding,
    onSaved: (binding) => {
      cache.bindings.get.setData({ id: binding.id }, { binding });
      void cache.bindings.list.invalidate();
      void navigate({ to: paths.binding, params: { bindingId: binding.id }, ignoreBlocker: true });
    },
  });
  return (
    <>
      <FirstThings />
      <BindingEditor form={form} action="Save the binding" />
    </>
  );
}

const beginWith = ({ siteId, event, templateId }: NewBindingSearch, draft: BindingDraft): BindingDraft => ({
  ...draft,
  siteId: siteId ?? draft.siteId,
  event: event ?? draft.event,
  templateId: templateId ?? draft.templateId,
});

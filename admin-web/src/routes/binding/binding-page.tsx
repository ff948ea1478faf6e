import { useParams } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMay } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { BindingActions } from "./binding-actions.tsx";
import { BindingSummary } from "./binding-summary.tsx";
import { ChangeBinding } from "./change-binding.tsx";

export function BindingPage() {
  const { bindingId } = useParams({ from: `/signed-in${paths.binding}` });
  const { data, error, refetch } = trpc.bindings.get.useQuery({ id: bindingId });
  const mayWrite = useMay("operator");
  const binding = data?.binding;
  return (
    <Page
      title={binding?.event ?? "Binding"}
      {...(binding !== undefined && { lead: `Sends ${binding.template} (${binding.language}).` })}
      back={{ to: paths.bindings, label: "Bindings" }}
      actions={mayWrite && binding !== undefined && <BindingActions binding={binding} />}
    >
      {error !== null && <FailureNotice title="Could not load the binding" error={error} onRetry={() => void refetch()} />}
      {binding === undefined && error === null && <Loading what="the binding" />}
      {binding !== undefined && (mayWrite ? <ChangeBinding key={binding.id} binding={binding} /> : <BindingSummary binding={binding} />)}
    </Page>
  );
}

import { Alert, Stack } from "@mantine/core";
import { trpc } from "../../trpc.ts";
import { reasonWords } from "../../ui/reason-words.ts";
import { BindingEditor } from "./binding-editor.tsx";
import { toDraft } from "./draft/binding-draft.ts";
import { type Binding, useBindingForm } from "./use-binding-form.ts";

/** A binding that there is, to be changed. */
export function ChangeBinding({ binding }: { binding: Binding }) {
  const cache = trpc.useUtils();
  const update = trpc.bindings.update.useMutation();
  const form = useBindingForm({
    initial: toDraft(binding),
    save: async (input) => (await update.mutateAsync({ id: binding.id, ...input })).binding,
    onSaved: (changed) => {
      cache.bindings.get.setData({ id: binding.id }, { binding: changed });
      void cache.bindings.list.invalidate();
      void cache.bindings.preview.invalidate();
    },
  });
  return (
    <Stack gap="md">
      {/* The other problems show in the preview, by what stands in the form; this one is of what was saved. */}
      {binding.problems.filter(isMismatch).map((problem) => (
        <Alert key={problem} color="yellow" title="The template has changed under this binding">
          {reasonWords(problem)}
        </Alert>
      ))}
      <BindingEditor form={form} action="Save" />
    </Stack>
  );
}

const isMismatch = (problem: string): boolean => problem.startsWith("The template has changed");

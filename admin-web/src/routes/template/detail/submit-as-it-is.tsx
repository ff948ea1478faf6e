import { Button } from "@mantine/core";
import { trpc } from "../../../trpc.ts";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";

/** For a draft or a rejected template that the editor cannot hold. */
export function SubmitAsItIs({ id }: { id: string }) {
  const cache = trpc.useUtils();
  const submit = trpc.templates.submit.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <Section title="Submit it" lead="It was made elsewhere and has parts that cannot be changed here. It can be submitted as it stands.">
      {submit.error !== null && <FailureNotice title="It was not submitted" error={submit.error} />}
      <Button w="fit-content" loading={submit.isPending} onClick={() => submit.mutate({ id })}>
        Submit
      </Button>
    </Section>
  );
}

import { Button } from "@mantine/core";
import { exampleTemplate } from "shared/core/example";
import { trpc } from "../../../trpc.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import type { Facts } from "../progress.ts";

/** Makes the example and submits it at one click; what an earlier click left half done is gone on with. */
export function SubmitExample({ example }: Pick<Facts, "example">) {
  const cache = trpc.useUtils();
  const create = trpc.templates.create.useMutation();
  const submit = trpc.templates.submit.useMutation();
  const run = async () => {
    try {
      const { id } = example ?? (await create.mutateAsync(exampleTemplate)).template;
      await submit.mutateAsync({ id });
    } catch {
      // Each says itself what went wrong.
    } finally {
      await cache.templates.invalidate();
    }
  };
  const error = create.error ?? submit.error;
  return (
    <>
      {error !== null && <FailureNotice title="The template was not submitted" error={error} />}
      <Button loading={create.isPending || submit.isPending} onClick={() => void run()}>
        {example === undefined ? "Make the example and submit it" : "Submit the example"}
      </Button>
    </>
  );
}

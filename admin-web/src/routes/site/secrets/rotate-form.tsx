import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { trpc } from "../../../trpc.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import type { SiteSecret } from "../site.ts";
import { overlaps, secretNames } from "./secret-words.ts";

interface RotateFormProps {
  siteId: string;
  kind: SiteSecret["kind"];
  onRotated: (secret: string) => void;
  onCancel: () => void;
}

/** Says what comes of it before it is done, by how long the old one still counts. */
export function RotateForm({ siteId, kind, onRotated, onCancel }: RotateFormProps) {
  const [overlap, setOverlap] = useState("0");
  const cache = trpc.useUtils();
  const onSettled = () => cache.sites.get.invalidate({ id: siteId });
  const rotateKey = trpc.sites.rotateApiKey.useMutation({ onSuccess: ({ apiKey }) => onRotated(apiKey), onSettled });
  const rotateSecret = trpc.sites.rotateWebhookSecret.useMutation({
    onSuccess: ({ webhookSecret }) => onRotated(webhookSecret),
    onSettled,
  });
  const rotate = kind === "api_key" ? rotateKey : rotateSecret;
  const isAtOnce = overlap === "0";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rotate.mutate({ id: siteId, overlapSeconds: Number(overlap) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NativeSelect
          label="The old one"
          data={overlaps}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data-autofocus
        />
        <Text size="sm" aria-live="polite">
          {isAtOnce
            ? `From now on every event with the old ${secretNames[kind]} is refused with 401, until the backend has the new one. That holds for older ones that still count, too. Choose this when somebody may have seen it.`
            : "Until then both count, so that no event is lost while the backend gets the new one. Choose this when nobody has seen the old one."}
        </Text>
        {rotate.error !== null && <FailureNotice title="Nothing was rotated" error={rotate.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={rotate.isPending} {...(isAtOnce && { color: "red.9" })}>
            {isAtOnce ? "Rotate at once" : "Rotate"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

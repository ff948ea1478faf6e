import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { MediaFormat } from "shared/core/template/definition";
import { useMay } from "../../../session/me.ts";
import { trpc } from "../../../trpc.ts";
import { issuesOf } from "../../../ui/form/field-errors.ts";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { asSentence } from "../editor/faults.ts";
import type { MediaValues } from "../editor/template-values.ts";
import { MediaField } from "../media/media-field.tsx";
import type { Template } from "../template.ts";

type MediaHeader = Extract<Template["header"], { format: MediaFormat }>;

/** Which file its messages carry: that is no part of what was approved, and may change at any time. */
export function HeaderMedia({ template: { id, header } }: { template: Template }) {
  const mayWrite = useMay("operator");
  if (header === null || header.format === "TEXT" || header.format === "OTHER") return null;
  const lacksFile = header.url === null && header.file === undefined;
  return (
    <Section title="Header file" lead="Which file the messages carry. Changing it takes no new review.">
      {lacksFile && (
        <Alert color="yellow" title="It has no file">
          Messages of it fail until it gets one.
        </Alert>
      )}
      {mayWrite ? <MediaForm id={id} header={header} /> : <Text size="sm">{header.url ?? header.file?.name}</Text>}
    </Section>
  );
}

function MediaForm({ id, header }: { id: string; header: MediaHeader }) {
  const { format, url, file } = header;
  const stored: MediaValues = { by: url === null ? "file" : "url", url: url ?? "", file: file ?? null };
  const [media, setMedia] = useState(stored);
  const cache = trpc.useUtils();
  const set = trpc.templates.setHeaderMedia.useMutation({ onSuccess: () => cache.templates.get.invalidate({ id }) });
  const isChanged = media.by === "url" ? media.url.trim() !== stored.url : (media.file?.id ?? "") !== (stored.file?.id ?? "");
  const [issue] = set.error === null ? [] : issuesOf(set.error);
  return (
    <Stack gap="sm">
      <UnsavedGuard isUnsaved={() => isChanged} />
      <MediaField
        format={format}
        media={media}
        error={issue && asSentence(issue.message)}
        onChange={(changes) => setMedia((before) => ({ ...before, ...changes }))}
      />
      {set.error !== null && issue === undefined && <FailureNotice title="The file was not changed" error={set.error} />}
      <Group gap="sm">
        <Button
          variant="default"
          disabled={!isChanged}
          loading={set.isPending}
          onClick={() => set.mutate({ id, ...(media.by === "url" ? { url: media.url.trim() } : { fileId: media.file?.id }) })}
        >
          Use this file
        </Button>
        {set.isSuccess && !isChanged && (
          <Text size="sm" role="status">
            Messages carry it from now on.
          </Text>
        )}
      </Group>
    </Stack>
  );
}

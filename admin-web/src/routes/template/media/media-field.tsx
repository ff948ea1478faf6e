import { Group, Radio, Stack, TextInput } from "@mantine/core";
import type { MediaFormat } from "shared/core/template/definition";
import type { MediaValues } from "../editor/template-values.ts";
import { FileField } from "./file-field.tsx";

interface MediaFieldProps {
  format: MediaFormat;
  media: MediaValues;
  error: string | undefined;
  onChange: (media: Partial<MediaValues>) => void;
}

/** The file of a header: uploaded, or by its address. */
export function MediaField({ format, media, error, onChange }: MediaFieldProps) {
  return (
    <Stack gap="sm">
      <Radio.Group label="Where the file is" value={media.by} onChange={(by) => onChange({ by: by as MediaValues["by"] })}>
        <Group gap="md" mt={6}>
          <Radio value="file" label="Upload it" />
          <Radio value="url" label="At an address" />
        </Group>
      </Radio.Group>
      {media.by === "file" ? (
        <FileField format={format} file={media.file} error={error} onChange={(file) => onChange({ file })} />
      ) : (
        <TextInput
          type="url"
          label="Address of the file"
          data-field="header.url"
          required
          autoComplete="off"
          placeholder="https://"
          description="Public, and answering with the file itself and its type. The platform fetches it for every message: if it is gone, the message fails."
          value={media.url}
          error={error}
          onChange={(event) => onChange({ url: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

import { Group, Radio, Stack, Anchor, FileInput, Image, Progress } from "@mantine/core";
import IconUpload from "@tabler/icons-react/dist/esm/icons/IconUpload.mjs";
import { useMutation } from "@tanstack/react-query";
import { useState, type ChangeEvent } from "react";
import type { HeaderFile } from "shared/core/template/definition";
import { type MediaFormat, mediaTypes, typeNames, formatOfType, signatureBytes, typeOfBytes } from "shared/core/template/platform-limits";
import type { Said } from "shared/core/wording";
import { t } from "../../language.ts";
import { mediaFile, mediaFiles } from "../../paths.ts";
import { cache, inReadersLanguage, speaker } from "../../trpc.ts";
import { News, rich } from "../../ui/base/page.tsx";
import { UrlInput } from "../../ui/form/inputs.tsx";
import type { MediaValues } from "./draft.ts";

export interface MediaFieldProps {
  format: MediaFormat;
  media: MediaValues;
  error: string | undefined;
  onChange: (media: Partial<MediaValues>) => void;
}

/** The file of a header: uploaded, or by URL. */
export const MediaField = ({ format, media, error, onChange }: MediaFieldProps) => (
  <Stack gap="sm">
    <Radio.Group label={t("File source")} value={media.by} onChange={(by) => onChange({ by: by as MediaValues["by"] })}>
      <Group mt={6}>
        <Radio value="file" label={t("Upload")} />
        <Radio value="url" label={t("URL")} />
      </Group>
    </Radio.Group>
    {media.by === "file" ? (
      <FileField format={format} file={media.file} error={error} onChange={(file) => onChange({ file })} />
    ) : (
      <UrlInput
        label={t("File URL")}
        data-path="header.url"
        placeholder="https://"
        description={t(
          "A public URL that returns the file with its type. WhatsApp fetches it for every message; if it is gone, the message fails.",
        )}
        value={media.url}
        error={error}
        onChange={(url: string | ChangeEvent<HTMLInputElement>) =>
          onChange({ url: typeof url === "string" ? url : url.currentTarget.value })
        }
      />
    )}
  </Stack>
);

type Uploaded = Pick<HeaderFile, "id" | "name">;

interface FileFieldProps extends Pick<MediaFieldProps, "format" | "error"> {
  file: Uploaded | null;
  onChange: (file: Uploaded) => void;
}

/** Uploads a file as soon as it is chosen. */
function FileField({ format, file, error, onChange }: FileFieldProps) {
  const [percent, setPercent] = useState(0);
  const upload = useMutation({
    mutationKey: ["upload"],
    mutationFn: (chosen: File) => uploadFile(chosen, format, setPercent),
    onMutate: () => setPercent(0),
    onSuccess: onChange,
  });
  const { types, maxBytes } = mediaTypes[format];
  return (
    <>
      <FileInput
        label={t("File")}
        data-path="header.url"
        required
        description={t("{format}, up to {maxBytes} MB. WhatsApp reviews it as the sample, and every message contains it.", {
          format: typeNames(format),
          maxBytes: megabytes(maxBytes),
        })}
        placeholder={file === null ? t("Choose a file") : t("Choose another file")}
        leftSection={<IconUpload size={16} aria-hidden />}
        accept={types.join(",")}
        value={null}
        disabled={upload.isPending}
        error={upload.error?.message ?? error}
        onChange={(chosen) => chosen !== null && upload.mutate(chosen)}
      />
      {upload.isPending && <Progress value={percent} aria-label={t("Uploading the file")} />}
      {file !== null && (
        <Group gap="sm">
          {format === "IMAGE" && (
            <Image
              maw="6rem"
              mah="4rem"
              w="auto"
              radius="sm"
              bd="1px solid var(--mantine-color-default-border)"
              src={mediaFile(file.id)}
              alt=""
            />
          )}
          <News>{rich(t("Uploaded: <0>{name}</0>", { name: file.name }), <Anchor href={mediaFile(file.id)} target="_blank" />)}</News>
        </Group>
      )}
    </>
  );
}

/** Checks a file and uploads it. @throws Error with a message for the user */
async function uploadFile(file: File, format: MediaFormat, onProgress: (percent: number) => void): Promise<Uploaded> {
  const type = typeOfBytes(new Uint8Array(await file.slice(0, signatureBytes).arrayBuffer()));
  if (type === null || formatOfType(type) !== format)
    throw new Error(t("{name} has another type: choose a {types} file.", { name: file.name, types: typeNames(format) }));
  const { maxBytes } = mediaTypes[format];
  if (file.size > maxBytes)
    throw new Error(t("{name} is too large: at most {megabytes} MB.", { name: file.name, megabytes: megabytes(maxBytes) }));
  const { status, response } = await post(`${mediaFiles}?${new URLSearchParams({ name: file.name }).toString()}`, file, type, onProgress);
  const { file: made, error, said = null } = (response ?? {}) as { file?: Uploaded; error?: string; said?: Said | null };
  if (made === undefined) {
    // Somebody else may have signed in beside the page.
    if (status === 403) void cache.auth.me.invalidate();
    const refusal = new Error(error ?? t("The server answered {status}. Try again.", { status }));
    throw await inReadersLanguage(Object.assign(refusal, { data: { said, issues: null } }));
  }
  return { id: made.id, name: made.name };
}

const megabytes = (bytes: number): number => bytes / 1_048_576;

/** Uses XMLHttpRequest, since fetch reports no upload progress. */
const post = (address: string, body: File, type: string, onProgress: (percent: number) => void): Promise<XMLHttpRequest> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "json";
    for (const [name, value] of Object.entries({ "content-type": type, ...speaker.headers() })) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : Math.round((loaded / total) * 100)));
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () => reject(new Error(t("The upload failed. Check that you are online, and try again."))));
    request.send(body);
  });

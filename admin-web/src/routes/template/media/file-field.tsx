import { Anchor, FileInput, Group, Progress, Text } from "@mantine/core";
import IconUpload from "@tabler/icons-react/dist/esm/icons/IconUpload.mjs";
import { useState } from "react";
import type { HeaderFile } from "shared/core/template/definition";
import { mediaTypes, typeNames, type MediaFormat } from "shared/core/template/definition";
import { mediaFile } from "../../../paths.ts";
import { megabytes, uploadFile } from "./upload-file.ts";
import classes from "./file-field.module.css";

type Uploaded = Pick<HeaderFile, "id" | "name">;

interface FileFieldProps {
  format: MediaFormat;
  file: Uploaded | null;
  error: string | undefined;
  onChange: (file: Uploaded) => void;
}

/** A file that is uploaded as soon as it is chosen. */
export function FileField({ format, file, error, onChange }: FileFieldProps) {
  const [percent, setPercent] = useState<number | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const upload = async (chosen: File) => {
    setRefusal(null);
    setPercent(0);
    try {
      onChange(await uploadFile(chosen, format, setPercent));
    } catch (failure) {
      setRefusal(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setPercent(null);
    }
  };
  const { types, maxBytes } = mediaTypes[format];
  return (
    <>
      <FileInput
        label="File"
        data-field="header.url"
        required
        description={`${typeNames(format)}, up to ${megabytes(maxBytes)} MB. Reviewers see it as the sample, and every message carries it.`}
        placeholder={file === null ? "Choose a file" : "Choose another file"}
        leftSection={<IconUpload size={16} aria-hidden />}
        accept={types.join(",")}
        value={null}
        disabled={percent !== null}
        error={refusal ?? error}
        onChange={(chosen) => chosen !== null && void upload(chosen)}
      />
      {percent !== null && <Progress value={percent} aria-label="Uploading the file" />}
      {file !== null && (
        <Group gap="sm">
          {format === "IMAGE" && <img className={classes["thumbnail"]} src={mediaFile(file.id)} alt="" />}
          <Text size="sm" role="status">
            Uploaded:{" "}
            <Anchor href={mediaFile(file.id)} target="_blank" underline="always">
              {file.name}
            </Anchor>
          </Text>
        </Group>
      )}
    </>
  );
}

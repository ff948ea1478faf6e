import { List, Stack, Text } from "@mantine/core";
import { templateWarnings } from "shared/core/template/check";
import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import { mediaFile } from "../../../paths.ts";
import { fillMessage } from "../../../ui/message/fill-message.ts";
import { MessageBubble } from "../../../ui/message/message-bubble.tsx";
import { PhonePreview } from "../../../ui/message/phone-preview.tsx";
import { reasonWords } from "../../../ui/reason-words.ts";

/** The message as a phone shows it, with the examples in its slots; and what may look otherwise there. */
export function TemplatePreview({ definition }: { definition: TemplateDefinition }) {
  const { header, examples } = definition;
  const message = fillMessage(definition, cleanSlots(definition, examples), () => "it has no example yet");
  const file = header !== null && "file" in header ? header.file : undefined;
  const shown =
    file === undefined || message.header === null ? message : { ...message, header: { ...message.header, link: mediaFile(file.id) } };
  const isEmpty = header === null && definition.body.trim() === "" && definition.footer === null && definition.buttons.length === 0;
  const warnings = templateWarnings(definition);
  return (
    <Stack gap="sm" component="section" aria-label="Preview">
      <PhonePreview title="Preview">
        {isEmpty ? <Text size="sm">Your message shows here as you write it.</Text> : <MessageBubble {...shown} />}
      </PhonePreview>
      <Text size="xs" c="dimmed" ta="center">
        With the examples in place of the variables.
      </Text>
      {warnings.length > 0 && (
        <List size="xs" c="dimmed">
          {warnings.map((warning) => (
            <List.Item key={warning}>{reasonWords(warning)}</List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}

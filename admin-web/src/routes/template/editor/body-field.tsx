import { ActionIcon, Button, Code, Group, Text, Textarea } from "@mantine/core";
import IconBold from "@tabler/icons-react/dist/esm/icons/IconBold.mjs";
import IconBraces from "@tabler/icons-react/dist/esm/icons/IconBraces.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconItalic from "@tabler/icons-react/dist/esm/icons/IconItalic.mjs";
import IconStrikethrough from "@tabler/icons-react/dist/esm/icons/IconStrikethrough.mjs";
import { useRef } from "react";
import { limits } from "shared/core/template/definition";
import { FieldNote } from "./field-note.tsx";
import { encloseSelection, insertText, nextVariable } from "./text-tools.ts";
import type { Draft } from "./use-draft.ts";

const marks = [
  { mark: "*", name: "Bold", Icon: IconBold },
  { mark: "_", name: "Italic", Icon: IconItalic },
  { mark: "~", name: "Struck through", Icon: IconStrikethrough },
  { mark: "```", name: "Fixed width", Icon: IconCode },
];

export function BodyField({ draft }: { draft: Draft }) {
  const { values, change } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const atCursor = (write: (textarea: HTMLTextAreaElement) => void) => () => field.current !== null && write(field.current);
  return (
    <div>
      <Textarea
        ref={field}
        label="Body"
        {...draft.at("body")}
        required
        dir="auto"
        autosize
        minRows={5}
        maxRows={18}
        description={
          <FieldNote text={values.body} limit={limits.body}>
            Variables are {"{{1}}"}, {"{{2}}"} and so on, with words before, between and after them. At most {limits.bodyEmoji} emoji.
          </FieldNote>
        }
        value={values.body}
        onChange={(event) => change({ body: event.currentTarget.value })}
      />
      <Group gap={6} mt={6} role="toolbar" aria-label="Body">
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconBraces size={16} aria-hidden />}
          onClick={atCursor((textarea) => insertText(textarea, nextVariable(textarea.value)))}
        >
          Insert variable
        </Button>
        {marks.map(({ mark, name, Icon }) => (
          <ActionIcon
            key={mark}
            variant="default"
            size={26}
            aria-label={name}
            title={`${name}: ${mark}text${mark}`}
            onClick={atCursor((textarea) => encloseSelection(textarea, mark))}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ))}
        <Text size="xs" c="dimmed">
          <Code>*bold*</Code> <Code>_italic_</Code> <Code>~struck~</Code> <Code>```fixed```</Code>
        </Text>
      </Group>
    </div>
  );
}

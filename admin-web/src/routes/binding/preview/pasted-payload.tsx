import { Button, Textarea } from "@mantine/core";
import { examplePayload } from "shared/core/example";
import { payloadFault } from "./payload-fault.ts";
import classes from "./pasted-payload.module.css";

/** Where an event's JSON is pasted. What is no JSON is said with its place. */
export function PastedPayload({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <div>
      <Textarea
        label="The event's JSON"
        autosize
        minRows={6}
        maxRows={16}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes["input"] ?? "" }}
        value={text}
        error={text.trim() === "" ? undefined : payloadFault(text)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {text.trim() === "" && (
        <Button mt="xs" size="compact-sm" variant="default" onClick={() => onChange(JSON.stringify(examplePayload, null, 2))}>
          Begin with an example
        </Button>
      )}
    </div>
  );
}

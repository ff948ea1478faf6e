import { SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import { CodeBlock } from "../../../ui/code-sample/code-block.tsx";
import { prettyJson } from "../../../ui/json/pretty-json.ts";
import { Section } from "../../../ui/page/section.tsx";

const forms = [
  { value: "pretty", label: "Set out" },
  { value: "raw", label: "As received" },
];
/** Beyond that colours would only slow the page. */
const longestColoured = 20_000;

/** `payload`: null when it was forgotten before its event. */
export function Payload({ payload }: { payload: string | null }) {
  const [form, setForm] = useState("pretty");
  if (payload === null) {
    return (
      <Section title="Payload">
        <Text size="sm">It is no longer kept: the retention deletes payloads before the rest of their events.</Text>
      </Section>
    );
  }
  const code = form === "raw" ? payload : prettyJson(payload);
  return (
    <Section title="Payload" actions={<SegmentedControl size="xs" aria-label="Shown as" data={forms} value={form} onChange={setForm} />}>
      <CodeBlock code={code} language={code.length > longestColoured ? "text" : "json"} label="the payload" />
    </Section>
  );
}

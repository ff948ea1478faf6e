import { Tabs } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { CodeBlock } from "./code-block.tsx";
import type { Language } from "./language.ts";

export interface Sample {
  /** Of the tab. */
  name: string;
  language: Language;
  code: string;
}

interface CodeSampleProps {
  /** What all of them do, for screen readers. */
  label: string;
  samples: readonly Sample[];
}

/** The same in several languages. The one that was chosen last is chosen everywhere, and after a reload too. */
export function CodeSample({ label, samples }: CodeSampleProps) {
  const [chosen, choose] = useLocalStorage({ key: "tidings-code-sample", getInitialValueInEffect: false });
  const shown = samples.find(({ name }) => name === chosen) ?? samples[0];
  if (shown === undefined) return null;
  return (
    <Tabs value={shown.name} onChange={(name) => name !== null && choose(name)} keepMounted={false} miw={0}>
      <Tabs.List aria-label={label} mb="xs">
        {samples.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ name, language, code }) => (
        <Tabs.Panel key={name} value={name} tabIndex={-1}>
          <CodeBlock code={code} language={language} label={`${label}: ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

import { Stack, Text } from "@mantine/core";
import { demoEmail } from "shared/core/example";
import { t } from "../../language.ts";
import { CodeBlock } from "../../ui/code-sample.tsx";
import { Rich } from "../../ui/rich.tsx";

/** Shown while the demo's owner is the only user. */
export function DemoHint() {
  return (
    <Stack gap="xs">
      <Text size="sm">
        <Rich
          text={t(
            "This is the demo: the e-mail is <0>{demoEmail}</0>, and the terminal of <1>npm start</1> showed the password once. To set a new one, run this in the folder of Tidings:",
            { demoEmail },
          )}
        >
          <strong />
          <code />
        </Rich>
      </Text>
      <CodeBlock
        code={t("npm run reset-password -- {demoEmail}", { demoEmail })}
        language="sh"
        label={t("Command that sets a new password")}
      />
    </Stack>
  );
}

import { Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import type { Step } from "./event-steps.ts";
import classes from "./trace-steps.module.css";

const marks = {
  good: { color: "teal.9", Icon: IconCheck, word: "Done" },
  bad: { color: "red.9", Icon: IconX, word: "Stopped here" },
  open: { color: "gray.7", Icon: IconClock, word: "Under way" },
} as const;

/** Each step of a way with how it ended. */
export function TraceSteps({ steps, label }: { steps: readonly Step[]; label: string }) {
  return (
    <ol className={classes["steps"]} aria-label={label}>
      {steps.map(({ state, title, details }, index) => {
        const { color, Icon, word } = marks[state];
        return (
          <li key={index} className={classes["step"]}>
            <ThemeIcon size={18} radius="xl" color={color}>
              <Icon size={12} stroke={3} aria-hidden />
            </ThemeIcon>
            <div>
              <Text size="sm" fw={state === "bad" ? 600 : 400}>
                <VisuallyHidden>{word}: </VisuallyHidden>
                {title}
              </Text>
              {details.map((detail) => (
                <Text key={detail} size="sm" c="dimmed" className={classes["detail"] ?? ""}>
                  {detail}
                </Text>
              ))}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

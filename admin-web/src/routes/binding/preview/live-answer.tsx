import { Code, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { Outputs } from "../../../trpc.ts";
import { LabelBadge } from "../../../ui/label-badge.tsx";
import { reasonWords } from "../../../ui/reason-words.ts";
import { answerMeanings } from "./answer-meanings.ts";
import { obstacles } from "./obstacles.ts";
import classes from "./live-answer.module.css";

type Preview = Outputs["bindings"]["preview"];

/** What a live event would come to now: the answer, who gets the message, and what stands in the way. */
export function LiveAnswer({ preview }: { preview: Preview }) {
  const { chat } = preview;
  const { color, meaning } = answerMeanings[chat] ?? { color: "gray", meaning: "see the log for it." };
  const faults = obstacles(preview);
  return (
    <>
      <Text size="sm" component="p" m={0} className={classes["answer"] ?? ""} data-color={color}>
        Live would answer <Code>{chat}</Code>: {meaning}
      </Text>
      <Recipients {...preview} />
      {faults.length > 0 && (
        <ul className={classes["faults"]} aria-label="What stands in the way">
          {faults.map((fault) => (
            <li key={fault}>
              <IconAlertTriangle size={16} aria-hidden />
              <span>{reasonWords(fault)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const shownPhones = 5;

function Recipients({ recipients, dropped, optedOut }: Preview) {
  const more = recipients.length - shownPhones;
  return (
    <>
      {recipients.length > 0 && (
        <Group gap={6} role="group" aria-label="Recipients">
          <Text size="sm" c="dimmed" span>
            Goes to
          </Text>
          {recipients.slice(0, shownPhones).map((phone) => (
            <LabelBadge key={phone}>{phone}</LabelBadge>
          ))}
          {more > 0 && (
            <Text size="sm" span>
              and {more} more
            </Text>
          )}
        </Group>
      )}
      {optedOut !== null && optedOut.length > 0 && (
        <Text size="sm">Opted out, so their message fails: {optedOut.slice(0, shownPhones).join(", ")}</Text>
      )}
      {dropped.length > 0 && <Text size="sm">Dropped, since it is no phone in E.164 form: {dropped.slice(0, shownPhones).join(", ")}</Text>}
    </>
  );
}

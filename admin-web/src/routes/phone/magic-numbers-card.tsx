import { Card, Code, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { Section } from "../../ui/page/section.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { magicNumbers } from "./magic-numbers.ts";
import classes from "./phone-page.module.css";

/** How to try out what goes wrong. */
export function MagicNumbersCard() {
  return (
    <Section
      title="Numbers that misbehave"
      lead="Any number is a phone here, and reads each message after three seconds. A message to one of these meets what its number stands for."
    >
      <Card withBorder>
        <dl className={classes["numbers"]}>
          {magicNumbers.map(({ phone, meaning }) => (
            <div key={phone}>
              <dt>
                <Code>{phone}</Code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <Text size="sm" mt="md">
          <TextLink to={paths.topic} params={{ topic: "sandbox" }}>
            All numbers, one for every error of the platform
          </TextLink>
        </Text>
      </Card>
    </Section>
  );
}

import { Card, Code, Stack, Text } from "@mantine/core";
import { CopyField } from "../../ui/copy-field.tsx";
import classes from "./platform.module.css";

interface CallbackProps {
  webhookUrl: string;
  /** Null for whoever may not see it. */
  verifyToken: string | null;
}

const subscribed = [
  "messages",
  "message_template_status_update",
  "message_template_quality_update",
  "message_template_components_update",
  "template_category_update",
  "user_preferences",
];

/** What to enter at the platform, and where. */
export function Callback({ webhookUrl, verifyToken }: CallbackProps) {
  const isReachable = webhookUrl.startsWith("https://");
  return (
    <Card withBorder>
      <Stack gap="md">
        <CopyField label="Callback URL" value={webhookUrl} />
        {!isReachable && (
          <Text size="sm" c="dimmed">
            The real platform calls https addresses that the internet reaches; this one serves the sandbox alone.{" "}
            <Code>PUBLIC_GATEWAY_URL</Code> sets it.
          </Text>
        )}
        {verifyToken === null ? (
          <Text size="sm" c="dimmed">
            The verify token is shown to operators and owners.
          </Text>
        ) : (
          <CopyField label="Verify token" value={verifyToken} />
        )}
        <div>
          <Text size="sm" fw={600} mb={4}>
            How to set it at the platform
          </Text>
          <ol className={classes["steps"]}>
            <li>In the platform&apos;s developer console open your app, then WhatsApp, then Configuration.</li>
            <li>Under Webhook choose Edit; enter the callback URL and the verify token from above.</li>
            <li>Choose Verify and save: the platform asks this server at once, and says so if it gets no answer.</li>
            <li>
              Under Webhook fields subscribe to{" "}
              {subscribed.map((field, index) => (
                <span key={field}>
                  {index > 0 && ", "}
                  <Code>{field}</Code>
                </span>
              ))}
              .
            </li>
            <li>Test the connection here: its last check is whether the app is subscribed.</li>
          </ol>
        </div>
      </Stack>
    </Card>
  );
}

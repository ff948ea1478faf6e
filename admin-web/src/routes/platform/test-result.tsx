import { Alert, Text } from "@mantine/core";
import { connectionChecks, readFailedCheck } from "shared/platform/connection-check";
import type { Outputs } from "../../trpc.ts";
import { CheckLine } from "./check-line.tsx";
import classes from "./platform.module.css";

/** Each check in its order: those that passed, the one that failed with what to do, and those that it kept from being made. */
export function TestResult({ ok, phoneNumber, verifiedName, error = "" }: Outputs["settings"]["testConnection"]) {
  const failed = readFailedCheck(error);
  const failedAt = failed === null ? -1 : connectionChecks.indexOf(failed.check);
  if (!ok && failed === null)
    return (
      <Alert color="red" title="The connection does not work">
        {error}
      </Alert>
    );
  return (
    <Alert color={ok ? "teal" : "red"} title={ok ? "The connection works" : `Failed at the ${failed?.check}`}>
      {phoneNumber !== undefined && (
        <Text size="sm" mb="xs">
          Messages come from {phoneNumber}
          {verifiedName !== undefined && `, ${verifiedName}`}.
        </Text>
      )}
      <ol className={classes["checks"]}>
        {connectionChecks.map((check, index) => (
          <CheckLine key={check} check={check} state={ok || index < failedAt ? "passed" : index === failedAt ? "failed" : "skipped"}>
            {index === failedAt && failed?.reason}
          </CheckLine>
        ))}
      </ol>
    </Alert>
  );
}

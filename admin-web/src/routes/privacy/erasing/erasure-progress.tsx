import { Progress, Text } from "@mantine/core";
import { formatPercent } from "../../../format.ts";
import { Moment } from "../../../ui/moment.tsx";
import type { Erasure } from "./erasure.ts";

export function ErasureProgress({ progress, finishedAt }: Pick<Erasure, "progress" | "finishedAt">) {
  if (finishedAt !== null) {
    return (
      <>
        done, <Moment at={finishedAt} />
      </>
    );
  }
  return (
    <>
      <Text size="sm">under way, {formatPercent(progress)}</Text>
      <Progress value={progress * 100} mt={4} miw="6rem" aria-label="How far it is" />
    </>
  );
}

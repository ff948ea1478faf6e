import { Text } from "@mantine/core";
import { Moment } from "../../../ui/moment.tsx";
import type { Facts } from "../progress.ts";
import { Outcome } from "./outcome.tsx";
import { useArrivals } from "./use-arrivals.ts";
import classes from "./live-arrival.module.css";

/** Waits for an event, and shows what becomes of it. */
export function LiveArrival({ last, isSandbox }: { last: Facts["event"]; isSandbox: boolean }) {
  const { latest, isListening } = useArrivals(last);
  return (
    <section aria-label="Live" className={classes["card"]} data-arrived={latest !== undefined || undefined}>
      <div className={classes["line"]}>
        <span className={classes["light"]} data-listening={isListening || undefined} aria-hidden />
        <Text size="sm" fw={600} role="status">
          {latest === undefined ? (
            waitingWords(isListening)
          ) : (
            <>
              {latest.name} arrived, <Moment at={latest.receivedAt} />
            </>
          )}
        </Text>
      </div>
      {latest !== undefined && <Outcome key={latest.id} eventId={latest.id} isSandbox={isSandbox} />}
    </section>
  );
}

const waitingWords = (isListening: boolean): string =>
  isListening ? "Listening: the event shows here when it arrives." : "Connecting to the live view…";

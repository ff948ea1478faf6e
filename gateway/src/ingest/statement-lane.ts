import { isDatabaseAway } from "shared/db/is-database-away";
import { createLane, type Lane, type LaneOptions } from "shared/db/lane";
import { isCollision } from "shared/db/sql-state";
import { within } from "shared/db/within";

const collisionTries = 3;

/**
 * A lane of statements: each bounded in time, tried again when it collided with another's locks, and split when a row of it cannot be right, so that
 * one event's fault is never another's.
 */
export function createStatementLane<In, Out>(options: Omit<LaneOptions<In, Out>, "splits"> & { limitMs: number }): Lane<In, Out> {
  return createLane({
    ...options,
    splits: (error) => isCollision(error) || !isDatabaseAway(error),
    run: async (items) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await within(options.limitMs, options.run(items));
        } catch (error) {
          if (!isCollision(error) || attempt === collisionTries) throw error;
        }
      }
    },
  });
}

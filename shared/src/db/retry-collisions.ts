import { isCollision } from "./sql-state.ts";

const ATTEMPTS = 5;

/** Runs one statement again while it collides with somebody else's (deadlock, serialization failure), up to five times in all. */
export const retryCollisions = async <T>(statement: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement();
    } catch (error) {
      if (attempt === ATTEMPTS || !isCollision(error)) throw error;
    }
  }
};

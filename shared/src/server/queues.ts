/** Tasks of this process in queues, by key: tasks of one key run one after the other in call order, those of other keys beside them. */
export function createQueues() {
  /** The last task's promise never rejects. */
  const queues = new Map<string, { count: number; tail: Promise<void> }>();
  return {
    run: async <T>(key: string, act: () => Promise<T>): Promise<T> => {
      const queue = queues.get(key) ?? { count: 0, tail: Promise.resolve() };
      queues.set(key, queue);
      queue.count += 1;
      const turn = queue.tail.then(act);
      const leave = (): void => {
        queue.count -= 1;
        if (queue.count === 0) queues.delete(key);
      };
      queue.tail = turn.then(leave, leave);
      return turn;
    },
    /** The number of tasks of a key that run or wait. */
    present: (key: string): number => queues.get(key)?.count ?? 0,
  };
}

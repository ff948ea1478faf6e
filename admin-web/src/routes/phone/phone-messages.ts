/** What is asked of the phone; also the key under which the answer is kept. */
export const phoneMessagesInput = { limit: 100 };

/** Milliseconds between two looks at the phone. */
export const pollEvery = 1500;

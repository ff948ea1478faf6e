/** Milliseconds between two looks at what changes while somebody watches. */
export const pollEvery = 2000;

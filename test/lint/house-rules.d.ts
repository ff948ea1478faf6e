/** Whether an SQL text selects or returns every column. */
export const selectsStar: (text: string) => boolean;

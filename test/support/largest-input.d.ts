/** The parts of a zod schema that tell its form. */
export interface Schema {
  _zod: {
    def: object;
  };
}
/**
 * An input of a schema's form, in which every list and text has `share` of what it may have: texts repeat `unit`. Rules beyond form and length may refuse
 * it; what they cost counts too.
 */
export declare function largestInput(schema: Schema, share: number, unit: string): unknown;
//# sourceMappingURL=largest-input.d.ts.map

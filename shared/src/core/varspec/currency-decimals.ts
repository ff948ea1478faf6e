const usual = 2;

/** The currencies whose minor unit is not a hundredth (ISO 4217). A table of our own: the runtime's rounds some as cash is rounded. */
const others = new Map<string, number>([
  ...["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"].map(
    (code) => [code, 0] as const,
  ),
  ...["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"].map((code) => [code, 3] as const),
  ...["CLF", "UYW"].map((code) => [code, 4] as const),
]);

/** How many decimals amounts of a currency usually have (JPY 0, USD 2, KWD 3); two for what is no currency code. */
export const currencyDecimals = (code: string): number => others.get(code.toUpperCase()) ?? usual;

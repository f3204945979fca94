/** A fraction as containers write them. */
export type Rational = { readonly numerator: number; readonly denominator: number }

/**
 * "30000/1001", "64:45". Undefined for what is none, or nothing ("0/0", "0:1"): containers write it
 * where they do not know.
 */
export function readRational(text: string | undefined): Rational | undefined {
  const match = /^(\d{1,10})[/:](\d{1,10})$/.exec(text ?? '')
  if (!match) return undefined
  const [numerator, denominator] = [Number(match[1]), Number(match[2])]
  return numerator > 0 && denominator > 0 ? { numerator, denominator } : undefined
}

export const toNumber = ({ numerator, denominator }: Rational) => numerator / denominator

/** A fraction as stored in containers. */
export type Rational = { readonly numerator: number; readonly denominator: number }

/** Parses "30000/1001" or "64:45". Undefined if invalid or zero ("0/0", "0:1"), which means unknown. */
export function readRational(text: string | undefined): Rational | undefined {
  const match = /^(\d{1,10})[/:](\d{1,10})$/.exec(text ?? '')
  if (!match) return undefined
  const [numerator, denominator] = [Number(match[1]), Number(match[2])]
  return numerator > 0 && denominator > 0 ? { numerator, denominator } : undefined
}

export const toNumber = ({ numerator, denominator }: Rational) => numerator / denominator

import type { Look } from './look.ts'
import { padEnd, printable, widthOf } from './width.ts'

/**
 * A name and what it is; what is null or undefined is left out. It is coloured last: what comes
 * from elsewhere brings no colours along.
 */
export type Field = readonly [
  name: string,
  value: string | number | null | undefined,
  colour?: (text: string) => string,
]

/** One thing, a line for each of its fields. */
export function drawFields(fields: readonly Field[], { paint }: Look): string {
  const given = fields.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...given.map(([name]) => widthOf(name)))
  return given
    .map(([name, value, colour = asItIs]) => {
      const text = colour(printable(String(value)))
      return `${paint('gray', padEnd(name, width))}  ${text}`
    })
    .join('\n')
}

const asItIs = (text: string) => text

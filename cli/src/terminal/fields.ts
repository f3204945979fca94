import type { Style } from './style.ts'
import { padEnd, printable, widthOf } from './width.ts'

/**
 * Name, value and color of a field. A field is omitted if its value is null or undefined. Colors are applied
 * last, so that values cannot contain control characters.
 */
export type Field = readonly [name: string, value: string | number | null | undefined, color?: (text: string) => string]

/** Renders one line per field. */
export function renderFields(fields: readonly Field[], { paint }: Style): string {
  const given = fields.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...given.map(([name]) => widthOf(name)))
  return given
    .map(([name, value, color = asItIs]) => {
      const text = color(printable(String(value)))
      return `${paint('gray', padEnd(name, width))}  ${text}`
    })
    .join('\n')
}

const asItIs = (text: string) => text

/** Metadata in one line, in the form of the option `--metadata`. */
export const renderMetadata = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')

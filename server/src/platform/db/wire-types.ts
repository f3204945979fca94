import pg from 'pg'
import { timestampFromPostgres } from '../../kernel/time.ts'

const { builtins, getTypeParser } = pg.types

/** Counts fit a JavaScript number; one that does not is a fault, not a string. */
function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number`)
  return value
}

const ours = new Map<number, (text: string) => unknown>([
  [builtins.INT8, parseInteger],
  [builtins.TIMESTAMPTZ, timestampFromPostgres],
])

export function parserFor(typeId: number): (text: string) => unknown {
  return ours.get(typeId) ?? getTypeParser(typeId, 'text')
}

/**
 * A parameter as Postgres reads it. Dates are refused: they would lose the microseconds, and the
 * database's own clock is the one that counts.
 */
export function toWire(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `{${value.map(arrayElement).join(',')}}`
  throw new TypeError(`A parameter of this kind is not sent to Postgres: ${typeof value}`)
}

function arrayElement(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new TypeError('Arrays sent to Postgres hold text or numbers')
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

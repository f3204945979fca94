import pg from 'pg'
import { timestampFromPostgres } from '../../../kernel/time.ts'

const { builtins, getTypeParser } = pg.types

/** Throws for a bigint beyond the safe integers, instead of returning a string like `pg`. */
function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer`)
  return value
}

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, parseInteger],
  [builtins.TIMESTAMPTZ, timestampFromPostgres],
])

export function parserFor(typeId: number): (text: string) => unknown {
  return parsers.get(typeId) ?? getTypeParser(typeId, 'text')
}

/**
 * Formats a parameter for the wire. Throws for dates: they have no microseconds, and times come from the
 * database's clock.
 */
export function toWire(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `{${value.map(arrayElement).join(',')}}`
  throw new TypeError(`Unsupported parameter type: ${typeof value}`)
}

function arrayElement(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new TypeError('Array parameters may contain only text and numbers')
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

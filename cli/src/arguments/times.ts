import { InvalidArgumentError } from 'commander'

/** Parses a time, and returns it in ISO 8601 format. */
export function instant(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('Must be a time, such as 2027-01-01.')
  return new Date(time).toISOString()
}

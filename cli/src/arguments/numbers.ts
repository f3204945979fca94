import { InvalidArgumentError } from 'commander'

/** Parses an option or argument that must be a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return Number(text)
}

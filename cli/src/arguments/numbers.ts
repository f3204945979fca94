import { InvalidArgumentError } from 'commander'

/** Parses an option or argument that must be a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return Number(text)
}

/** Parses an option that is a time in seconds, such as 12.5. */
export function seconds(text: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('Must be a number of seconds, such as 12.5.')
  return Number(text)
}

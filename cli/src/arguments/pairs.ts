import { InvalidArgumentError } from 'commander'

/** Parser of an option that can be repeated: collects its values. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Parser of a repeatable option `key=value`. An empty value is null, which removes the key. */
export function collectPair(
  text: string,
  before: Readonly<Record<string, string | null>> = {},
): Record<string, string | null> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Must have the form key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) || null }
}

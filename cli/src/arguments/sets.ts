import { InvalidArgumentError, Option } from 'commander'

/**
 * An option with several values of a fixed set, separated by commas or given more than once. Unlike variadic options
 * of commander, it does not consume the following arguments.
 */
export function setOption(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description).choices(values)
  return option.argParser((text: string, before: readonly string[] | undefined) => {
    const given = text
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '')
    const unknown = given.find((value) => !values.includes(value))
    if (unknown !== undefined)
      throw new InvalidArgumentError(`Unknown value ${unknown}. Allowed: ${values.join(', ')}.`)
    return [...(before ?? []), ...given]
  })
}

import { InvalidArgumentError, Option } from 'commander'

/**
 * An option that takes several of a fixed set: with commas between, or given more than once. It
 * does not take what stands behind it, as commander's own would.
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
      throw new InvalidArgumentError(`${unknown} is none of ${values.join(', ')}.`)
    return [...(before ?? []), ...given]
  })
}

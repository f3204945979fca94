/** Times of cues as people write them. */

const form = /^(?:(?:(\d+):)?(\d{1,3}):)?(\d{1,5})(?:[.,](\d{1,3}))?$/

/** "1:15.48" as 75,480 milliseconds; undefined if it is not a time. */
export function parseTime(text: string): number | undefined {
  const fields = form.exec(text.trim())
  if (!fields) return undefined
  const [, hours = '0', minutes = '0', seconds = '0', fraction = ''] = fields
  const ms = Number(fraction.padEnd(3, '0'))
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + ms
}

/** "-1,5" seconds as -1500 milliseconds; undefined if it is not a number. */
export function parseSeconds(text: string): number | undefined {
  const number = text.trim().replace(',', '.').replace('−', '-')
  return /^[+-]?\d{1,6}(\.\d{1,3})?$/.test(number) ? Math.round(Number(number) * 1000) : undefined
}

export type Range = '30' | '90' | 'year'

const MILLISECONDS_PER_DAY = 86_400_000

const dayText = (time: Date) => time.toISOString().slice(0, 10)

/** Query of the API for a range that ends today, in UTC. */
export function rangeQuery(range: Range, today: Date): { readonly from: string; readonly by: 'day' | 'month' } {
  if (range === 'year') {
    return { from: dayText(new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 11, 1))), by: 'month' }
  }
  return { from: dayText(new Date(today.getTime() - (Number(range) - 1) * MILLISECONDS_PER_DAY)), by: 'day' }
}

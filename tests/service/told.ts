/** Reads the log as callers do, and judges every event that it reads. */
import { events as contract } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

const ajv = new Ajv({ strict: false })
addFormats.default(ajv)

/** Nothing beyond what the contract says: a field that slipped in might be a secret. */
const isData = new Map<string, ValidateFunction>(
  Object.entries(contract.eventData).map(([type, schema]) => [
    type,
    ajv.compile({ ...schema, additionalProperties: false }),
  ]),
)

/** What the log of an organization holds beyond what was read of it before. */
export type Told = {
  /** What came since the last time, in order. */
  readonly next: () => Promise<contract.Event[]>
  /** The same, only which kinds. */
  readonly nextTypes: () => Promise<string[]>
}

const seen = new Set<string>()

/** Of these kinds, those that nobody has been told of in this process. */
export const neverTold = (family: string): string[] =>
  contract.eventTypes.filter((type) => type.startsWith(`${family}.`) && !seen.has(type))

/** From now on; what has been told before is left out. */
export async function listenTo(caller: Caller): Promise<Told> {
  let after = 0
  const next = async () => {
    const events: contract.Event[] = []
    for (let hasMore = true; hasMore; ) {
      const { body, status, text } = await caller.get<Page>(`events/?after=${after}&limit=1000`)
      if (status !== 200) throw new Error(`The log is not to be had: ${text}`)
      events.push(...body.results)
      after = body.after
      hasMore = body.has_more
    }
    for (const event of events) judge(event)
    return events
  }
  await next()
  return { next, nextTypes: async () => (await next()).map(({ type }) => type) }
}

type Page = { after: number; has_more: boolean; results: contract.Event[] }

function judge({ type, data, asset_id }: contract.Event): void {
  seen.add(type)
  const validate = isData.get(type)
  if (!validate) throw new Error(`The contract knows no ${type}`)
  if (!validate(data))
    throw new Error(`Not the data of ${type}: ${ajv.errorsText(validate.errors)}`)
  const { asset_id: named, id } = data as { asset_id?: string; id?: string }
  const about = type.startsWith('asset.') ? id : (named ?? null)
  if (about !== asset_id) throw new Error(`${type} is about ${asset_id} and speaks of ${about}`)
}

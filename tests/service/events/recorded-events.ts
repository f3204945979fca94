/** Reads the log like a client and validates every event. */
import { events as contract } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

const ajv = new Ajv({ strict: false })
addFormats.default(ajv)

/** Validators of event data. They reject fields outside of the contract, because such a field might be a secret. */
const isData = new Map<string, ValidateFunction>(
  Object.entries(contract.eventCatalogue).map(([type, { data }]) => [
    type,
    ajv.compile({ ...data, additionalProperties: false }),
  ]),
)

/** Reads the new events of an organization's log. */
export type EventLogReader = {
  /** The events since the last call, in order. */
  readonly next: () => Promise<contract.Event[]>
  /** Like `next`, but returns only the types. */
  readonly nextTypes: () => Promise<string[]>
}

const seen = new Set<string>()

/** Event types of the family that were not recorded in this process. */
export const unseenTypes = (family: string): string[] =>
  contract.eventTypes.filter((type) => type.startsWith(`${family}.`) && !seen.has(type))

/** Opens a reader that skips all earlier events. */
export async function openEventLog(caller: Caller): Promise<EventLogReader> {
  let after = 0
  const next = async () => {
    const events: contract.Event[] = []
    for (let hasMore = true; hasMore; ) {
      const { body, status, text } = await caller.get<Page>(`events/?after=${after}&limit=1000`)
      if (status !== 200) throw new Error(`Cannot read the log: ${text}`)
      events.push(...body.results)
      after = body.after
      hasMore = body.has_more
    }
    for (const event of events) assertValid(event)
    return events
  }
  await next()
  return { next, nextTypes: async () => (await next()).map(({ type }) => type) }
}

type Page = { after: number; has_more: boolean; results: contract.Event[] }

function assertValid({ type, data, asset_id }: contract.Event): void {
  seen.add(type)
  const validate = isData.get(type)
  if (!validate) throw new Error(`The contract has no event type ${type}`)
  if (!validate(data)) throw new Error(`Invalid data of ${type}: ${ajv.errorsText(validate.errors)}`)
  const { asset_id: named, id } = data as { asset_id?: string; id?: string }
  const about = type.startsWith('asset.') ? id : (named ?? null)
  if (about !== asset_id) throw new Error(`${type} has the asset ${asset_id}, but its data has ${about}`)
}

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

/** The event logs that one test file reads. */
export type EventRecorder = {
  /** Opens a reader that skips all earlier events. */
  readonly open: (caller: Caller) => Promise<EventLogReader>
  /** Event types of the family that no reader of this recorder has read. */
  readonly unseenTypes: (family: string) => string[]
}

/** Each test file has a recorder of its own, because files share a process and with it the state of this module. */
export function newEventRecorder(): EventRecorder {
  const seen = new Set<string>()
  const open = async (caller: Caller): Promise<EventLogReader> => {
    let after = 0
    const next = async () => {
      const { events, after: end } = await readLog(caller, after)
      after = end
      for (const event of events) {
        seen.add(event.type)
        assertValid(event)
      }
      return events
    }
    await next()
    return { next, nextTypes: async () => (await next()).map(({ type }) => type) }
  }
  const unseenTypes = (family: string) =>
    contract.eventTypes.filter((type) => type.startsWith(`${family}.`) && !seen.has(type))
  return { open, unseenTypes }
}

/** Reads all events after a position; returns them and the position of the last one. */
async function readLog(caller: Caller, start: number): Promise<{ events: contract.Event[]; after: number }> {
  const events: contract.Event[] = []
  let after = start
  for (let hasMore = true; hasMore; ) {
    const { body, status, text } = await caller.get<Page>(`events/?after=${after}&limit=1000`)
    if (status !== 200) throw new Error(`Cannot read the log: ${text}`)
    events.push(...body.results)
    after = body.after
    hasMore = body.has_more
  }
  return { events, after }
}

type Page = { after: number; has_more: boolean; results: contract.Event[] }

function assertValid({ type, data, asset_id }: contract.Event): void {
  const validate = isData.get(type)
  if (!validate) throw new Error(`The contract has no event type ${type}`)
  if (!validate(data)) throw new Error(`Invalid data of ${type}: ${ajv.errorsText(validate.errors)}`)
  const { asset_id: named, id } = data as { asset_id?: string; id?: string }
  const about = type.startsWith('asset.') ? id : (named ?? null)
  if (about !== asset_id) throw new Error(`${type} has the asset ${asset_id}, but its data has ${about}`)
}

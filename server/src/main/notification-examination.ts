import { storageEventsPath } from '../capabilities/upload-sessions/upload-events.rules.ts'
import { type Examination, fault, fine, type Verdict, warning } from '../platform/doctor/finding.ts'
import type { BucketSettings } from '../platform/storage/bucket-settings.ts'

const SET_UP =
  'Set STORAGE_EVENTS_URL to where storage reaches OPERATIONS_PORT of the API, and STORAGE_EVENTS_SECRET to the API’s, then run setup-storage.'

/** Where storage tells of new files, and whether that leads to an API with our secret. */
export const notificationExamination = (
  who: string,
  settings: BucketSettings,
  secret: string | undefined,
  takesForms: boolean,
): Examination => ({
  name: `${who}-notifications`,
  needs: `${who}-uploads-bucket`,
  look: async (signal) => {
    if (!takesForms)
      return fine('Files come in parts, and whoever has sent them says so: none is needed.')
    if (secret === undefined)
      return warning(
        'Storage’s notifications are not taken, as STORAGE_EVENTS_SECRET is not set: files are found by looking, some seconds later.',
        'Set STORAGE_EVENTS_SECRET in the API and run setup-storage with STORAGE_EVENTS_URL.',
      )
    const addresses = (await settings.eventsAddresses(signal)).map((address) => new URL(address))
    const [first] = addresses
    if (first === undefined)
      return fault(
        'Storage tells nobody of new files: the uploads bucket has no notification.',
        SET_UP,
      )
    const path = storageEventsPath(secret)
    const ours = addresses.find(({ pathname }) => pathname === path)
    if (ours) return judgeAddress(ours, signal)
    return fault(`Storage notifies ${first.origin} with another secret or path than ours.`, SET_UP)
  },
})

/** An empty message is taken like any other, and has nothing looked at. */
async function judgeAddress(address: URL, signal: AbortSignal): Promise<Verdict> {
  try {
    const { status } = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Records: [] }),
      signal,
    })
    if (status === 204) return fine(`Storage notifies ${address.origin}, where they are taken.`)
    return fault(
      `Storage notifies ${address.origin}, where they are answered with ${status} and not taken.`,
      SET_UP,
    )
  } catch {
    return fault(`Storage notifies ${address.origin}, and from here nobody answers there.`, SET_UP)
  }
}

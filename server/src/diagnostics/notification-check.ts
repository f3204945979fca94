import { storageNotificationsPath } from '../modules/upload-sessions/notifications/storage-notifications.rules.ts'
import type { ApiConfig } from '../platform/config/env.ts'
import type { BucketSettings } from '../platform/storage/setup/bucket-settings.ts'
import { type Check, type CheckOutcome, failed, ok, warning } from './checks.ts'

const SET_UP =
  'Set STORAGE_EVENTS_URL to the URL where storage reaches OPERATIONS_PORT of the API, and STORAGE_EVENTS_SECRET to the same value as for the API, then run setup-storage.'

/**
 * Checks where storage sends notifications of new files, and whether an API with the same secret accepts them there.
 */
export const notificationCheck = (
  prefix: string,
  settings: BucketSettings,
  { STORAGE_EVENTS_SECRET: secret, STORAGE_FORMS: forms }: Pick<ApiConfig, 'STORAGE_EVENTS_SECRET' | 'STORAGE_FORMS'>,
): Check => ({
  name: `${prefix}-notifications`,
  needs: `${prefix}-uploads-bucket`,
  run: async (signal) => {
    if (forms === 'off')
      return ok('Files are uploaded in parts, and the client reports completion: no notifications are needed.')
    if (secret === undefined)
      return warning(
        'Storage notifications are disabled because STORAGE_EVENTS_SECRET is not set: files are found by polling, some seconds later.',
        'Set STORAGE_EVENTS_SECRET in the API and run setup-storage with STORAGE_EVENTS_URL.',
      )
    const urls = (await settings.notificationUrls(signal)).map((url) => new URL(url))
    const [first] = urls
    if (first === undefined)
      return failed('Storage sends no notifications of new files: the uploads bucket has none configured.', SET_UP)
    const path = storageNotificationsPath(secret)
    const ours = urls.find(({ pathname }) => pathname === path)
    if (ours) return deliveryOutcome(ours, signal)
    return failed(`Storage sends notifications to ${first.origin} with a different secret or path.`, SET_UP)
  },
})

/** Sends an empty notification, which the API accepts like any other and which has no effect. */
async function deliveryOutcome(url: URL, signal: AbortSignal): Promise<CheckOutcome> {
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Records: [] }),
      signal,
    })
    if (status === 204) return ok(`Storage sends notifications to ${url.origin}, which accepts them.`)
    return failed(`Storage sends notifications to ${url.origin}, which rejects them with status ${status}.`, SET_UP)
  } catch {
    return failed(`Storage sends notifications to ${url.origin}, which does not respond from here.`, SET_UP)
  }
}

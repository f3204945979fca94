import { setTimeout as sleep } from 'node:timers/promises'
import { ServerError } from 'reelkeep'
import type { Check } from '../check.ts'
import { type CheckOutcome, failed, ok, warning } from '../check-result.ts'
import type { DoctorContext } from '../context.ts'

const POLL_SECONDS = 0.5

/** Does not call complete/, to test whether the service detects the file automatically, and how. */
export const notificationPath: Check = {
  name: 'notification-path',
  description: 'upload notification',
  needs: ['storage-signature'],
  run: async (context) => {
    if (context.shared.lacksForms) return completeParts(context)
    const startedAt = performance.now()
    const { status, error } = await waitForSession(context, startedAt)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    if (status === 'Completed') {
      context.shared.isAccepted = true
      return toOutcome(await detectionCode(context), seconds)
    }
    if (endedStatuses.includes(status)) return notAccepted(error?.detail ?? `the session is ${status}`)
    const failure = await complete(context)
    if (failure) return failure
    context.shared.isAccepted = true
    return failed(
      `The service did not detect the file within ${seconds} seconds, neither by a storage notification ` +
        'nor by the polling of a worker.',
      `${SET_UP} Check that a worker is running.`,
    )
  },
}

/** Completes a multipart upload. The client ends it, so no notification is needed. */
async function completeParts(context: DoctorContext): Promise<CheckOutcome> {
  const failure = await complete(context)
  if (failure) return failure
  context.shared.isAccepted = true
  return ok('Files are uploaded in parts and completed by the client, so no notification is needed.')
}

/**
 * Completes the upload. If the API cannot accept the file, returns this failure, which is also why the file was not
 * detected.
 */
async function complete({ reelkeep, shared }: DoctorContext): Promise<CheckOutcome | undefined> {
  try {
    await reelkeep.uploadSessions.complete(shared.session?.upload_session.uuid ?? '')
    return undefined
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    return notAccepted(`${error.message} (${error.code}, request ${error.requestId})`)
  }
}

function notAccepted(why: string): CheckOutcome {
  return failed(
    `The file is in storage, but the API cannot accept it: ${why}`,
    'Check the uploads bucket: `--operations` reports whether the API can reach it and whether versioning is enabled. setup-storage repairs its settings; the log of the API has details for the request id.',
    'upload-completion',
  )
}

const SET_UP =
  'Run setup-storage with STORAGE_EVENTS_URL (how storage reaches OPERATIONS_PORT of the API) and the STORAGE_EVENTS_SECRET of the API. `--operations` reports where storage sends notifications now.'

function toOutcome(detectedBy: string | undefined, seconds: string): CheckOutcome {
  if (detectedBy === 'notification') return ok(`Storage notified the service within ${seconds} s.`)
  if (detectedBy === 'polling')
    return warning(
      `The service detected the file only by polling, after ${seconds} s: the storage notification did not arrive. ` +
        'Uploads work, but with a delay.',
      `${SET_UP} Ceph may need 20 seconds for the first notification after a start: run doctor again before you investigate.`,
    )
  return ok(`The service detected the file within ${seconds} s; it does not report how.`)
}

/** Statuses in which a session no longer accepts a file. */
const endedStatuses: readonly string[] = ['Expired', 'Cancelled', 'Failed']

/** Returns the session when it has ended, or at the end of the wait. */
async function waitForSession({ reelkeep, shared, waitSeconds, signal }: DoctorContext, startedAt: number) {
  const uuid = shared.session?.upload_session.uuid ?? ''
  while (true) {
    const session = await reelkeep.uploadSessions.read(uuid)
    const isOver = performance.now() - startedAt >= waitSeconds * 1000
    if (isOver || session.status === 'Completed' || endedStatuses.includes(session.status)) return session
    await sleep(POLL_SECONDS * 1000, undefined, { signal })
  }
}

/** Returns the code in the timeline entry of the upload: `notification`, `polling` or `client`. */
async function detectionCode({ reelkeep, shared }: DoctorContext): Promise<string | undefined> {
  const { entries } = await reelkeep.assets.readTimeline(shared.session?.asset.id ?? '')
  const entry = entries.find(({ what }) => what === 'uploaded')
  return /Detected by: (\w+)/.exec(entry?.detail ?? '')?.[1]
}

import { setTimeout as sleep } from 'node:timers/promises'
import { ServerError } from 'reelkeep'
import type { Check } from '../check.ts'
import { fault, fine, type Verdict, warning } from '../finding.ts'
import type { Patient } from '../patient.ts'

const LOOK_EVERY_SECONDS = 0.5

/** The timeline's words; a service of an earlier version has none. */
const told = 'Storage told of it.'
const looked = 'found by looking'

/**
 * Nobody says that the file is there: whether the service notices by itself, and what made it
 * notice, is the question.
 */
export const notificationPath: Check = {
  name: 'notification-path',
  what: 'whether the service notices the file by itself',
  needs: ['storage-signature'],
  look: async (patient) => {
    if (patient.seen.isWithoutForms) return byParts(patient)
    const startedAt = performance.now()
    const { status, error } = await followed(patient, startedAt)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    if (status === 'Completed') {
      patient.seen.isTaken = true
      return judge(await wordsOf(patient), seconds)
    }
    if (closed.includes(status)) return notTaken(error?.detail ?? `the session is ${status}`)
    const refusal = await completed(patient)
    if (refusal) return refusal
    patient.seen.isTaken = true
    return fault(
      `The service had not noticed the file after ${seconds} seconds: neither did storage tell it, nor did a worker look.`,
      `${SET_UP} See that a worker runs.`,
    )
  },
}

/** Of parts nobody knows that they are all but who sent them. */
async function byParts(patient: Patient): Promise<Verdict> {
  const refusal = await completed(patient)
  if (refusal) return refusal
  patient.seen.isTaken = true
  return fine(
    'Files are sent in parts here, and who has sent them says so: no notification is needed.',
  )
}

/** Told of the file, the API must take it; if it does not, that is why it was not noticed either. */
async function completed({ reelkeep, seen }: Patient): Promise<Verdict | undefined> {
  try {
    await reelkeep.uploadSessions.complete(seen.session?.upload_session.uuid ?? '')
    return undefined
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    return notTaken(`${error.message} (${error.code}, request ${error.requestId})`)
  }
}

function notTaken(why: string): Verdict {
  return fault(
    `The file is in storage, and the API cannot take it: ${why}`,
    'Look at the uploads bucket: `--operations` tells whether the API reaches it and whether it keeps versions. setup-storage mends its settings; the API’s log says more under the request’s id.',
    'upload-completion',
  )
}

const SET_UP =
  'Run setup-storage with STORAGE_EVENTS_URL (where storage reaches OPERATIONS_PORT of the API) and the API’s STORAGE_EVENTS_SECRET; `--operations` tells where storage notifies now.'

function judge(words: string, seconds: string): Verdict {
  if (words.includes(told)) return fine(`Storage told the service of the file within ${seconds} s.`)
  if (words.includes(looked))
    return warning(
      `The service found the file by looking, after ${seconds} s: storage’s notification did not arrive. Uploads work, but are noticed late.`,
      `${SET_UP} Ceph may take 20 seconds for the first one after it has started: ask again before you search.`,
    )
  return fine(`The service noticed the file by itself within ${seconds} s; it does not tell how.`)
}

/** In which no file will be noticed any more. */
const closed: readonly string[] = ['Expired', 'Cancelled', 'Failed']

/** The session when it has ended, or when the wait has. */
async function followed({ reelkeep, seen, waitSeconds, signal }: Patient, startedAt: number) {
  const uuid = seen.session?.upload_session.uuid ?? ''
  while (true) {
    const session = await reelkeep.uploadSessions.read(uuid)
    const isOver = performance.now() - startedAt >= waitSeconds * 1000
    if (isOver || session.status === 'Completed' || closed.includes(session.status)) return session
    await sleep(LOOK_EVERY_SECONDS * 1000, undefined, { signal })
  }
}

async function wordsOf({ reelkeep, seen }: Patient): Promise<string> {
  const { happened } = await reelkeep.assets.readTimeline(seen.session?.asset.id ?? '')
  return happened.find(({ what }) => what === 'uploaded')?.detail ?? ''
}

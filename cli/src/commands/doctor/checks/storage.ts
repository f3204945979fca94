import { ask, NoAnswer } from '../ask.ts'
import type { Check } from '../check.ts'
import { fault, fine, warning } from '../finding.ts'
import { explainRefusal, isWithoutForms, refusalIn } from '../storage-refusals.ts'
import { openTrial } from '../trial.ts'
import { trialVideo } from '../trial-video.ts'

export const uploadSession: Check = {
  name: 'upload-session',
  what: 'whether an upload can be begun',
  needs: ['token-scopes'],
  look: async (patient) => {
    patient.seen.session = await openTrial(patient)
    return fine('The API has opened an upload session.')
  },
}

export const storageReachable: Check = {
  name: 'storage-reachable',
  what: 'whether storage answers at the address that callers are given',
  needs: ['upload-session'],
  look: async ({ seen, signal }) => {
    const link = new URL(seen.session?.client_payload.upload_link ?? '')
    const cure =
      'Set STORAGE_PUBLIC_ENDPOINT of the API to the address by which callers reach storage, and see that storage runs and a firewall lets them.'
    try {
      const { headers, body, aheadSeconds } = await ask(link.href, signal)
      if (!isStorage(headers, body.toString('utf8')))
        return fault(`Something else than storage answers at ${link.origin}.`, cure)
      if (aheadSeconds !== undefined) seen.storageAheadSeconds = aheadSeconds
      return fine(`Storage answers at ${link.origin}.`)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return fault(`Storage does not answer at ${link.origin}: ${error.message}.`, cure)
    }
  },
}

/** Whatever it thinks of the request: every S3 answers in its own XML, or with a number of the request. */
const isStorage = (headers: Headers, body: string) =>
  headers.has('x-amz-request-id') || /<(Error|ListBucketResult)[ >]/.test(body)

export const storageSignature: Check = {
  name: 'storage-signature',
  what: 'whether storage takes a file by a form that the API has signed',
  needs: ['storage-reachable', 'storage-clock'],
  look: async ({ seen, signal }) => {
    if (seen.session?.upload_session.parts_only) {
      seen.isWithoutForms = true
      return fine('The service gives out no forms: every file is sent in parts.')
    }
    const { upload_link: link = '', ...fields } = seen.session?.client_payload ?? {}
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new Blob([trialVideo], { type: 'video/mp4' }), 'trial.mp4')
    const { status, body } = await ask(link, signal, { method: 'POST', body: form })
    if (status < 300) return fine('Storage has taken a file by a signed form.')
    const refusal = refusalIn(status, body.toString('utf8'))
    if (isWithoutForms(refusal)) {
      seen.isWithoutForms = true
      return warning(
        `Storage does not take signed forms (${status}), so every file is sent in parts.`,
        'The SDK and the command line do so by themselves, after a first try that fails. Run check-storage; with STORAGE_FORMS=off in the API and in every worker, callers are told at once.',
        'storage-forms',
      )
    }
    const isVague = refusal.code === 'AccessDenied' && refusal.message === ''
    return isVague && !(await isKeyKnown(link, fields, signal))
      ? explainRefusal({ ...refusal, code: 'InvalidAccessKeyId' })
      : explainRefusal(refusal)
  },
}

/**
 * Of a form Ceph does not say what it refuses. Of an address it does: with the key that stands in
 * the form and no signature worth the name, it is either not known or not matched.
 */
async function isKeyKnown(
  link: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<boolean> {
  const query = new URLSearchParams({
    'X-Amz-Algorithm': fields['x-amz-algorithm'] ?? '',
    'X-Amz-Credential': fields['x-amz-credential'] ?? '',
    'X-Amz-Date': fields['x-amz-date'] ?? '',
    'X-Amz-Expires': '60',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': '0'.repeat(64),
  })
  const { status, body } = await ask(`${link}/${fields['key']}?${query}`, signal)
  return refusalIn(status, body.toString('utf8')).code !== 'InvalidAccessKeyId'
}

export const storageParts: Check = {
  name: 'storage-parts',
  what: 'whether storage takes a signed part',
  needs: ['storage-signature'],
  look: async (patient) => {
    const { reelkeep, signal, seen } = patient
    // Where forms are not taken, it is how the trial's own file is sent.
    const { upload_session: session } =
      (seen.isWithoutForms && seen.session) || (await openTrial(patient))
    const size = { file_size_bytes: trialVideo.length }
    const signed = await reelkeep.uploadSessions.signParts(session.uuid, { ...size, numbers: [1] })
    const url = signed.parts[0]?.url ?? ''
    const { status, body } = await ask(url, signal, { method: 'PUT', body: trialVideo })
    if (status < 300) return fine('Storage has taken a signed part.')
    return explainRefusal(refusalIn(status, body.toString('utf8')))
  },
}

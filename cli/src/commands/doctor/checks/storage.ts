import type { Check } from '../check.ts'
import { failed, ok, warning } from '../check-result.ts'
import { NoResponse, request } from '../request.ts'
import { explainStorageError, lacksForms, parseStorageError } from '../storage-errors.ts'
import { createTestAsset } from '../test-asset.ts'
import { testVideo } from '../test-video.ts'

export const uploadSession: Check = {
  name: 'upload-session',
  description: 'upload session',
  needs: ['token-scopes'],
  run: async (context) => {
    context.shared.session = await createTestAsset(context)
    return ok('The API created an upload session.')
  },
}

export const storageReachable: Check = {
  name: 'storage-reachable',
  description: 'reachability of storage',
  needs: ['upload-session'],
  run: async ({ shared, signal }) => {
    const link = new URL(shared.session?.client_payload.upload_link ?? '')
    const hint =
      'Set STORAGE_PUBLIC_ENDPOINT of the API to the URL of storage as seen by clients. Check that storage is running and that no firewall blocks it.'
    try {
      const { headers, body, clockAheadSeconds } = await request(link.href, signal)
      if (!isStorage(headers, body.toString('utf8')))
        return failed(`${link.origin} responds, but is not S3 storage.`, hint)
      if (clockAheadSeconds !== undefined) shared.storageAheadSeconds = clockAheadSeconds
      return ok(`Storage responds at ${link.origin}.`)
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      return failed(`Storage does not respond at ${link.origin}: ${error.message}.`, hint)
    }
  },
}

/** Detects S3, which responds with its own XML, or with a request id header. */
const isStorage = (headers: Headers, body: string) =>
  headers.has('x-amz-request-id') || /<(Error|ListBucketResult)[ >]/.test(body)

export const storageSignature: Check = {
  name: 'storage-signature',
  description: 'upload with a signed form',
  needs: ['storage-reachable', 'storage-clock'],
  run: async ({ shared, signal }) => {
    if (shared.session?.upload_session.parts_only) {
      shared.lacksForms = true
      return ok('The service uses no forms: every file is uploaded in parts.')
    }
    const { upload_link: link = '', ...fields } = shared.session?.client_payload ?? {}
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new Blob([testVideo], { type: 'video/mp4' }), 'test.mp4')
    const { status, body } = await request(link, signal, { method: 'POST', body: form })
    if (status < 300) return ok('Storage accepted a file with a signed form.')
    const error = parseStorageError(status, body.toString('utf8'))
    if (lacksForms(error)) {
      shared.lacksForms = true
      return warning(
        `Storage does not support signed forms (${status}), so every file is uploaded in parts.`,
        'The SDK and the CLI upload in parts after a form has failed. To use parts from the start, set STORAGE_FORMS=off in the API and in every worker; check-storage confirms that storage supports parts.',
        'storage-forms',
      )
    }
    const isVague = error.code === 'AccessDenied' && error.message === ''
    return isVague && !(await isKeyKnown(link, fields, signal))
      ? explainStorageError({ ...error, code: 'InvalidAccessKeyId' })
      : explainStorageError(error)
  },
}

/**
 * Checks whether the access key exists in storage. Ceph does not report why it refuses a form. For a URL with
 * the same key and an invalid signature, it reports either an unknown key or a wrong signature.
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
  const { status, body } = await request(`${link}/${fields['key']}?${query}`, signal)
  return parseStorageError(status, body.toString('utf8')).code !== 'InvalidAccessKeyId'
}

export const storageParts: Check = {
  name: 'storage-parts',
  description: 'upload of a signed part',
  needs: ['storage-signature'],
  run: async (context) => {
    const { reelkeep, signal, shared } = context
    // If storage does not support forms, the file of the test asset is uploaded as this part.
    const { upload_session: session } = (shared.lacksForms && shared.session) || (await createTestAsset(context))
    const size = { file_size_bytes: testVideo.length }
    const signed = await reelkeep.uploadSessions.signParts(session.uuid, { ...size, numbers: [1] })
    const url = signed.parts[0]?.url ?? ''
    const { status, body } = await request(url, signal, { method: 'PUT', body: testVideo })
    if (status < 300) return ok('Storage accepted a signed part.')
    return explainStorageError(parseStorageError(status, body.toString('utf8')))
  },
}

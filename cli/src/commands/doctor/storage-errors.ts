/** Meaning of storage errors, and how to fix them. */
import { type CheckOutcome, failed } from './check-result.ts'

export type StorageErrorResponse = {
  readonly status: number
  readonly code: string
  readonly message: string
}

const SECRET = 'STORAGE_UPLOAD_SECRET_ACCESS_KEY (STORAGE_SECRET_ACCESS_KEY if there is no upload key)'

const explanations: Record<string, readonly [name: string, detail: string, hint: string]> = {
  SignatureDoesNotMatch: [
    'storage-signature',
    'The access key that signs uploads exists in storage, but the secret does not match.',
    `Set ${SECRET} of the API to the secret of that key. If it is correct, a proxy in front of storage changes requests: it must not change the Host header.`,
  ],
  AccessDenied: [
    'storage-signature',
    'The access key that signs uploads exists in storage, but storage refuses its requests: the secret does not match, or the key has no write permission for the bucket.',
    `Set ${SECRET} of the API to the secret of that key, and run setup-storage, which allows the key to put objects into STORAGE_UPLOADS_BUCKET. \`--operations\` reports which of the two is wrong.`,
  ],
  InvalidAccessKeyId: [
    'storage-key',
    'The access key that signs uploads does not exist in storage.',
    'Set STORAGE_UPLOAD_ACCESS_KEY_ID (STORAGE_ACCESS_KEY_ID if there is no upload key) of the API to a key of this storage. Check that STORAGE_PUBLIC_ENDPOINT and STORAGE_ENDPOINT lead to the same storage.',
  ],
  NoSuchBucket: [
    'storage-bucket',
    'The uploads bucket does not exist.',
    'Run node server/src/main/setup-storage.ts with the settings of the API. Check that STORAGE_UPLOADS_BUCKET is the same in both.',
  ],
  RequestTimeTooSkewed: [
    'storage-clock',
    'Storage refuses the signature because clocks differ by more than 15 minutes.',
    'Synchronize the clocks of storage, Postgres and the API with NTP.',
  ],
  ExpiredToken: [
    'storage-clock',
    'Storage reports that the signature has expired, although it was just created.',
    'Synchronize the clocks of storage, Postgres and the API with NTP.',
  ],
  EntityTooLarge: [
    'storage-limit',
    'Storage, or a proxy in front of it, refuses a file of a few kilobytes because of its size.',
    'Raise the limit of the proxy (nginx: client_max_body_size 0).',
  ],
}

/** Detects storage that does not support POST policies. */
export const lacksForms = ({ status }: StorageErrorResponse) => status === 405 || status === 501

export function explainStorageError({ status, code, message }: StorageErrorResponse): CheckOutcome {
  const expired = /policy expired|request has expired/i.test(message) ? 'ExpiredToken' : undefined
  const found = explanations[expired ?? (status === 413 ? 'EntityTooLarge' : code)]
  if (found) return failed(`${found[1]} (${code || status})`, found[2], found[0])
  return failed(
    `Storage refused the file with ${status}${code ? ` ${code}` : ''}${message ? `: ${message}` : ''}.`,
    'Check that the access key of the service can write to the uploads bucket, and how a proxy in front of storage handles requests.',
    'storage-refused',
  )
}
export function parseStorageError(status: number, body: string): StorageErrorResponse {
  const within = (tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(body)?.[1] ?? ''
  return { status, code: within('Code'), message: within('Message') }
}

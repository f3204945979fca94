/** What storage's refusals mean, and who mends them. */
import { fault, type Verdict } from './finding.ts'

export type Refusal = { readonly status: number; readonly code: string; readonly message: string }

const known: Record<string, readonly [name: string, detail: string, cure: string]> = {
  SignatureDoesNotMatch: [
    'storage-signature',
    'Storage knows the service’s key, but with another secret.',
    'Set STORAGE_SECRET_ACCESS_KEY of the API and the workers to the secret of that key. If it is right, a proxy in front of storage changes requests: it must leave the Host header as it is.',
  ],
  AccessDenied: [
    'storage-signature',
    'Storage knows the service’s key and refuses what it has signed: it has another secret for it, or the key may not write to the bucket.',
    'Set STORAGE_SECRET_ACCESS_KEY of the API and the workers to the secret of that key, and let the key write to STORAGE_UPLOADS_BUCKET; `--operations` tells which of the two it is.',
  ],
  InvalidAccessKeyId: [
    'storage-key',
    'Storage does not know the service’s key.',
    'Set STORAGE_ACCESS_KEY_ID of the API and the workers to a key of this storage; see that STORAGE_PUBLIC_ENDPOINT leads to the same storage as STORAGE_ENDPOINT.',
  ],
  NoSuchBucket: [
    'storage-bucket',
    'Storage has no bucket for uploads.',
    'Run node server/src/main/setup-storage.ts with the API’s settings; see that STORAGE_UPLOADS_BUCKET is the same in both.',
  ],
  RequestTimeTooSkewed: [
    'storage-clock',
    'Storage refuses the signature because of its time: clocks are more than 15 minutes apart.',
    'Keep the clocks of storage, Postgres and the API by NTP.',
  ],
  ExpiredToken: [
    'storage-clock',
    'Storage says that the signature has expired, a moment after it was made.',
    'Keep the clocks of storage, Postgres and the API by NTP.',
  ],
  EntityTooLarge: [
    'storage-limit',
    'Storage, or a proxy in front of it, refuses a file of some kilobytes for its size.',
    'Raise the limit of the proxy (nginx: client_max_body_size 0).',
  ],
}

/** Some storages know no POST policies. */
export const isWithoutForms = ({ status }: Refusal) => status === 405 || status === 501

export function explainRefusal(refusal: Refusal): Verdict {
  const { status, code, message } = refusal
  const expired = /policy expired|request has expired/i.test(message) ? 'ExpiredToken' : undefined
  const found = known[expired ?? (status === 413 ? 'EntityTooLarge' : code)]
  if (found) return fault(`${found[1]} (${code || status})`, found[2], found[0])
  return fault(
    `Storage refused the file with ${status}${code ? ` ${code}` : ''}${message ? `: ${message}` : ''}.`,
    'See that the service’s key may write to its uploads bucket, and what a proxy in front of storage does.',
    'storage-refused',
  )
}

/** Storage speaks XML. */
export function refusalIn(status: number, body: string): Refusal {
  const within = (tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(body)?.[1] ?? ''
  return { status, code: within('Code'), message: within('Message') }
}

/**
 * The signed form for uploading a file directly to storage (S3 POST policy).
 *
 * Built here because our specification lists the fields of the form exactly, and storage refuses a form with a
 * field that the policy does not name. The signing key is derived by AWS's library.
 */
import { createHmac } from 'node:crypto'
import { Hash } from '@smithy/hash-node'
import { createScope, getSigningKey } from '@smithy/signature-v4'
import type { Timestamp } from '../../kernel/time.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'
const Sha256 = Hash.bind(null, 'sha256')

export type FormSigner = {
  readonly link: string
  readonly bucket: string
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

export type FormOptions = {
  readonly key: string
  readonly bytesMax: number
  /** Time of the signature by the database's clock, like the expiry. */
  readonly signedAt: Timestamp
  readonly expiresAt: Timestamp
}

/** The form's URL and fields, with S3's field names. */
export type SignedForm = {
  readonly link: string
  readonly fields: {
    readonly key: string
    readonly 'x-amz-algorithm': string
    readonly 'x-amz-credential': string
    readonly 'x-amz-date': string
    readonly policy: string
    readonly 'x-amz-signature': string
  }
}

export async function signForm(
  { link, bucket, region, credentials }: FormSigner,
  { key, bytesMax, signedAt, expiresAt }: FormOptions,
): Promise<SignedForm> {
  const date = compact(signedAt)
  const day = date.slice(0, 8)
  const credential = `${credentials.accessKeyId}/${createScope(day, region, 's3')}`
  const policy = encode({
    expiration: toMilliseconds(expiresAt),
    conditions: [
      { bucket },
      { key },
      { 'x-amz-algorithm': ALGORITHM },
      { 'x-amz-credential': credential },
      { 'x-amz-date': date },
      ['content-length-range', 1, bytesMax],
    ],
  })
  const signingKey = await getSigningKey(Sha256, credentials, day, region, 's3')
  return {
    link,
    fields: {
      key,
      'x-amz-algorithm': ALGORITHM,
      'x-amz-credential': credential,
      'x-amz-date': date,
      policy,
      'x-amz-signature': createHmac('sha256', signingKey).update(policy).digest('hex'),
    },
  }
}

const encode = (policy: object) => Buffer.from(JSON.stringify(policy)).toString('base64')

/** Formats a time like 20261115T093000Z. */
const compact = (time: Timestamp) => `${time.slice(0, 19).replace(/[-:]/g, '')}Z`

/** Formats a time with milliseconds for storage. The time is truncated, so that the form never outlives the session. */
const toMilliseconds = (time: Timestamp) => `${time.slice(0, 23)}Z`

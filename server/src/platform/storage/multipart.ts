/** Objects that arrive in parts (S3's multipart uploads). */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Timestamp } from '../../kernel/time.ts'
import { unlessAbsent } from './availability.ts'
import { PAGES_MAX } from './client.ts'
import { unquoted } from './etag.ts'

export type StoredPart = { readonly number: number; readonly bytes: number; readonly etag: string }

/** A part as storage will take it: this many bytes, no more and no less. */
export type PartWish = { readonly number: number; readonly bytes: number }

/** Under a key, by storage's own name for it. */
export type MultipartUpload = { readonly key: string; readonly uploadId: string }

export class MultipartUploads {
  readonly #bucket: string
  readonly #client: S3Client
  readonly #publicClient: S3Client

  /** `publicClient` signs addresses that callers use: the host is part of what is signed. */
  constructor(bucket: string, client: S3Client, publicClient: S3Client) {
    this.#bucket = bucket
    this.#client = client
    this.#publicClient = publicClient
  }

  async begin(key: string): Promise<MultipartUpload> {
    const { UploadId } = await this.#client.send(
      new CreateMultipartUploadCommand({ Bucket: this.#bucket, Key: key }),
    )
    if (!UploadId) throw new Error('Storage opened an upload without a name')
    return { key, uploadId: UploadId }
  }

  /** An address that takes this part and nothing else. Storage refuses another number of bytes. */
  sign(
    upload: MultipartUpload,
    part: PartWish,
    life: { readonly from: Timestamp; readonly seconds: number },
  ): Promise<string> {
    const command = new UploadPartCommand({
      ...this.#named(upload),
      PartNumber: part.number,
      ContentLength: part.bytes,
    })
    return getSignedUrl(this.#publicClient, command, {
      signingDate: new Date(life.from),
      expiresIn: life.seconds,
      signableHeaders: new Set(['content-length', 'host']),
    })
  }

  /** What has arrived, by number; undefined when storage no longer knows the upload. */
  async list(upload: MultipartUpload): Promise<StoredPart[] | undefined> {
    const parts: StoredPart[] = []
    let marker: string | undefined
    for (let page = 0; page < PAGES_MAX; page++) {
      const command = new ListPartsCommand({ ...this.#named(upload), PartNumberMarker: marker })
      const answer = await unlessAbsent(this.#client.send(command))
      if (!answer) return undefined
      for (const { PartNumber = 0, Size = 0, ETag = '' } of answer.Parts ?? []) {
        parts.push({ number: PartNumber, bytes: Size, etag: unquoted(ETag) })
      }
      if (!answer.IsTruncated) break
      marker = answer.NextPartNumberMarker
    }
    return parts
  }

  /**
   * Makes one object of the parts. An upload that is gone has been joined or given up before; of one that
   * somebody else is joining it tells so.
   */
  async join(
    upload: MultipartUpload,
    parts: readonly StoredPart[],
  ): Promise<'joined' | 'under way'> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
    const command = new CompleteMultipartUploadCommand({
      ...this.#named(upload),
      MultipartUpload: { Parts },
    })
    try {
      await unlessAbsent(this.#client.send(command))
      return 'joined'
    } catch (error) {
      if (isUnderWay(error)) return 'under way'
      throw error
    }
  }

  async abort(upload: MultipartUpload): Promise<void> {
    await unlessAbsent(this.#client.send(new AbortMultipartUploadCommand(this.#named(upload))))
  }

  /** Gives up every upload under the prefix. */
  async abortAll(prefix: string): Promise<void> {
    for (let page = 0; page < PAGES_MAX; page++) {
      const { Uploads = [] } = await this.#client.send(
        new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix }),
      )
      if (Uploads.length === 0) return
      for (const { Key = '', UploadId = '' } of Uploads) {
        await this.abort({ key: Key, uploadId: UploadId })
      }
    }
  }

  #named({ key, uploadId }: MultipartUpload) {
    return { Bucket: this.#bucket, Key: key, UploadId: uploadId }
  }
}

/** Ceph's words for it; its status is that of a fault. */
const isUnderWay = (error: unknown) =>
  error instanceof S3ServiceException && error.message.includes('already in progress')

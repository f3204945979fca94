/** S3 multipart uploads. */
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
import { undefinedIfNotFound } from './availability.ts'
import { PAGES_MAX, unquoted } from './client.ts'

export type StoredPart = { readonly number: number; readonly bytes: number; readonly etag: string }

/** A part to upload; storage accepts exactly this many bytes. */
export type PartOptions = { readonly number: number; readonly bytes: number }

export type MultipartUpload = { readonly key: string; readonly uploadId: string }

export class MultipartUploads {
  readonly #bucket: string
  readonly #client: S3Client
  readonly #publicClient: S3Client

  /** `publicClient` signs the URLs for clients: the host is part of the signature. */
  constructor(bucket: string, client: S3Client, publicClient: S3Client) {
    this.#bucket = bucket
    this.#client = client
    this.#publicClient = publicClient
  }

  async begin(key: string): Promise<MultipartUpload> {
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand({ Bucket: this.#bucket, Key: key }))
    if (!UploadId) throw new Error('Storage returned no upload id')
    return { key, uploadId: UploadId }
  }

  /** Returns a signed URL for one part. Storage refuses any other number of bytes. */
  sign(
    upload: MultipartUpload,
    part: PartOptions,
    validity: { readonly from: Timestamp; readonly seconds: number },
  ): Promise<string> {
    const command = new UploadPartCommand({
      ...this.#named(upload),
      PartNumber: part.number,
      ContentLength: part.bytes,
    })
    return getSignedUrl(this.#publicClient, command, {
      signingDate: new Date(validity.from),
      expiresIn: validity.seconds,
      signableHeaders: new Set(['content-length', 'host']),
    })
  }

  /** The uploaded parts by number; undefined if the upload no longer exists. */
  async list(upload: MultipartUpload): Promise<StoredPart[] | undefined> {
    const parts: StoredPart[] = []
    let marker: string | undefined
    for (let page = 0; page < PAGES_MAX; page++) {
      const command = new ListPartsCommand({ ...this.#named(upload), PartNumberMarker: marker })
      const response = await undefinedIfNotFound(this.#client.send(command))
      if (!response) return undefined
      for (const { PartNumber = 0, Size = 0, ETag = '' } of response.Parts ?? []) {
        parts.push({ number: PartNumber, bytes: Size, etag: unquoted(ETag) })
      }
      if (!response.IsTruncated) break
      marker = response.NextPartNumberMarker
    }
    return parts
  }

  /**
   * Completes the upload. If the upload does not exist, it was completed or aborted before. Returns `in progress` if
   * another request is completing it.
   */
  async join(upload: MultipartUpload, parts: readonly StoredPart[]): Promise<'joined' | 'in progress'> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
    const command = new CompleteMultipartUploadCommand({
      ...this.#named(upload),
      MultipartUpload: { Parts },
    })
    try {
      await undefinedIfNotFound(this.#client.send(command))
      return 'joined'
    } catch (error) {
      if (isCompletionInProgress(error)) return 'in progress'
      throw error
    }
  }

  async abort(upload: MultipartUpload): Promise<void> {
    await undefinedIfNotFound(this.#client.send(new AbortMultipartUploadCommand(this.#named(upload))))
  }

  /** Aborts every upload under the prefix. */
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

/** Ceph reports a completion in progress as a server error with this message. */
const isCompletionInProgress = (error: unknown) =>
  error instanceof S3ServiceException && error.message.includes('already in progress')

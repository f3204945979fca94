import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { undefinedIfNotFound } from './availability.ts'

type ObjectLocation = { readonly Bucket: string; readonly Key: string }

/** S3's limit of parts per object. */
const PARTS_MAX = 10_000
const PART_BYTES_MIN = 16 * 2 ** 20

/** Returns the part size for an object of the given size. */
export const partBytesFor = (bytes: number) => Math.max(PART_BYTES_MIN, Math.ceil(bytes / PARTS_MAX))

/** Writes an object by multipart upload. It becomes visible with `finish`; disposing earlier aborts the upload. */
export class PartsWriter implements AsyncDisposable {
  readonly #client: S3Client
  readonly #upload: ObjectLocation & { readonly UploadId: string | undefined }
  readonly #signal: AbortSignal
  readonly #parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = []
  #isFinished = false

  private constructor(
    client: S3Client,
    upload: ObjectLocation & { UploadId: string | undefined },
    signal: AbortSignal,
  ) {
    this.#client = client
    this.#upload = upload
    this.#signal = signal
  }

  static async open(
    client: S3Client,
    location: ObjectLocation,
    type: string | undefined,
    signal: AbortSignal,
  ): Promise<PartsWriter> {
    const command = new CreateMultipartUploadCommand({ ...location, ContentType: type })
    const { UploadId } = await client.send(command, { abortSignal: signal })
    return new PartsWriter(client, { ...location, UploadId }, signal)
  }

  /** Uploads the next part; storage verifies the MD5 hash. */
  async write(body: Buffer): Promise<void> {
    const PartNumber = this.#parts.length + 1
    const part = { ...this.#upload, PartNumber, Body: body }
    const ContentMD5 = createHash('md5').update(body).digest('base64')
    const { ETag } = await this.#client.send(new UploadPartCommand({ ...part, ContentMD5 }), {
      abortSignal: this.#signal,
    })
    this.#parts.push({ PartNumber, ETag })
  }

  async finish(): Promise<void> {
    const whole = { ...this.#upload, MultipartUpload: { Parts: this.#parts } }
    await this.#client.send(new CompleteMultipartUploadCommand(whole), {
      abortSignal: this.#signal,
    })
    this.#isFinished = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFinished) return
    await undefinedIfNotFound(this.#client.send(new AbortMultipartUploadCommand(this.#upload)))
  }
}

import {
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { unlessAbsent } from './availability.ts'
import { openClient, PAGES_MAX, type StorageOptions } from './client.ts'
import { assertPrefix, deleteObjects, PAGES_FREED_MAX } from './deletion.ts'
import { unquoted } from './etag.ts'
import { MultipartUploads } from './multipart.ts'
import { type FormSigner, type FormWish, type SignedForm, signForm } from './post-form.ts'

/** One version of one object: what was there stays readable under it, whatever is posted later. */
export type StoredObject = {
  readonly key: string
  readonly version: string
  readonly etag: string
  readonly bytes: number
}

/** The bucket that files are uploaded to. Their bytes go between the caller and storage only. */
export class UploadsBucket implements Disposable {
  readonly #bucket: string
  readonly #client: S3Client
  readonly #publicClient: S3Client
  readonly #signer: FormSigner
  /** Files that are sent in parts. */
  readonly multipart: MultipartUploads

  constructor(options: StorageOptions) {
    this.#bucket = options.uploadsBucket
    this.#client = openClient(options.endpoint, options)
    this.#publicClient = openClient(options.publicEndpoint, options)
    this.multipart = new MultipartUploads(this.#bucket, this.#client, this.#publicClient)
    this.#signer = {
      link: `${options.publicEndpoint}/${options.uploadsBucket}`,
      bucket: options.uploadsBucket,
      region: options.region,
      credentials: options,
    }
  }

  /** What is wrong with the bucket, as a sentence for the operator; undefined when nothing is. */
  async fault(): Promise<string | undefined> {
    const asked = this.#client.send(new GetBucketVersioningCommand({ Bucket: this.#bucket }))
    const { Status } = (await asked.catch(noBucket)) ?? { Status: 'none' }
    if (Status === 'none') return `There is no bucket ${this.#bucket}. Run setup-storage.`
    return Status === 'Enabled' ? undefined : NO_VERSIONS
  }

  signForm(wish: FormWish): Promise<SignedForm> {
    return signForm(this.#signer, wish)
  }

  /**
   * Whether anything is stored under the key. Cheaper than listing versions, but its "no" is no proof: storage
   * answers the same when the whole bucket is missing.
   */
  async exists(key: string): Promise<boolean> {
    const asked = this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }))
    return (await unlessAbsent(asked)) !== undefined
  }

  /**
   * The object that was stored first under the key. With a form that is posted twice, both uploads may be
   * there; which one counts must not depend on who looks when. One that is not wanted counts only if no other is
   * there. Fails if there is no such bucket, or it does not keep versions.
   */
  async findFirst(
    key: string,
    isWanted: (stored: StoredObject) => boolean,
  ): Promise<StoredObject | undefined> {
    let [first, firstWanted]: (StoredObject | undefined)[] = []
    for await (const page of this.#versions(key)) {
      // Of one key the newest version comes first.
      for (const stored of storedIn(page)) {
        if (stored.key !== key) continue
        first = stored
        if (isWanted(stored)) firstWanted = stored
      }
    }
    return firstWanted ?? first
  }

  /** Bytes of one version: `start` is the first, `end` the first one no longer read. */
  async read(
    { key, version }: Pick<StoredObject, 'key' | 'version'>,
    { start, end }: { readonly start: number; readonly end: number },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const part = {
      Bucket: this.#bucket,
      Key: key,
      VersionId: version,
      Range: `bytes=${start}-${end - 1}`,
    }
    const { Body } = await this.#client.send(new GetObjectCommand(part), { abortSignal: signal })
    if (!Body) throw new Error('Storage answered without the bytes that were asked for')
    return Body as AsyncIterable<Uint8Array>
  }

  /**
   * Deletes every version of every object under the prefix but one, and what parts lie there. Answers whether that
   * was all: of very many, some are left for another call.
   */
  async free(prefix: string, kept?: { key: string; version: string }): Promise<boolean> {
    assertPrefix(prefix)
    await this.multipart.abortAll(prefix)
    for (let round = 0; round < PAGES_FREED_MAX; round++) {
      // Always from the start: storage does not find its way on from a version that has just been deleted.
      const doomed = await this.#firstDoomed(prefix, kept)
      if (doomed.length === 0) return true
      await deleteObjects(this.#client, this.#bucket, doomed)
    }
    return false
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
    this.#publicClient.destroy()
  }

  async #firstDoomed(prefix: string, kept?: { key: string; version: string }) {
    for await (const { Versions = [], DeleteMarkers = [] } of this.#versions(prefix)) {
      const doomed = [...Versions, ...DeleteMarkers]
        .map(({ Key = '', VersionId = 'null' }) => ({ Key, VersionId }))
        .filter(({ Key, VersionId }) => Key !== kept?.key || VersionId !== kept.version)
      if (doomed.length > 0) return doomed
    }
    return []
  }

  async *#versions(prefix: string): AsyncGenerator<ListObjectVersionsCommandOutput> {
    let from = {}
    for (let page = 0; page < PAGES_MAX; page++) {
      const answer = await this.#client.send(
        new ListObjectVersionsCommand({ Bucket: this.#bucket, Prefix: prefix, ...from }),
      )
      yield answer
      if (!answer.IsTruncated) return
      from = { KeyMarker: answer.NextKeyMarker, VersionIdMarker: answer.NextVersionIdMarker }
    }
  }
}

function storedIn({ Versions = [] }: ListObjectVersionsCommandOutput): StoredObject[] {
  return Versions.map(({ Key = '', VersionId = 'null', ETag = '', Size = 0 }) => {
    // Without versions a form that is posted again would replace a file that has been taken.
    if (VersionId === 'null') throw new Error(NO_VERSIONS)
    return { key: Key, version: VersionId, etag: unquoted(ETag), bytes: Size }
  })
}

const NO_VERSIONS =
  'The uploads bucket does not keep versions, so nothing in it is safe. Run setup-storage.'

function noBucket(error: Error): undefined {
  if (error.name !== 'NoSuchBucket') throw error
}

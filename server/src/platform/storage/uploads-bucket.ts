import {
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { unlessAbsent } from './availability.ts'
import { BucketObjects } from './bucket-objects.ts'
import { openClient, openWatchedClient, type StorageOptions } from './client.ts'
import { assertPrefix, deleteObjects, PAGES_FREED_MAX } from './deletion.ts'
import { NO_VERSION, objectsUnder, type StoredObject, versionsUnder } from './listing.ts'
import { MultipartUploads } from './multipart.ts'
import { type FormSigner, type FormWish, type SignedForm, signForm } from './post-form.ts'

export type { StoredObject }

type Pinned = Pick<StoredObject, 'key' | 'version'>

/** The bucket that files are uploaded to. Their bytes go between the caller and storage only. */
export class UploadsBucket implements Disposable {
  readonly #bucket: string
  readonly #keepsVersions: boolean
  readonly #client: S3Client
  readonly #publicClient: S3Client
  readonly #signer: FormSigner
  /** Files that are sent in parts. */
  readonly multipart: MultipartUploads
  /** What lies in it, for whoever counts or copies it. */
  readonly objects: BucketObjects

  constructor(options: StorageOptions) {
    this.#bucket = options.uploadsBucket
    this.#keepsVersions = options.keepsVersions
    this.#client = openWatchedClient(options.endpoint, options)
    this.#publicClient = openClient(options.publicEndpoint, options)
    this.multipart = new MultipartUploads(this.#bucket, this.#client, this.#publicClient)
    this.objects = new BucketObjects(this.#bucket, this.#client, this.#keepsVersions)
    this.#signer = {
      link: `${options.publicEndpoint}/${options.uploadsBucket}`,
      bucket: options.uploadsBucket,
      region: options.region,
      credentials: options,
    }
  }

  /** What is wrong with the bucket, as a sentence for the operator; undefined when nothing is. */
  async fault(): Promise<string | undefined> {
    const missing = `There is no bucket ${this.#bucket}. Run setup-storage.`
    if (!this.#keepsVersions) {
      const asked = this.#client.send(new HeadBucketCommand(this.#named))
      return (await unlessAbsent(asked)) === undefined ? missing : undefined
    }
    const asked = this.#client.send(new GetBucketVersioningCommand(this.#named))
    const { Status } = (await asked.catch(noBucket)) ?? { Status: 'none' }
    if (Status === 'none') return missing
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
    const asked = this.#client.send(new HeadObjectCommand({ ...this.#named, Key: key }))
    return (await unlessAbsent(asked)) !== undefined
  }

  /**
   * The object that was stored first under the key. With a form that is posted twice, both uploads may be
   * there; which one counts must not depend on who looks when. One that is not wanted counts only if no other is
   * there. Fails if there is no such bucket, or it does not keep versions although it should.
   */
  async findFirst(
    key: string,
    isWanted: (stored: StoredObject) => boolean,
  ): Promise<StoredObject | undefined> {
    let [first, firstWanted]: (StoredObject | undefined)[] = []
    for await (const { objects } of this.#listing(key)) {
      for (const stored of objects) {
        // Without versions a form that is posted again would replace a file that has been taken.
        if (this.#keepsVersions && stored.version === NO_VERSION) throw new Error(NO_VERSIONS)
        if (stored.key !== key) continue
        first = stored
        if (isWanted(stored)) firstWanted = stored
      }
    }
    return firstWanted ?? first
  }

  /** Bytes of what was pinned: `start` is the first, `end` the first one no longer read. */
  async read(
    { key, version, etag }: Pinned & Pick<StoredObject, 'etag'>,
    { start, end }: { readonly start: number; readonly end: number },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    // An object without a version is known by its content; nothing may have taken its place.
    const pinned = version === NO_VERSION ? { IfMatch: `"${etag}"` } : { VersionId: version }
    const part = { ...this.#named, Key: key, ...pinned, Range: `bytes=${start}-${end - 1}` }
    const { Body } = await this.#client.send(new GetObjectCommand(part), { abortSignal: signal })
    if (!Body) throw new Error('Storage answered without the bytes that were asked for')
    return Body as AsyncIterable<Uint8Array>
  }

  /**
   * Deletes every version of every object under the prefix but one, and what parts lie there. Answers whether that
   * was all: of very many, some are left for another call.
   */
  async free(prefix: string, kept?: Pinned): Promise<boolean> {
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

  get #named() {
    return { Bucket: this.#bucket }
  }

  async #firstDoomed(prefix: string, kept?: Pinned) {
    for await (const { objects, marks } of this.#listing(prefix)) {
      const doomed = [...objects, ...marks].filter(
        ({ key, version }) => key !== kept?.key || version !== kept.version,
      )
      if (doomed.length > 0) return doomed.map((stored) => this.#nameOf(stored))
    }
    return []
  }

  #nameOf({ key, version }: Pinned) {
    return this.#keepsVersions ? { Key: key, VersionId: version } : { Key: key }
  }

  #listing(prefix: string) {
    const place = { client: this.#client, bucket: this.#bucket, prefix }
    return this.#keepsVersions ? versionsUnder(place) : objectsUnder(place)
  }
}

const NO_VERSIONS =
  'The uploads bucket does not keep versions, so nothing in it is safe. Run setup-storage.'

function noBucket(error: Error): undefined {
  if (error.name !== 'NoSuchBucket') throw error
}

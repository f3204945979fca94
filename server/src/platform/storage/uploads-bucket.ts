import {
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { undefinedIfNotFound } from './availability.ts'
import { BucketObjects } from './bucket-objects.ts'
import { openClient, openInstrumentedClient, type StorageOptions, withUploadKey } from './client.ts'
import { assertPrefix, deleteObjects, PAGES_DELETED_MAX } from './deletion.ts'
import { NO_VERSION, objectsUnder, type StoredObject, versionsUnder } from './listing.ts'
import { MultipartUploads } from './multipart.ts'
import { type FormOptions, type FormSigner, type SignedForm, signForm } from './post-form.ts'

export type { StoredObject }

type ObjectVersion = Pick<StoredObject, 'key' | 'version'>

/** The bucket for uploaded files. Clients send the bytes directly to storage. */
export class UploadsBucket implements Disposable {
  readonly #bucket: string
  readonly #keepsVersions: boolean
  readonly #client: S3Client
  readonly #publicClient: S3Client
  /** Signs links for clients with the main key: the upload key may not read. */
  readonly #linkClient: S3Client
  readonly #signer: FormSigner
  readonly multipart: MultipartUploads
  /** Generic access for counting and copying objects. */
  readonly objects: BucketObjects

  constructor(options: StorageOptions) {
    this.#bucket = options.uploadsBucket
    this.#keepsVersions = options.keepsVersions
    this.#client = openInstrumentedClient(options.endpoint, options)
    const signing = withUploadKey(options)
    this.#publicClient = openClient(options.publicEndpoint, signing)
    this.#linkClient = openClient(options.publicEndpoint, options)
    this.multipart = new MultipartUploads(this.#bucket, this.#client, this.#publicClient)
    this.objects = new BucketObjects(this.#bucket, this.#client, this.#keepsVersions)
    this.#signer = {
      link: `${options.publicEndpoint}/${options.uploadsBucket}`,
      bucket: options.uploadsBucket,
      region: options.region,
      credentials: signing,
    }
  }

  /** Returns a message for the operator if the bucket is missing or lacks versioning. */
  async configurationError(): Promise<string | undefined> {
    const missing = `The bucket ${this.#bucket} does not exist. Run setup-storage.`
    if (!this.#keepsVersions) {
      const request = this.#client.send(new HeadBucketCommand(this.#named))
      return (await undefinedIfNotFound(request)) === undefined ? missing : undefined
    }
    const request = this.#client.send(new GetBucketVersioningCommand(this.#named))
    const { Status } = (await request.catch(undefinedIfNoBucket)) ?? { Status: 'none' }
    if (Status === 'none') return missing
    return Status === 'Enabled' ? undefined : NO_VERSIONS
  }

  signForm(options: FormOptions): Promise<SignedForm> {
    return signForm(this.#signer, options)
  }

  /**
   * Whether an object exists. Cheaper than listing versions, but false is no proof: storage responds the same if
   * the bucket is missing.
   */
  async exists(key: string): Promise<boolean> {
    const request = this.#client.send(new HeadObjectCommand({ ...this.#named, Key: key }))
    return (await undefinedIfNotFound(request)) !== undefined
  }

  /** Whether this version of an object exists. */
  async hasVersion({ key, version }: ObjectVersion): Promise<boolean> {
    const name = this.#nameOf({ key, version })
    return (
      (await undefinedIfNotFound(this.#client.send(new HeadObjectCommand({ ...this.#named, ...name })))) !== undefined
    )
  }

  /**
   * Returns the object that was stored first under the key. A form may be posted twice; the result must not depend on
   * the time of the check. An object for which `isWanted` returns false is returned only if there is no other. Throws
   * if the bucket is missing or lacks required versioning.
   */
  async findFirst(key: string, isWanted: (stored: StoredObject) => boolean): Promise<StoredObject | undefined> {
    let [first, firstWanted]: (StoredObject | undefined)[] = []
    for await (const { objects } of this.#listing(key)) {
      for (const stored of objects) {
        // Without versioning, posting a form again would replace an accepted file.
        if (this.#keepsVersions && stored.version === NO_VERSION) throw new Error(NO_VERSIONS)
        if (stored.key !== key) continue
        first = stored
        if (isWanted(stored)) firstWanted = stored
      }
    }
    return firstWanted ?? first
  }

  /** Reads bytes of one version: `start` is inclusive, `end` exclusive. */
  async read(
    { key, version, etag }: ObjectVersion & Pick<StoredObject, 'etag'>,
    { start, end }: { readonly start: number; readonly end: number },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    // Without versioning the ETag ensures that the object was not replaced.
    const condition = version === NO_VERSION ? { IfMatch: `"${etag}"` } : { VersionId: version }
    const part = { ...this.#named, Key: key, ...condition, Range: `bytes=${start}-${end - 1}` }
    const { Body } = await this.#client.send(new GetObjectCommand(part), { abortSignal: signal })
    if (!Body) throw new Error('Storage returned no body')
    return Body as AsyncIterable<Uint8Array>
  }

  /** Returns a link to this version of an object, which browsers save as a file. */
  signDownload(
    { key, version }: ObjectVersion,
    { disposition, seconds }: { readonly disposition: string; readonly seconds: number },
  ): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#named,
      Key: key,
      ...(version === NO_VERSION ? {} : { VersionId: version }),
      ResponseContentDisposition: disposition,
      // The client that uploaded the file chose its type.
      ResponseContentType: 'application/octet-stream',
    })
    return getSignedUrl(this.#linkClient, command, { expiresIn: seconds })
  }

  /**
   * Deletes all versions of all objects under the prefix except `kept`, and aborts the uploads there. Returns false
   * if some are left because there were too many for one call.
   */
  async deleteAll(prefix: string, kept?: ObjectVersion): Promise<boolean> {
    assertPrefix(prefix)
    await this.multipart.abortAll(prefix)
    for (let round = 0; round < PAGES_DELETED_MAX; round++) {
      // Lists from the start in every round, because storage cannot continue a listing from a deleted version.
      const toDelete = await this.#nextToDelete(prefix, kept)
      if (toDelete.length === 0) return true
      await deleteObjects(this.#client, this.#bucket, toDelete)
    }
    return false
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
    this.#publicClient.destroy()
    this.#linkClient.destroy()
  }

  get #named() {
    return { Bucket: this.#bucket }
  }

  async #nextToDelete(prefix: string, kept?: ObjectVersion) {
    for await (const { objects, deleteMarkers } of this.#listing(prefix)) {
      const toDelete = [...objects, ...deleteMarkers].filter(
        ({ key, version }) => key !== kept?.key || version !== kept.version,
      )
      if (toDelete.length > 0) return toDelete.map((stored) => this.#nameOf(stored))
    }
    return []
  }

  #nameOf({ key, version }: ObjectVersion) {
    return this.#keepsVersions ? { Key: key, VersionId: version } : { Key: key }
  }

  #listing(prefix: string) {
    const location = { client: this.#client, bucket: this.#bucket, prefix }
    return this.#keepsVersions ? versionsUnder(location) : objectsUnder(location)
  }
}

const NO_VERSIONS =
  'Versioning is disabled on the uploads bucket, so an upload could replace a file. Run setup-storage.'

function undefinedIfNoBucket(error: Error): undefined {
  if (error.name !== 'NoSuchBucket') throw error
}

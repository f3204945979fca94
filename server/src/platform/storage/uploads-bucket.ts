import {
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectIdentifier,
  type S3Client,
} from '@aws-sdk/client-s3'
import { unlessAbsent } from './availability.ts'
import { openClient, PAGES_MAX, type StorageOptions } from './client.ts'
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
   * there; which one counts must not depend on who looks when. Fails if there is no such bucket.
   */
  async findFirst(key: string): Promise<StoredObject | undefined> {
    let first: StoredObject | undefined
    for await (const page of this.#versions(key)) {
      // Of one key the newest version comes first.
      first = storedIn(page).findLast((stored) => stored.key === key) ?? first
    }
    return first
  }

  /** Deletes every version of every object under the prefix but one, and what parts lie there. */
  async free(prefix: string, kept?: { key: string; version: string }): Promise<void> {
    if (prefix === '') throw new Error('Refusing to free the whole bucket')
    await this.multipart.abortAll(prefix)
    for await (const page of this.#versions(prefix)) {
      const doomed = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]
        .map(({ Key = '', VersionId = 'null' }) => ({ Key, VersionId }))
        .filter(({ Key, VersionId }) => Key !== kept?.key || VersionId !== kept.version)
      await this.#delete(doomed)
    }
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
    this.#publicClient.destroy()
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

  async #delete(Objects: ObjectIdentifier[]): Promise<void> {
    if (Objects.length === 0) return
    const { Errors = [] } = await this.#client.send(
      new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
    )
    const [fault] = Errors
    if (fault) throw new Error(`Storage did not delete ${fault.Key}: ${fault.Code}`)
  }
}

const storedIn = ({ Versions = [] }: ListObjectVersionsCommandOutput): StoredObject[] =>
  Versions.map(({ Key = '', VersionId = 'null', ETag = '', Size = 0 }) => ({
    key: Key,
    version: VersionId,
    etag: unquoted(ETag),
    bytes: Size,
  }))

import type { WorkerContext } from '@reelkeep/server/main/wiring/context.ts'
import { readWorkerConfig } from '@reelkeep/server/platform/config/env.ts'
import { resetDatabase, type StackEnv, stackEnv, withDatabase } from '../processes/stack.ts'
import { HttpProxy } from '../proxy/http-proxy.ts'
import { Objects } from '../storage/objects.ts'
import { partsOnly, partsOnlyRule, setUpUploads } from '../storage/storage.ts'
import { Superuser } from '../superuser.ts'
import { TestApi } from '../test-api.ts'

/** A session as stored, and the state of its asset. */
export type SessionRow = {
  readonly status: string
  /** Seconds until the next check; null if there is none. */
  readonly lookInSeconds: number | null
  readonly closesInSeconds: number
  readonly assetStatus: string
  readonly assetError: string | null
  readonly completions: number
}

type Swept = {
  readonly checks: number
  readonly failures: number
  /** Sessions whose check failed. */
  readonly failed: string[]
}

/**
 * Uploads with their own database and bucket, and the worker's sweep in this process. A test decides when the sweep
 * runs and how much time has passed.
 */
export class UploadFixture implements AsyncDisposable {
  readonly testApi: TestApi
  readonly objects: Objects
  /** Between the worker and storage; the API and the callers reach storage directly. */
  readonly storageProxy: HttpProxy
  readonly superuser: Superuser
  readonly #worker: WorkerContext

  private constructor(
    parts: Pick<UploadFixture, 'testApi' | 'objects' | 'storageProxy' | 'superuser'> & {
      readonly worker: WorkerContext
    },
  ) {
    this.testApi = parts.testApi
    this.objects = parts.objects
    this.storageProxy = parts.storageProxy
    this.superuser = parts.superuser
    this.#worker = parts.worker
  }

  /** `purpose` names the database and the bucket. */
  static async open(purpose: string): Promise<UploadFixture> {
    const env = withDatabase(stackEnv(), purpose)
    return UploadFixture.#build(env, await HttpProxy.open(env.STORAGE_ENDPOINT), purpose)
  }

  /** Opens the fixture with storage that supports neither forms nor versions. The API and clients use the proxy. */
  static async openInParts(purpose: string): Promise<UploadFixture> {
    const env = withDatabase(stackEnv(), purpose)
    const storageProxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
    storageProxy.rules = [partsOnlyRule]
    return UploadFixture.#build(
      { ...env, STORAGE_ENDPOINT: storageProxy.url },
      storageProxy,
      purpose,
      partsOnly,
    )
  }

  static async #build(
    env: StackEnv,
    storageProxy: HttpProxy,
    purpose: string,
    settings: Record<string, string> = {},
  ): Promise<UploadFixture> {
    const bucket = {
      STORAGE_UPLOADS_BUCKET: `reelkeep-${purpose}`,
      STORAGE_MEDIA_BUCKET: `reelkeep-${purpose}-media`,
      ...settings,
    }
    await Promise.all([resetDatabase(env), setUpUploads(env, bucket)])
    const config = readWorkerConfig({
      ...env,
      ...bucket,
      LOG_LEVEL: 'silent',
      STORAGE_ENDPOINT: storageProxy.url,
    })
    const { openWorkerContext } = await import('@reelkeep/server/main/wiring/context.ts')
    return new UploadFixture({
      testApi: await TestApi.open(bucket, env),
      objects: new Objects(env, bucket.STORAGE_UPLOADS_BUCKET),
      storageProxy,
      superuser: await Superuser.open(env),
      worker: openWorkerContext(config),
    })
  }

  async sweep(): Promise<Swept> {
    const { sweep } = await import('@reelkeep/server/modules/upload-sessions/sweep/upload-sweep.ts')
    const { uploads, database } = this.#worker
    const failed: string[] = []
    const onFailure = (_: unknown, { uuid }: { readonly uuid: string }) => failed.push(uuid)
    const swept = await sweep(uploads, database, new AbortController().signal, onFailure)
    return { ...swept, failed }
  }

  /** The worker's metrics. */
  metrics(): Promise<string> {
    return this.#worker.metrics.exposition()
  }

  /** Moves these sessions, and no others, this many seconds into the past. */
  async pass(seconds: number, ...uuids: readonly string[]): Promise<void> {
    await this.superuser.query(
      `update upload_sessions set created_at = created_at - past, expires_at = expires_at - past,
         closes_at = closes_at - past, ended_at = ended_at - past, look_at = look_at - past
       from make_interval(secs => $1) as past where uuid = any($2)`,
      [seconds, uuids],
    )
  }

  /** Ends the checks of sessions left by earlier tests. */
  async forget(): Promise<void> {
    this.storageProxy.reset()
    await this.superuser.query('update upload_sessions set look_at = null')
  }

  /** Undefined once it is deleted. */
  async find(uuid: string): Promise<SessionRow | undefined> {
    const [row] = await this.superuser.query<SessionRow>(
      `select session.status, asset.status as "assetStatus", asset.error_code as "assetError",
         extract(epoch from look_at - now())::float8 as "lookInSeconds",
         extract(epoch from closes_at - now())::float8 as "closesInSeconds",
         (select count(*)::int from asset_happenings as happening
          where happening.asset_id = asset.id and what = 'uploaded') as completions
       from upload_sessions as session join assets as asset on asset.id = session.asset_id
       where session.uuid = $1`,
      [uuid],
    )
    return row
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.testApi[Symbol.asyncDispose]()
    await this.#worker[Symbol.asyncDispose]()
    await this.superuser[Symbol.asyncDispose]()
    await this.storageProxy[Symbol.asyncDispose]()
    this.objects[Symbol.dispose]()
  }
}

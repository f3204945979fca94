import type { WorkerContext } from '@reelkeep/server/main/wiring/context.ts'
import { readWorkerConfig } from '@reelkeep/server/platform/config/env.ts'
import { resetDatabase, stackEnv, withDatabase } from '../processes/stack.ts'
import { HttpProxy } from '../proxy/http-proxy.ts'
import { Objects } from '../storage/objects.ts'
import { partsOnly, partsOnlyRule, setUpUploads } from '../storage/storage.ts'
import { Superuser } from '../superuser.ts'
import { TestApi } from '../test-api.ts'

/** A session as stored, and the state of its asset. */
export type SessionRow = {
  readonly status: string
  /** Seconds until the next check; null if there is none. */
  readonly checkInSeconds: number | null
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
 * Opens a fixture for uploads, with its own database and bucket and the worker's sweep in this process. A test decides
 * when the sweep runs and how much time has passed. `purpose` is part of the names of the database and the bucket. With
 * `isPartsOnly`, storage supports neither forms nor versions, and the API and the callers also use the proxy.
 */
export async function openUploadFixture(purpose: string, { isPartsOnly = false } = {}) {
  const stack = withDatabase(stackEnv(), purpose)
  const storageProxy = await HttpProxy.open(stack.STORAGE_ENDPOINT)
  if (isPartsOnly) storageProxy.rules = [partsOnlyRule]
  const env = isPartsOnly ? { ...stack, STORAGE_ENDPOINT: storageProxy.url } : stack
  const settings = {
    STORAGE_UPLOADS_BUCKET: `reelkeep-${purpose}`,
    STORAGE_MEDIA_BUCKET: `reelkeep-${purpose}-media`,
    UPLOAD_CHECK_SECONDS_MAX: '900',
    ...(isPartsOnly && partsOnly),
  }
  await Promise.all([resetDatabase(env), setUpUploads(env, settings)])
  const more = { LOG_LEVEL: 'silent', STORAGE_ENDPOINT: storageProxy.url }
  const { openWorkerContext } = await import('@reelkeep/server/main/wiring/context.ts')
  const worker = openWorkerContext(readWorkerConfig({ ...env, ...settings, ...more }))
  const testApi = await TestApi.open(settings, env)
  const objects = new Objects(env, settings.STORAGE_UPLOADS_BUCKET)
  const superuser = await Superuser.open(env)
  return {
    testApi,
    objects,
    superuser,
    openSuperuser: () => Superuser.open(env),
    /** Proxy between the worker and storage. */
    storageProxy,
    sweep: () => runSweep(worker),
    metrics: () => worker.metrics.exposition(),
    /** Moves only these sessions this many seconds into the past. */
    pass: (seconds: number, ...uuids: readonly string[]) =>
      superuser.query(
        `update upload_sessions set created_at = created_at - past, expires_at = expires_at - past,
           closes_at = closes_at - past, ended_at = ended_at - past, look_at = look_at - past
         from make_interval(secs => $1) as past where uuid = any($2)`,
        [seconds, uuids],
      ),
    setAbandonedDays: (organizationId: string, days: number) =>
      superuser.query('update organizations set abandoned_days = $2 where id = $1', [organizationId, days]),
    /** Ends the checks of sessions that earlier tests have left open. */
    reset: async () => {
      storageProxy.reset()
      await superuser.query('update upload_sessions set look_at = null')
    },
    /** Returns the session; undefined if it was deleted. */
    find: async (uuid: string): Promise<SessionRow | undefined> => {
      const [row] = await superuser.query<SessionRow>(findSession, [uuid])
      return row
    },
    [Symbol.asyncDispose]: async () => {
      await testApi[Symbol.asyncDispose]()
      await worker[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
      await storageProxy[Symbol.asyncDispose]()
      objects[Symbol.dispose]()
    },
  }
}

async function runSweep({ uploads, database }: WorkerContext): Promise<Swept> {
  const { sweep } = await import('@reelkeep/server/modules/upload-sessions/sweep/upload-sweep.ts')
  const failed: string[] = []
  const onFailure = (_: unknown, { uuid }: { readonly uuid: string }) => failed.push(uuid)
  const swept = await sweep(uploads, database, new AbortController().signal, onFailure)
  return { ...swept, failed }
}

const findSession = `select session.status, asset.status as "assetStatus", asset.error_code as "assetError",
     extract(epoch from look_at - now())::float8 as "checkInSeconds",
     extract(epoch from closes_at - now())::float8 as "closesInSeconds",
     (select count(*)::int from asset_happenings as happening
      where happening.asset_id = asset.id and what = 'uploaded') as completions
   from upload_sessions as session join assets as asset on asset.id = session.asset_id
   where session.uuid = $1`

/** The whole service with real workers, on a database of its own, because workers claim all jobs in their database. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets, uploadSessions } from '@reelkeep/contract'
import type { Plan } from '@reelkeep/media'
import {
  ApiProcess,
  Caller,
  formOf,
  newOrganization,
  openOwner,
  postByFetch,
  resetDatabase,
  Superuser,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'

type Video = assets.Asset['video']

const POLL_MILLISECONDS = 100

export async function openMediaFixture(name: string) {
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const api = await ApiProcess.start({}, env)
  const owner = openOwner(env)
  const superuser = await Superuser.open(env)
  const workers: WorkerProcess[] = []
  return {
    env,
    api,
    superuser,
    workers,
    newCaller: async (): Promise<Caller> => {
      const { organizationId, token } = await newOrganization(owner)
      return new Caller(api.send, organizationId, token)
    },
    planOf: async (assetId: string): Promise<Plan> => {
      const [row] = await superuser.query<{ plan: Plan }>('select plan from asset_plans where asset_id = $1', [assetId])
      if (!row) throw new Error('no plan')
      return row.plan
    },
    startWorker: async (settings: Record<string, string> = {}) => {
      const worker = await WorkerProcess.start({ settings, env })
      workers.push(worker)
      return worker
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
      await api[Symbol.asyncDispose]()
      await owner[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
    },
  }
}

/** Uploads the file and completes the session. Returns the asset ID. */
export async function uploadVideo(
  caller: Caller,
  path: string,
  options: { readonly resolutions: readonly string[]; readonly [more: string]: unknown },
): Promise<string> {
  const sessions = 'assets/upload-sessions/'
  const { body } = await caller.post<uploadSessions.NewUploadSession>(sessions, {
    title: basename(path),
    ...options,
  })
  const { status, text } = await postByFetch(formOf(body.client_payload, readFileSync(path)))
  if (status !== 204) throw new Error(`Storage rejected the file: ${status} ${text}`)
  await caller.post(`${sessions}${body.upload_session.uuid}/complete/`)
  return body.asset.id
}

async function readVideo(caller: Caller, assetId: string): Promise<Video> {
  return (await caller.get<assets.Asset>(`assets/${assetId}/`)).body.video
}

/** Polls the video until `isWanted` returns true. */
export async function waitForVideo(
  caller: Caller,
  assetId: string,
  isWanted: (video: Video) => boolean,
  secondsMax: number,
): Promise<Video> {
  const deadline = performance.now() + secondsMax * 1000
  for (;;) {
    const video = await readVideo(caller, assetId)
    if (isWanted(video)) return video
    if (performance.now() > deadline || video.error) {
      throw new Error(`unexpected video: ${JSON.stringify(video)}`)
    }
    await sleep(POLL_MILLISECONDS)
  }
}

export const isCompleted = ({ status }: Video) => status === 'Completed'

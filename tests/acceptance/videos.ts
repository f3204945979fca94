import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, formOf, postByFetch } from '@reelkeep/testkit'
import { type Asset, complete, newSession, type Opened, readAsset } from './uploads.ts'

/** Videos of exactly these durations, created by `files/make`. */
const videos = { 600: 'ten-minutes.mp4', 10.5: 'ten-and-a-half-seconds.mp4' } as const

export const videoOf = (seconds: keyof typeof videos): Buffer =>
  readFileSync(new URL(`./files/${videos[seconds]}`, import.meta.url))

/** Maximum wait for the processing of a video, because other jobs may be ahead in the queue. */
const PROCESSED_SECONDS_MAX = 600
const ASK_AGAIN_MILLISECONDS = 100

/** Timeout for tests and hooks that wait for processing. */
export const PROCESSED_MILLISECONDS_MAX = (PROCESSED_SECONDS_MAX + 20) * 1000

/** Creates an asset and uploads its file. Processing requires a deployment with a worker. */
export async function uploadFile(caller: Caller, title: string, file: Buffer): Promise<Opened> {
  const opened = await newSession(caller, title, { resolutions: ['240p'] })
  const { status } = await postByFetch(formOf(opened.client_payload, file))
  if (status >= 300) throw new Error(`Storage rejected the file: ${status}`)
  await complete(caller, opened)
  return opened
}

/** Polls the asset until it meets the condition; returns it with all statuses seen. */
export async function assetBecomes(
  caller: Caller,
  opened: Opened,
  isWanted: (video: Asset['video']) => boolean,
): Promise<{ readonly asset: Asset; readonly seen: readonly string[] }> {
  const deadline = performance.now() + PROCESSED_SECONDS_MAX * 1000
  const seen = new Set<string>()
  for (;;) {
    const asset = await readAsset(caller, opened)
    seen.add(asset.video.status)
    if (isWanted(asset.video)) return { asset, seen: [...seen] }
    if (performance.now() > deadline || asset.video.status === 'Error') {
      throw new Error(`The asset did not reach the expected state: ${JSON.stringify(asset.video)}`)
    }
    await sleep(ASK_AGAIN_MILLISECONDS)
  }
}

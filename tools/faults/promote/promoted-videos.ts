/** Videos that are uploaded, encoded and played while a standby is promoted. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets } from '@reelkeep/contract'
import { type Caller, formOf, openSession, postByFetch, root, type StackEnv, type Superuser } from '@reelkeep/testkit'
import { verifyPlays } from '../../drills/verify/verify-load.ts'
import { checkFinished } from '../mix/checks/row-checks.ts'
import { checkPublished } from '../mix/checks/storage-checks.ts'

const file = readFileSync(join(root, 'tools/faults/files/one-second.mp4'))

const PAUSE_MILLISECONDS = 500
const PROCESSED_SECONDS_MAX = 300

/** Uploads videos until stopped. Half of them are encrypted, so every attempt to encode them stores other bytes. */
export async function uploadVideos(caller: Caller, stopping: AbortSignal): Promise<void> {
  for (let count = 0; !stopping.aborted; count++) {
    // The session may be lost, and the API may be unavailable.
    await uploadVideo(caller, count % 2 === 0 ? 'aes' : 'disable').catch(() => undefined)
    await sleep(PAUSE_MILLISECONDS, undefined, { signal: stopping }).catch(() => undefined)
  }
}

async function uploadVideo(caller: Caller, protection: 'aes' | 'disable'): Promise<void> {
  const opened = await openSession(caller, { resolutions: ['240p'], content_protection_type: protection })
  await postByFetch(formOf(opened.client_payload, file))
  await caller.post(`assets/upload-sessions/${opened.upload_session.uuid}/complete/`)
}

/** Waits until all videos are processed. Returns how many are complete, and which do not play the bytes of one attempt. */
export async function checkVideos(caller: Caller, primary: Superuser, env: StackEnv) {
  const finished = await checkFinished(primary, PROCESSED_SECONDS_MAX)
  const published = await checkPublished(primary, env)
  const rows = await primary.query<{ id: string }>(`select id from assets where status = 'Completed' and bytes > 0`)
  const played = { wrong: [] as string[] }
  for (const { id } of rows) {
    const { body } = await caller.get<assets.Asset>(`assets/${id}/`)
    await verifyPlays(played, caller, id, body.video.playback_url ?? '')
  }
  return { completed: rows.length, violations: [...finished.violations, ...published.violations, ...played.wrong] }
}

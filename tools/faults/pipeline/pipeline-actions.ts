/** Actions of callers on an asset during processing, and the expected results. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { type Caller, root } from '@reelkeep/testkit'
import { postForm } from '../uploads/form-post.ts'
import { type AssetPlan, type PlannedAsset, type Scenario, titleOf } from './asset-plan.ts'

/** The file that every upload sends. */
const file = readFileSync(join(root, 'tools/faults/files/one-second.mp4'))

/** Time limit of processing, long enough even if workers are killed often. */
const TIMEOUT_SECONDS = 600
const POLL_MILLISECONDS = 400

type Expected = 'Completed' | 'Error' | 'Cancelled' | 'gone'

export type ScenarioAsset = {
  readonly assetId: string
  readonly organizationId: string
  readonly scenario: Scenario
  readonly plan: AssetPlan
  /** Expected final status, according to the last response of the API. */
  readonly expected: Expected
}

export async function runScenario(caller: Caller, planned: PlannedAsset): Promise<ScenarioAsset> {
  await sleep(planned.afterMilliseconds)
  const assetId = await upload(caller, titleOf(planned.plan))
  const expected = await actionsOf[planned.scenario](new Processing(caller, assetId), planned)
  const { scenario, plan } = planned
  return { assetId, organizationId: caller.organizationId, scenario, plan, expected }
}

/** Uploads the file. Retries, because storage and the service may be unavailable at any time. */
export async function upload(caller: Caller, title: string): Promise<string> {
  const sessions = 'assets/upload-sessions/'
  const input = { title, resolutions: ['360p'] }
  const key = { 'idempotency-key': crypto.randomUUID() }
  const { body } = await caller.post<uploadSessions.NewUploadSession>(sessions, input, key)
  while ((await postForm(body.client_payload, file)) !== 204) await sleep(200)
  const complete = `${sessions}${body.upload_session.uuid}/complete/`
  const { status, text } = await caller.post(complete)
  if (status !== 200) throw new Error(`The upload is not complete: ${text}`)
  return body.asset.id
}

type Action = (processing: Processing, planned: PlannedAsset) => Promise<Expected>

const actionsOf: Record<Scenario, Action> = {
  'left alone': async () => 'Completed',
  unusable: async () => 'Error',
  cancelled: (processing, planned) => processing.cancel(planned),
  'cancelled, then retried': async (processing, planned) => {
    const expected = await processing.cancel(planned)
    return expected === 'Cancelled' ? processing.retry() : expected
  },
  deleted: async (processing, { actionDelayMilliseconds }) => {
    await processing.waitForStatus('Processing')
    await sleep(actionDelayMilliseconds)
    await processing.delete()
    return 'gone'
  },
  'unusable, then retried': async (processing, { plan }) => {
    await processing.waitForStatus('Error')
    await processing.rename(titleOf({ ...plan, isUnusable: false }))
    return processing.retry()
  },
}

class Processing {
  readonly #caller: Caller
  readonly #path: string

  constructor(caller: Caller, assetId: string) {
    this.#caller = caller
    this.#path = `assets/${assetId}/`
  }

  /** Resolves when the asset has this status or a final status. */
  async waitForStatus(status: assets.VideoStatus): Promise<void> {
    const deadline = performance.now() + TIMEOUT_SECONDS * 1000
    for (;;) {
      const { body } = await this.#caller.get<assets.Asset>(this.#path)
      const seen = body.video.status
      if (seen === status || seen === 'Completed' || seen === 'Error') return
      if (performance.now() > deadline) throw new Error(`${this.#path} stays ${seen}`)
      await sleep(POLL_MILLISECONDS)
    }
  }

  async cancel({ actionDelayMilliseconds }: PlannedAsset): Promise<Expected> {
    await this.waitForStatus('Processing')
    await sleep(actionDelayMilliseconds)
    const { status, body } = await this.#caller.post<assets.Asset>(`${this.#path}cancel/`)
    if (status === 409) return 'Completed'
    if (body.video.status !== 'Cancelled') throw new Error(`Cancelling returned ${status}`)
    return 'Cancelled'
  }

  /**
   * Retries the asset. `nothing_to_retry` also counts as success: an earlier request, whose response was lost, has done
   * it.
   */
  async retry(): Promise<Expected> {
    const { status, text } = await this.#caller.post(`${this.#path}retry/`)
    if (status !== 200 && !text.includes('nothing_to_retry')) throw new Error(`Retry: ${text}`)
    return 'Completed'
  }

  async rename(title: string): Promise<void> {
    const { status, text } = await this.#caller.patch(this.#path, { title })
    if (status !== 200) throw new Error(`Renaming: ${text}`)
  }

  async delete(): Promise<void> {
    const { status } = await this.#caller.delete(`${this.#path}?permanently=true`)
    if (status !== 204 && status !== 404) throw new Error(`Deleting returned ${status}`)
  }
}

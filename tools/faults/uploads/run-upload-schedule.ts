/** One schedule: executes uploads and faults on schedule, lets the service recover, then checks every upload. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import type { FaultyService } from '../support/service.ts'
import { act, type Remembered } from './upload-actions.ts'
import { faultOf } from './upload-invariants.ts'
import type { Fault, Schedule } from './upload-schedule.ts'

export type Outcome = {
  readonly uploads: number
  readonly acknowledged: number
  readonly faults: readonly string[]
}

/** Time limit for all work to finish after the last fault. */
const REST_SECONDS_MAX = 600

export async function runSchedule(
  service: FaultyService,
  storage: S3Client,
  schedule: Schedule,
): Promise<Outcome> {
  service.relay.post = schedule.post
  const [uploads] = await Promise.all([
    Promise.all(schedule.acts.map((upload) => act(service.caller, upload))),
    strike(service, schedule.faults),
  ])
  service.relay.post = 'delivered'
  const mendedAt = performance.now()
  const faults = await Promise.all(
    uploads.map((upload) => settled(service, storage, upload, mendedAt)),
  )
  return {
    uploads: uploads.length,
    acknowledged: uploads.filter(({ isAcknowledged }) => isAcknowledged).length,
    faults: faults.filter((fault) => fault !== undefined),
  }
}

/** One after the other: of two overlapping faults, the second starts when the first has ended. */
async function strike(service: FaultyService, faults: readonly Fault[]): Promise<void> {
  const began = performance.now()
  for (const fault of faults.toSorted((a, b) => a.afterMilliseconds - b.afterMilliseconds)) {
    await sleep(Math.max(0, fault.afterMilliseconds - (performance.now() - began)))
    await service.suffer(fault)
  }
}

/** Waits until the upload has no violation, or a final one. */
async function settled(
  service: FaultyService,
  storage: S3Client,
  upload: Remembered,
  mendedAt: number,
): Promise<string | undefined> {
  for (;;) {
    const seconds = (performance.now() - mendedAt) / 1000
    const found = await faultOf(service, storage, upload, seconds)
    if (!found) return undefined
    if (found.isFinal || seconds > REST_SECONDS_MAX) return `${upload.way}: ${found.fault}`
    await sleep(250)
  }
}

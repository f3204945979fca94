/** Runs one schedule: uploads and faults, then recovery, then a check of every upload. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultyService } from './faulty-service.ts'
import { runUpload, type UploadRecord } from './upload-actions.ts'
import { violationOf } from './upload-invariants.ts'
import type { Fault, Schedule } from './upload-schedule.ts'

export type Outcome = {
  readonly uploads: number
  readonly acknowledged: number
  readonly violations: readonly string[]
}

/** Time limit for all work to finish after the last fault. */
const RECOVERY_SECONDS_MAX = 600

export async function runSchedule(service: FaultyService, schedule: Schedule): Promise<Outcome> {
  service.setNotifications(schedule.notifications)
  const [uploads] = await Promise.all([
    Promise.all(schedule.uploads.map((upload) => runUpload(service.caller, upload))),
    injectAll(service, schedule.faults),
  ])
  service.setNotifications('delivered')
  const repairedAt = performance.now()
  const violations = await Promise.all(uploads.map((upload) => finalViolation(service, upload, repairedAt)))
  return {
    uploads: uploads.length,
    acknowledged: uploads.filter(({ isAcknowledged }) => isAcknowledged).length,
    violations: violations.filter((violation) => violation !== undefined),
  }
}

/** Injects the faults one after the other. If two faults overlap, the second starts when the first has ended. */
async function injectAll(service: FaultyService, faults: readonly Fault[]): Promise<void> {
  const start = performance.now()
  for (const fault of faults.toSorted((a, b) => a.afterMilliseconds - b.afterMilliseconds)) {
    await sleep(Math.max(0, fault.afterMilliseconds - (performance.now() - start)))
    await service.inject(fault)
  }
}

/** Waits until the upload has no violation, or a violation that cannot be resolved by waiting. */
async function finalViolation(
  service: FaultyService,
  upload: UploadRecord,
  repairedAt: number,
): Promise<string | undefined> {
  for (;;) {
    const seconds = (performance.now() - repairedAt) / 1000
    const found = await violationOf(service, upload, seconds)
    if (!found) return undefined
    if (found.isFinal || seconds > RECOVERY_SECONDS_MAX) return `${upload.scenario}: ${found.violation}`
    await sleep(250)
  }
}

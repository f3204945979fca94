/**
 * `kill -9` of the API between every two steps of a completion. The steps are its messages to Postgres and storage; it
 * is killed at the first, the second and so on, before and after the step, until it gets through. Each time a new
 * upload is completed by the caller's `complete/`, and nothing may be lost.
 */
import type { S3Client } from '@aws-sdk/client-s3'
import { type Outcome, runSchedule } from '../uploads/run-upload-schedule.ts'
import { Chokepoint, type Moment, Trap } from '../uploads/throttling-proxy.ts'
import type { UploadAct } from '../uploads/upload-schedule.ts'
import type { FaultyService } from './service.ts'

/** More than a completion has steps; reaching it means that the count is wrong. */
const STEPS_MAX = 60

export type KillPoints = Outcome & { readonly killed: number }

export async function killBetweenSteps(
  service: FaultyService,
  storage: S3Client,
  way: UploadAct['way'],
): Promise<KillPoints> {
  const trap = new Trap()
  await using databaseLine = await Chokepoint.open(new URL(service.env.DATABASE_URL), trap)
  await using storageLine = await Chokepoint.open(new URL(service.env.STORAGE_ENDPOINT), trap)
  const throughTheLines = {
    DATABASE_URL: onPort(service.env.DATABASE_URL, databaseLine.port),
    STORAGE_ENDPOINT: onPort(service.env.STORAGE_ENDPOINT, storageLine.port),
    STORAGE_PUBLIC_ENDPOINT: service.env.STORAGE_ENDPOINT,
  }
  const faults: string[] = []
  let [killed, uploads, acknowledged] = [0, 0, 0]
  for (const moment of ['before it is sent', 'after it is done'] as const satisfies Moment[]) {
    for (let step = 1; step <= STEPS_MAX; step++) {
      await service.kill('api')
      await service.start('api', throughTheLines)
      trap.unset()
      const restarted = Promise.withResolvers<void>()
      service.onHint = () =>
        trap.set(step, moment, () => {
          void service
            .kill('api')
            .then(() => service.start('api'))
            .then(restarted.resolve, restarted.reject)
        })
      const schedule = { seed: 0, acts: [{ way, bytes: 5000, afterMilliseconds: 0 }], faults: [] }
      const outcome = await runSchedule(service, storage, { ...schedule, post: 'lost' })
      uploads += outcome.uploads
      acknowledged += outcome.acknowledged
      trap.unset()
      if (trap.isSprung) await restarted.promise
      faults.push(...outcome.faults.map((fault) => `killed ${moment}, step ${step}: ${fault}`))
      if (!trap.isSprung) break
      killed++
    }
  }
  service.onHint = () => {}
  await service.kill('api')
  await service.start('api')
  return { killed, uploads, acknowledged, faults }
}

function onPort(address: string, port: number): string {
  const url = new URL(address)
  url.port = String(port)
  return url.href
}

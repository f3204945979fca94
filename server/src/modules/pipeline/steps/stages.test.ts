import { expect, it } from 'vitest'
import { pauseSecondsAfter } from '../../../platform/jobs/job.ts'
import { stages } from './stages.ts'
import { stepName } from './step.ts'

const steps = stages.flat().map((step) => [stepName(step), step] as const)

it.each(steps)('%s is retried for more than an hour, to outlast a storage outage', (_, { job }) => {
  const pauses = Array.from({ length: job.attemptsMax - 1 }, (_, index) =>
    pauseSecondsAfter(index + 1, job),
  )
  expect(pauses.reduce((sum, seconds) => sum + seconds)).toBeGreaterThan(3600)
})

import { expect, it } from 'vitest'
import { backoffSeconds } from '../../../platform/jobs/job.ts'
import { stages } from './stages.ts'
import { stepName } from './step.ts'

const steps = stages.flat().map((step) => [stepName(step), step.job.retry] as const)

it.each(steps)('%s is retried for more than an hour, to outlast a storage outage', (_, policy) => {
  const delays = Array.from({ length: policy.maxAttempts - 1 }, (_, index) => backoffSeconds(index + 1, policy))
  expect(delays.reduce((sum, seconds) => sum + seconds)).toBeGreaterThan(3600)
})

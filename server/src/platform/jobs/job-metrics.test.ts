import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openJobMetrics } from './job-metrics.ts'

const servedQueues = async (registry: Registry) =>
  (await registry.getMetricsAsJSON())
    .filter(({ name }) => name === 'reelkeep_worker_queues')
    .flatMap(({ values }) => values.map(({ labels }) => labels['queue']))

it('reelkeep_worker_queues contains a queue only while the worker claims jobs from it', async () => {
  const registry = new Registry()
  const metrics = openJobMetrics(registry)
  expect(await servedQueues(registry)).toEqual([])
  metrics.setServedQueues(['light', 'probe'])
  expect(await servedQueues(registry)).toEqual(['light', 'probe'])
  metrics.setServedQueues([])
  expect(await servedQueues(registry)).toEqual([])
})

import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openJobMetrics } from './job-metrics.ts'

const taken = async (registry: Registry) =>
  (await registry.getMetricsAsJSON())
    .filter(({ name }) => name === 'reelkeep_worker_queues')
    .flatMap(({ values }) => values.map(({ labels }) => labels['queue']))

it('exports no queue before its worker takes jobs from it, nor after', async () => {
  const registry = new Registry()
  const metrics = openJobMetrics(registry, async () => [])
  expect(await taken(registry)).toEqual([])
  metrics.takeFrom(['light', 'probe'])
  expect(await taken(registry)).toEqual(['light', 'probe'])
  metrics.takeFrom([])
  expect(await taken(registry)).toEqual([])
})

import { Histogram, type Registry } from 'prom-client'
import type { StorageOptions } from './client.ts'

/** Histogram buckets, from fast local storage to storage that is recovering. */
const SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** Measures every request to storage. */
export function openStorageMetrics(registry: Registry): Pick<StorageOptions, 'onResponse'> {
  const requests = new Histogram({
    name: 'reelkeep_storage_request_seconds',
    help: 'Duration of requests to storage, by operation and outcome: ok, not_found, unavailable or rejected.',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  })
  return {
    onResponse: (operation, outcome, seconds) => requests.observe({ operation, outcome }, seconds),
  }
}

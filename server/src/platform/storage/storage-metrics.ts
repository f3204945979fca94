import { Histogram, type Registry } from 'prom-client'
import type { StorageOptions } from './client.ts'

/** From a storage next door to one that heals. */
const SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** Times every question to storage. */
export function openStorageMetrics(registry: Registry): Pick<StorageOptions, 'onAnswer'> {
  const requests = new Histogram({
    name: 'reelkeep_storage_request_seconds',
    help: 'How long storage took to answer, by what it was asked and what came of it: fine, absent, away or refused.',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  })
  return {
    onAnswer: (operation, outcome, seconds) => requests.observe({ operation, outcome }, seconds),
  }
}

import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { gaugeOverdue } from './upload-metrics.ts'

const line = /^reelkeep_upload_sessions_overdue_seconds (.+)$/m

describe('reelkeep_upload_sessions_overdue_seconds', () => {
  it('is missing, and not 0, while Postgres is unavailable', async () => {
    const registry = new Registry()
    let overdueSeconds = () => Promise.resolve(7)
    gaugeOverdue(registry, () => overdueSeconds())
    const value = async () => line.exec(await registry.metrics())?.[1]
    expect(await value()).toBe('7')
    overdueSeconds = () => Promise.reject(new Error('Postgres is unavailable'))
    expect(await value()).toBeUndefined()
    overdueSeconds = () => Promise.resolve(0)
    expect(await value()).toBe('0')
  })
})

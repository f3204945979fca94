import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { gaugeOverdue } from './upload-metrics.ts'

const line = /^reelkeep_upload_sessions_overdue_seconds (.+)$/m

describe('for how long a session is overdue', () => {
  it('is missing while nobody can tell, and not 0: that would say that all is well', async () => {
    const registry = new Registry()
    let answer = () => Promise.resolve(7)
    gaugeOverdue(registry, () => answer())
    const told = async () => line.exec(await registry.metrics())?.[1]
    expect(await told()).toBe('7')
    answer = () => Promise.reject(new Error('Postgres is away'))
    expect(await told()).toBeUndefined()
    answer = () => Promise.resolve(0)
    expect(await told()).toBe('0')
  })
})

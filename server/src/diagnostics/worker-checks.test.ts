import { describe, expect, it } from 'vitest'
import { queueNames } from '../kernel/queues.ts'
import { queuesOutcome } from './worker-checks.ts'

describe('queuesOutcome', () => {
  it('returns ok if the workers together serve all queues', () => {
    const [first = '', ...rest] = queueNames
    const workers = [
      { id: 'one', queues: [first] },
      { id: 'two', queues: rest },
    ]
    expect(queuesOutcome(workers).status).toBe('ok')
  })

  it('names the queues that no worker serves', () => {
    const queues = queueNames.filter((queue) => queue !== 'encode' && queue !== 'extras')
    const outcome = queuesOutcome([{ id: 'one', queues }])
    expect(outcome.status).toBe('failed')
    expect(outcome.detail).toContain('encode, extras:')
  })

  it('counts a worker that does not report its queues as serving all', () => {
    expect(queuesOutcome([{ id: 'old', queues: null }]).status).toBe('ok')
  })
})

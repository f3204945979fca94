import { describe, expect, it } from 'vitest'
import { queueNames } from '../jobs/queues.ts'
import { judgeQueues } from './worker-presence.ts'

describe('queues', () => {
  it('are all taken by workers that share them', () => {
    const [first = '', ...rest] = queueNames
    const workers = [
      { id: 'one', queues: [first] },
      { id: 'two', queues: rest },
    ]
    expect(judgeQueues(workers).state).toBe('fine')
  })

  it('that nobody takes are named', () => {
    const queues = queueNames.filter((queue) => queue !== 'encode' && queue !== 'extras')
    const verdict = judgeQueues([{ id: 'one', queues }])
    expect(verdict.state).toBe('fault')
    expect(verdict.detail).toContain('encode, extras:')
  })

  it('may be taken by a worker that does not tell', () => {
    expect(judgeQueues([{ id: 'old', queues: null }]).state).toBe('fine')
  })
})

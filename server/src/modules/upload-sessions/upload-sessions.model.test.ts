/**
 * Explores every order in which the client, storage, notifications, the sweep, crashes and the clock can act on one
 * session, with the real rules: an upload that storage has acknowledged is never lost or completed twice, and no
 * session stays open forever. Then shows that wrong designs are found. The model has one file and one renewal; cleanup,
 * joining and deletions are tested in upload-cleanup.int.test.ts and tools/faults.
 */
import { checkModel, type Model } from '@reelkeep/testkit/model-check'
import { describe, expect, it } from 'vitest'
import { type Decision, decide, isOpen, mayComplete, type Status } from './upload-sessions.rules.ts'

type Clock = 'valid' | 'expired' | 'closed'
/** A check of storage whose result has not been processed yet. */
type Check = { readonly found: boolean; readonly wasClosed: boolean }

type State = {
  readonly status: Status
  readonly post: 'none' | 'under way' | 'stored' | 'given up'
  readonly notifications: number
  readonly clock: Clock
  readonly checks: readonly Check[]
  readonly completions: number
  readonly renewals: number
}

/** Ways in which a design can be wrong. The empty one is the real design. */
type Design = {
  readonly decide?: typeof decide
  readonly mayComplete?: typeof mayComplete
  /** Uploads may take longer than the configured longest transfer. */
  readonly isTransferUnbounded?: boolean
  /** The row is changed without locking and reading it again. */
  readonly isUnguarded?: boolean
}

const bytesMax = 1_000_000
const file = { bytes: 1000 }

type Step = readonly [event: string, state: State]

const when = (isPossible: boolean, event: string, state: State): Step[] => (isPossible ? [[event, state]] : [])

function model(design: Design): Model<State> {
  const rules = { decide, mayComplete, ...design }

  const client = (state: State): Step[] => {
    const { clock, post, status } = state
    const isOver = clock === 'closed' && !design.isTransferUnbounded
    return [
      ...when(clock === 'valid' && post === 'none', 'client starts posting the form', {
        ...state,
        post: 'under way',
      }),
      ...when(post === 'under way' && !isOver, 'storage acknowledges', {
        ...state,
        post: 'stored',
        notifications: 1,
      }),
      ...when(post === 'under way', 'client gives up', { ...state, post: 'given up' }),
      ...when(isOpen(state), 'client cancels', { ...state, status: 'Cancelled' }),
      ...when(isOpen(state) && state.renewals === 0, 'client renews', {
        ...state,
        clock: 'valid',
        renewals: 1,
      }),
      ...when(status === 'Created', 'client has a part signed', { ...state, status: 'Uploading' }),
    ]
  }

  const network = (state: State): Step[] => {
    const { notifications, checks } = state
    return [
      ...when(notifications === 1, 'notification duplicated', { ...state, notifications: 2 }),
      ...when(notifications > 0, 'notification lost', {
        ...state,
        notifications: notifications - 1,
      }),
      ...when(checks.length > 0, 'the checking process is killed', {
        ...state,
        checks: checks.slice(1),
      }),
    ]
  }

  const time = (state: State): Step[] => {
    if (state.clock === 'valid') return [['expires_at passes', { ...state, clock: 'expired' }]]
    if (state.clock === 'closed') return []
    return [['the longest transfer passes', { ...state, clock: 'closed' }]]
  }

  const check = (state: State): Step[] => {
    if (!rules.mayComplete(state) || state.checks.length === 2) return []
    const check = { found: state.post === 'stored', wasClosed: state.clock === 'closed' }
    const checks = [...state.checks, check]
    const sweep: Step = ['sweep checks storage', { ...state, checks }]
    if (state.notifications === 0) return [sweep]
    const notifications = state.notifications - 1
    return [sweep, ['notification triggers a check', { ...state, checks, notifications }]]
  }

  const processResult = (state: State): Step[] => {
    const [first, ...checks] = state.checks
    if (!first) return []
    const status = design.isUnguarded ? 'Created' : state.status
    const session = { status, bytesMax, isClosed: state.clock === 'closed' }
    const decision = rules.decide(session, first.found ? file : undefined, first.wasClosed)
    return [['session is updated by the result', { ...state, checks, ...outcome(state, decision) }]]
  }

  return {
    initial: {
      status: 'Created',
      post: 'none',
      notifications: 0,
      clock: 'valid',
      checks: [],
      completions: 0,
      renewals: 0,
    },
    next: (state) => [...client(state), ...network(state), ...time(state), ...check(state), ...processResult(state)],
    fault: ({ completions }) => (completions > 1 ? 'completed twice' : undefined),
    // Whatever the client does and whatever was lost, the session reaches the right status eventually.
    isRest: ({ status, post }) =>
      post === 'stored' ? status === 'Completed' || status === 'Cancelled' : !isOpen({ status }),
    isOurs: (event) => /^(sweep|session|expires_at|the longest)/.test(event),
  }
}

function outcome(state: State, decision: Decision): Partial<State> {
  if (decision.kind === 'complete') return { status: 'Completed', completions: state.completions + 1 }
  if (decision.kind === 'expire') return { status: 'Expired' }
  return decision.kind === 'fail' ? { status: 'Failed' } : {}
}

describe('the model of an upload session', () => {
  it('loses no acknowledged upload, completes none twice and never hangs', () => {
    const result = checkModel(model({}))
    expect(result).toMatchObject({ kind: 'sound' })
    // The model must have many states, because a model with few states would prove little.
    expect(result).toHaveProperty(
      'states',
      expect.toSatisfy((states: number) => states > 500),
    )
  })

  it('loses no upload even if it takes longer than the configured longest transfer', () => {
    expect(checkModel(model({ isTransferUnbounded: true }))).toMatchObject({ kind: 'sound' })
  })
})

describe('checkModel', () => {
  it('finds the error if a session expires without a check of storage', () => {
    const hasty: typeof decide = (session) =>
      isOpen(session) && session.isClosed ? { kind: 'expire' } : { kind: 'wait' }
    expect(checkModel(model({ decide: hasty, mayComplete: isOpen }))).toMatchObject({
      kind: 'broken',
      path: expect.arrayContaining(['storage acknowledges']),
    })
  })

  it('finds the error if a check from before the session closed can expire it', () => {
    const early: typeof decide = (session, arrived) => decide(session, arrived, true)
    expect(checkModel(model({ decide: early, mayComplete: isOpen }))).toMatchObject({
      kind: 'broken',
    })
  })

  it('finds the error if an expired session cannot be completed and a transfer takes longer than configured', () => {
    const design = { mayComplete: isOpen, isTransferUnbounded: true }
    expect(checkModel(model(design))).toMatchObject({ kind: 'broken' })
  })

  it('finds the error if the session is changed without being read again after the check', () => {
    expect(checkModel(model({ isUnguarded: true }))).toEqual({
      kind: 'broken',
      fault: 'completed twice',
      path: expect.anything(),
    })
  })
})

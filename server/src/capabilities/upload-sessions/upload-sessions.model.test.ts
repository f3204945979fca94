/**
 * Every order in which the client, storage, its notifications, the sweep, crashes and the clock can act on
 * one session, with the decisions of the real rules: an upload that storage has acknowledged is never lost,
 * never completed twice, and no session stays open for ever. Designs that look right and are not come after. One file,
 * one renewal: freeing, joining and deletions are held by upload-freeing.db.test.ts and tests/faults.
 */
import { checkModel, type Model } from '@reelkeep/testkit/model-check'
import { describe, expect, it } from 'vitest'
import { isOpen, judge, mayComplete, type Status, type Verdict } from './upload-sessions.rules.ts'

type Clock = 'valid' | 'expired' | 'closed'
/** Somebody has asked storage and has not yet acted on the answer. */
type Look = { readonly found: boolean; readonly wasClosed: boolean }

type State = {
  readonly status: Status
  readonly post: 'none' | 'under way' | 'stored' | 'given up'
  readonly notifications: number
  readonly clock: Clock
  readonly looks: readonly Look[]
  readonly completions: number
  readonly renewals: number
}

/** What a design may get wrong; the empty one is ours. */
type Design = {
  readonly judge?: typeof judge
  readonly mayComplete?: typeof mayComplete
  /** Uploads may outlast the longest transfer that was reckoned with. */
  readonly isTransferUnbounded?: boolean
  /** The row is not locked and read again before it is changed. */
  readonly isUnguarded?: boolean
}

const bytesMax = 1_000_000
const file = { bytes: 1000 }

type Step = readonly [event: string, state: State]

const when = (isPossible: boolean, event: string, state: State): Step[] =>
  isPossible ? [[event, state]] : []

function model(design: Design): Model<State> {
  const rules = { judge, mayComplete, ...design }

  const client = (state: State): Step[] => {
    const { clock, post, status } = state
    const isOver = clock === 'closed' && !design.isTransferUnbounded
    return [
      ...when(clock === 'valid' && post === 'none', 'client begins to post the form', {
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
    const { notifications, looks } = state
    return [
      ...when(notifications === 1, 'notification duplicated', { ...state, notifications: 2 }),
      ...when(notifications > 0, 'notification lost', {
        ...state,
        notifications: notifications - 1,
      }),
      ...when(looks.length > 0, 'kill -9 of who looks', { ...state, looks: looks.slice(1) }),
    ]
  }

  const time = (state: State): Step[] => {
    if (state.clock === 'valid') return [['expires_at passes', { ...state, clock: 'expired' }]]
    if (state.clock === 'closed') return []
    return [['the longest transfer passes', { ...state, clock: 'closed' }]]
  }

  const look = (state: State): Step[] => {
    if (!rules.mayComplete(state) || state.looks.length === 2) return []
    const answer = { found: state.post === 'stored', wasClosed: state.clock === 'closed' }
    const looks = [...state.looks, answer]
    const sweep: Step = ['sweep asks storage', { ...state, looks }]
    if (state.notifications === 0) return [sweep]
    const notifications = state.notifications - 1
    return [sweep, ['notification has storage asked', { ...state, looks, notifications }]]
  }

  const conclude = (state: State): Step[] => {
    const [first, ...looks] = state.looks
    if (!first) return []
    const status = design.isUnguarded ? 'Created' : state.status
    const session = { status, bytesMax, isClosed: state.clock === 'closed' }
    const verdict = rules.judge(session, first.found ? file : undefined, first.wasClosed)
    return [['session is judged', { ...state, looks, ...outcome(state, verdict) }]]
  }

  return {
    initial: {
      status: 'Created',
      post: 'none',
      notifications: 0,
      clock: 'valid',
      looks: [],
      completions: 0,
      renewals: 0,
    },
    next: (state) => [
      ...client(state),
      ...network(state),
      ...time(state),
      ...look(state),
      ...conclude(state),
    ],
    fault: ({ completions }) => (completions > 1 ? 'completed twice' : undefined),
    // Whatever the client does, and whatever was lost: sooner or later the session is where it belongs.
    isRest: ({ status, post }) =>
      post === 'stored' ? status === 'Completed' || status === 'Cancelled' : !isOpen({ status }),
    isOurs: (event) => /^(sweep|session|expires_at|the longest)/.test(event),
  }
}

function outcome(state: State, verdict: Verdict): Partial<State> {
  if (verdict.kind === 'complete')
    return { status: 'Completed', completions: state.completions + 1 }
  if (verdict.kind === 'expire') return { status: 'Expired' }
  return verdict.kind === 'fail' ? { status: 'Failed' } : {}
}

describe('the life of a session', () => {
  it('loses no acknowledged upload, completes none twice and never hangs', () => {
    const verdict = checkModel(model({}))
    expect(verdict).toMatchObject({ kind: 'sound' })
    // A model that visits little proves little.
    expect(verdict).toHaveProperty(
      'states',
      expect.toSatisfy((states: number) => states > 500),
    )
  })

  it('even when an upload takes longer than the longest that was reckoned with', () => {
    expect(checkModel(model({ isTransferUnbounded: true }))).toMatchObject({ kind: 'sound' })
  })
})

describe('a design that would lose an upload is found', () => {
  it('one that expires a session without having asked storage', () => {
    const hasty: typeof judge = (session) =>
      isOpen(session) && session.isClosed ? { kind: 'expire' } : { kind: 'wait' }
    expect(checkModel(model({ judge: hasty, mayComplete: isOpen }))).toMatchObject({
      kind: 'broken',
      path: expect.arrayContaining(['storage acknowledges']),
    })
  })

  it('one that believes an answer that storage gave before the session closed', () => {
    const early: typeof judge = (session, arrived) => judge(session, arrived, true)
    expect(checkModel(model({ judge: early, mayComplete: isOpen }))).toMatchObject({
      kind: 'broken',
    })
  })

  it('one in which an expired session cannot be completed, if a transfer may last', () => {
    const design = { mayComplete: isOpen, isTransferUnbounded: true }
    expect(checkModel(model(design))).toMatchObject({ kind: 'broken' })
  })

  it('one that changes the session as it was before storage was asked', () => {
    expect(checkModel(model({ isUnguarded: true }))).toEqual({
      kind: 'broken',
      fault: 'completed twice',
      path: expect.anything(),
    })
  })
})

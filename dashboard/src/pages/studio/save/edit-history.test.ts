import { expect, it } from 'vitest'
import { changed, ended, historyOf, redone, undone } from './edit-history.ts'

it('every change can be undone and redone', () => {
  const history = changed(changed(historyOf('a'), 'b'), 'c')
  const back = undone(undone(history))
  expect(back.present).toBe('a')
  expect(undone(back).present).toBe('a')
  const forth = redone(redone(back))
  expect(forth).toMatchObject({ present: 'c', future: [] })
  expect(redone(forth).present).toBe('c')
})

it('a new change ends what could be redone', () => {
  expect(redone(changed(undone(changed(historyOf('a'), 'b')), 'c')).present).toBe('c')
})

it('the changes of a drag are one step, and those of two drags are two', () => {
  const drag = (from: ReturnType<typeof historyOf<string>>, ...states: readonly string[]) =>
    ended(states.reduce((history, state) => changed(history, state, 'drag'), from))
  const history = drag(drag(historyOf('a'), 'b', 'c'), 'd', 'e')
  expect(undone(history).present).toBe('c')
  expect(undone(undone(history)).present).toBe('a')
})

it('the number of states is bounded', () => {
  let history = historyOf(0)
  for (let state = 1; state < 1000; state++) history = changed(history, state)
  expect(history.past).toHaveLength(300)
})

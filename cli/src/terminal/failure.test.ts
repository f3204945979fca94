import { ApiError, AuthenticationError } from 'reelkeep'
import { expect, it } from 'vitest'
import { failureOf } from '../commands/upload/outcome.ts'
import { CommandError } from '../exit-codes.ts'
import { drawFailure } from './failure.ts'
import { drawFields } from './fields.ts'
import { plainLook } from './look.ts'

const look = plainLook(new Date())
const hostile = 'a\u001b[2J\u0007b'
const problem = {
  type: 'about:blank',
  title: '',
  status: 418,
  detail: hostile,
  code: 'odd',
  errors: [
    { field: hostile, code: 'one', detail: hostile },
    { field: 'other', code: 'two', detail: hostile },
  ],
  request_id: '',
}

it('shows no control character that comes from elsewhere', () => {
  const shown = [
    drawFailure(new ApiError(problem), look),
    drawFailure(new CommandError(hostile, 1, hostile), look),
    drawFields([['name', hostile, (text) => text]], look),
  ]
  for (const text of shown) expect(text).not.toMatch(/(?!\n)\p{Cc}/u)
})

it('keeps the lines of a sentence that lists something', () => {
  expect(drawFailure(new CommandError('Two failed:\n  a\n  b'), look)).toBe(
    '✗ Two failed:\n  a\n  b',
  )
})

it('quotes a request only if there is one', () => {
  const { request_id, ...without } = problem
  const unnumbered = new ApiError(without as typeof problem)
  expect(drawFailure(unnumbered, look)).toMatch(/\n {2}odd$/)
  expect(drawFailure(new ApiError({ ...problem, request_id: '7' }), look)).toMatch(
    /odd, request 7$/,
  )
})

it('speaks of the token where the service speaks of a header', () => {
  const detail = 'Send a valid token: "Authorization: token <API_TOKEN>".'
  const error = new AuthenticationError({ ...problem, status: 401, detail, errors: [] })
  for (const told of [drawFailure(error, look), failureOf(error).message])
    expect(told).toMatch(/does not take your token(?!.*Authorization)/)
  expect(drawFailure(error, look)).toContain('reelkeep login')
})

import { ApiError, AuthenticationError } from 'reelkeep'
import { expect, it } from 'vitest'
import { failureOf } from '../commands/upload/outcome.ts'
import { CommandError } from '../exit-codes.ts'
import { renderFailure } from './failure.ts'
import { renderFields } from './fields.ts'
import { plainStyle } from './style.ts'

const style = plainStyle(new Date())
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

it('renderFailure removes control characters in external text', () => {
  const shown = [
    renderFailure(new ApiError(problem), style),
    renderFailure(new CommandError(hostile, 1, hostile), style),
    renderFields([['name', hostile, (text) => text]], style),
  ]
  for (const text of shown) expect(text).not.toMatch(/(?!\n)\p{Cc}/u)
})

it('renderFailure keeps line breaks of a message', () => {
  expect(renderFailure(new CommandError('Two failed:\n  a\n  b'), style)).toBe('✗ Two failed:\n  a\n  b')
})

it('renderFailure prints the request id only if there is one', () => {
  const { request_id, ...without } = problem
  const unnumbered = new ApiError(without as typeof problem)
  expect(renderFailure(unnumbered, style)).toMatch(/\n {2}odd$/)
  expect(renderFailure(new ApiError({ ...problem, request_id: '7' }), style)).toMatch(/odd, request 7$/)
})

it('an authentication error mentions the token, not the header', () => {
  const detail = 'Send a valid token: "Authorization: token <API_TOKEN>".'
  const error = new AuthenticationError({ ...problem, status: 401, detail, errors: [] })
  for (const text of [renderFailure(error, style), failureOf(error).message])
    expect(text).toMatch(/Your token is invalid(?!.*Authorization)/)
  expect(renderFailure(error, style)).toContain('reelkeep login')
})

import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorCatalogue, type Problem } from '@reelkeep/contract'
import type { HttpResponse } from '@reelkeep/testkit'
import { expect } from 'vitest'

/** Checks that the response contains valid problem details with this code, and returns them. */
export function expectProblem(response: HttpResponse, code: ErrorCode): Problem {
  const { status } = errorCatalogue[code]
  expect(response, response.text).toMatchObject({ status })
  const problem = expectAnyProblem(response)
  expect(problem.code).toBe(code)
  return problem
}

/** Like `expectProblem`, for any published code. */
export function expectAnyProblem(response: HttpResponse): Problem {
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json\b/)
  const problem = JSON.parse(response.text) as Problem
  expect(problem).toEqual({
    type: expect.stringMatching(new RegExp(`^https?://.+/errors/${problem.code}/?$`)),
    title: STATUS_CODES[response.status],
    status: response.status,
    detail: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^[a-z_]+$/),
    errors: expect.any(Array),
    request_id: expect.stringMatching(/\S/),
  })
  for (const error of problem.errors) {
    expect(error).toEqual({
      field: expect.any(String),
      code: expect.stringMatching(/^[a-z_]+$/),
      detail: expect.stringMatching(/\S/),
    })
  }
  for (const code of [problem.code, ...problem.errors.map((error) => error.code)]) {
    expect(errorCatalogue).toHaveProperty(code)
  }
  expect(errorCatalogue[problem.code as ErrorCode].status).toBe(response.status)
  return problem
}

export const fieldsOf = ({ errors }: Problem) => errors.map(({ field }) => field).sort()

/** The problem details without the request ID, to compare responses. */
export function withoutRequestId(response: HttpResponse): unknown {
  const { request_id: _, ...rest } = JSON.parse(response.text) as Problem
  return rest
}

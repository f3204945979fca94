/** Checks whether a response conforms to the contract, whatever the request was. */
import {
  type AnyOperation,
  type ErrorCode,
  errorCatalogue,
  errorCodesOf,
  operations,
  type Problem,
  problemSchema,
} from '@reelkeep/contract'
import type { HttpResponse } from '@reelkeep/testkit'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { isTitle } from './schema-arbitrary.ts'

const ajv = new Ajv({ strict: false, allErrors: false })
addFormats.default(ajv)
ajv.addFormat('title', isTitle)
ajv.addFormat('cursor', true)
// Checks only the notation of a network, not whether its numbers are valid.
ajv.addFormat('network', /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F:.]*:[\da-fA-F:.]*)\/\d{1,3}$/)

const isProblem = ajv.compile({ ...problemSchema, additionalProperties: false })

const compileAll = (schemaOf: (operation: AnyOperation) => object | undefined) =>
  new Map<string, ValidateFunction>(
    operations.flatMap((operation) => {
      const schema = schemaOf(operation)
      return schema ? [[operation.id, ajv.compile(schema)] as const] : []
    }),
  )
const isSuccess = compileAll(({ success }) => success.body)
const isBody = compileAll(({ body }) => body)

/** Error codes for paths that match no operation. */
const strayCodes: ErrorCode[] = ['not_found', 'method_not_allowed']

/** Error codes for a malformed request. */
const formCodes: ErrorCode[] = ['malformed_json', 'unknown_field', 'invalid_request', 'invalid_title']

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error codes that a response may have. A random path may match another operation, or none. */
function codesAt(operation: AnyOperation, isStray: boolean): readonly ErrorCode[] {
  if (!isStray) return errorCodesOf(operation)
  return [...strayCodes, ...operations.flatMap((operation) => errorCodesOf(operation))]
}

/** Describes what is wrong with the response; undefined if nothing is. */
export function violationOf(
  operation: AnyOperation,
  response: HttpResponse,
  { isStray }: { isStray: boolean },
): string | undefined {
  const { status, headers, text } = response
  if (status >= 500) return `responded with ${status}`
  if (headers['x-request-id'] === undefined) return 'no request ID'
  if (status >= 400) return problemViolationOf(response, codesAt(operation, isStray))
  if (isStray) return undefined
  if (status !== operation.success.status) return `undocumented success: ${status}`
  if (!operation.success.body) return text === '' ? undefined : 'unexpected body'
  const { mediaTypes = ['application/json'] } = operation.success
  const allowed = mediaTypes.map((mediaType: string) => `${mediaType}; charset=utf-8`)
  if (!allowed.includes(headers['content-type'] ?? '')) return 'wrong content type'
  if (operation.success.mediaTypes) return undefined
  const validate = isSuccess.get(operation.id)
  return validate?.(parse(text)) ? undefined : `does not match the schema: ${ajv.errorsText(validate?.errors)}`
}

function problemViolationOf({ status, headers, text }: HttpResponse, allowed: readonly ErrorCode[]) {
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8') {
    return `error without a problem document: ${status}`
  }
  const problem = parse(text) as Problem
  if (!isProblem(problem)) return `invalid problem document: ${ajv.errorsText(isProblem.errors)}`
  const code = problem.code as ErrorCode
  if (!allowed.includes(code)) return `undocumented code: ${code}`
  if (errorCatalogue[code].status !== status || problem.status !== status) {
    return `wrong status for ${code}: ${status}`
  }
  if (problem.request_id !== headers['x-request-id']) return 'different request IDs in header and body'
  if (problem.errors.some((violation) => !(violation.code in errorCatalogue))) return 'unknown code in `errors`'
  return undefined
}

/** Reports a body that matches the schema and is rejected for its format, and an accepted body that does not match. */
export function bodyViolationOf(
  operation: AnyOperation,
  body: string,
  { status, text }: HttpResponse,
): string | undefined {
  // The JSON standard allows parsers to ignore a byte order mark.
  const isValid = isBody.get(operation.id)?.(parse(body.replace(/^\ufeff/, ''))) === true
  if (status < 300) return isValid ? undefined : 'accepted a body that violates the schema'
  const { code } = parse(text) as Problem
  const isAboutForm = formCodes.includes(code as ErrorCode)
  return isValid && isAboutForm ? `rejected a body that matches the schema: ${code}` : undefined
}

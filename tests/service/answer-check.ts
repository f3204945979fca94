/** Whether an answer keeps to the contract, whatever was asked. */
import {
  type AnyOperation,
  type ErrorCode,
  errorCatalogue,
  errorCodesOf,
  operations,
  type Problem,
  problemSchema,
} from '@reelkeep/contract'
import type { Answer } from '@reelkeep/testkit'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { isTitle } from './schema-arbitrary.ts'

const ajv = new Ajv({ strict: false, allErrors: false })
addFormats.default(ajv)
ajv.addFormat('title', isTitle)
ajv.addFormat('cursor', true)
// Of a request that somebody has broken, nobody says here whether it still names networks.
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

/** What an address answers that leads to no operation. */
const strayCodes: ErrorCode[] = ['not_found', 'method_not_allowed']

/** Codes that complain about the form of a request. */
const formCodes: ErrorCode[] = [
  'malformed_json',
  'unknown_field',
  'invalid_request',
  'invalid_title',
]

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A strange address may lead to another operation, or to none. */
function codesAt(operation: AnyOperation, isStray: boolean): readonly ErrorCode[] {
  if (!isStray) return errorCodesOf(operation)
  return [...strayCodes, ...operations.flatMap((operation) => errorCodesOf(operation))]
}

/** What is wrong with the answer, in words, or nothing. */
export function faultOf(
  operation: AnyOperation,
  answer: Answer,
  { isStray }: { isStray: boolean },
): string | undefined {
  const { status, headers, text } = answer
  if (status >= 500) return `answered ${status}`
  if (headers['x-request-id'] === undefined) return 'no request id'
  if (status >= 400) return problemFaultOf(answer, codesAt(operation, isStray))
  if (isStray) return undefined
  if (status !== operation.success.status) return `an undocumented success: ${status}`
  if (!operation.success.body) return text === '' ? undefined : 'a body where none belongs'
  const { mediaTypes = ['application/json'] } = operation.success
  const allowed = mediaTypes.map((mediaType: string) => `${mediaType}; charset=utf-8`)
  if (!allowed.includes(headers['content-type'] ?? '')) return 'a wrong content type'
  if (operation.success.mediaTypes) return undefined
  const validate = isSuccess.get(operation.id)
  return validate?.(parse(text)) ? undefined : `not the schema: ${ajv.errorsText(validate?.errors)}`
}

function problemFaultOf({ status, headers, text }: Answer, allowed: readonly ErrorCode[]) {
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8') {
    return `an error that is no problem document: ${status}`
  }
  const problem = parse(text) as Problem
  if (!isProblem(problem)) return `no problem document: ${ajv.errorsText(isProblem.errors)}`
  const code = problem.code as ErrorCode
  if (!allowed.includes(code)) return `an undocumented code: ${code}`
  if (errorCatalogue[code].status !== status || problem.status !== status) {
    return `${code} with the status ${status}`
  }
  if (problem.request_id !== headers['x-request-id']) return 'two request ids'
  if (problem.errors.some((fault) => !(fault.code in errorCatalogue)))
    return 'an unknown code inside'
  return undefined
}

/** A body of the documented form is not refused for its form, and another is not accepted. */
export function bodyFaultOf(
  operation: AnyOperation,
  body: string,
  { status, text }: Answer,
): string | undefined {
  // A byte order mark in front may be ignored, says the standard.
  const isValid = isBody.get(operation.id)?.(parse(body.replace(/^\ufeff/, ''))) === true
  if (status < 300) return isValid ? undefined : 'accepted a body that breaks the schema'
  const { code } = parse(text) as Problem
  const isAboutForm = formCodes.includes(code as ErrorCode)
  return isValid && isAboutForm ? `refused a body that keeps to the schema: ${code}` : undefined
}

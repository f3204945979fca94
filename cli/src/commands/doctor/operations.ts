import type { CheckResult } from './check-result.ts'
import { parseResults } from './parse-results.ts'
import { NoResponse, request } from './request.ts'

/** Default operations URLs of the API and of a worker. */
const defaultUrls = ['http://127.0.0.1:8081', 'http://127.0.0.1:8082']
const defaultApiUrls = ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']

/** Time limit of a request. The service limits its checks to 25 seconds, so it reports a hanging check itself. */
const OPERATIONS_SECONDS_MAX = 40

type OperationsOptions = {
  /** URLs that the user listed. */
  readonly given: readonly string[]
  readonly token: string | undefined
}

export type OperationsReport = { readonly url: string; readonly results: readonly CheckResult[] }

/**
 * Reads the results of operations ports. For an API at its default URL on this machine, the default ports are
 * tried automatically.
 */
export async function queryOperations(
  { given, token }: OperationsOptions,
  apiUrl: string,
  signal: AbortSignal,
): Promise<OperationsReport[]> {
  const usesDefaults = given.length === 0 && defaultApiUrls.includes(apiUrl.replace(/\/+$/, ''))
  const urls = usesDefaults ? defaultUrls : given
  const reports: OperationsReport[] = []
  for (const url of urls) {
    const results = await resultsAt(url, token, signal)
    const isAbsent = results.some(({ name }) => name === 'operations-reachable')
    if (!usesDefaults || !isAbsent) reports.push({ url, results })
  }
  return reports
}

async function resultsAt(url: string, token: string | undefined, signal: AbortSignal): Promise<readonly CheckResult[]> {
  try {
    const address = `${url.replace(/\/+$/, '')}/doctor`
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const { status, body } = await request(address, signal, { headers }, OPERATIONS_SECONDS_MAX)
    if (status === 401) return [unauthorized(url)]
    if (status !== 200) return [unreachable(url, `it responds with ${status}`)]
    return parseResults(body.toString('utf8')) ?? [unreachable(url, 'the response is not from Reelkeep')]
  } catch (error) {
    if (error instanceof NoResponse) return [unreachable(url, error.message)]
    throw error
  }
}

const unauthorized = (url: string): CheckResult => ({
  name: 'operations-reachable',
  status: 'failed',
  detail: `No results from ${url}: it requires a token.`,
  hint: 'Set REELKEEP_OPERATIONS_TOKEN to the OPERATIONS_TOKEN of the service.',
})

const unreachable = (url: string, why: string): CheckResult => ({
  name: 'operations-reachable',
  status: 'failed',
  detail: `No results from ${url}: ${why}.`,
  hint: 'Check that the process is running (a worker without a working sandbox exits immediately; the last line of its log says why) and that this is its OPERATIONS_PORT or WORKER_OPERATIONS_PORT as seen from this machine.',
})

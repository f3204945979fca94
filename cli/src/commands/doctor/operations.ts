import { ask, NoAnswer } from './ask.ts'
import type { Finding } from './finding.ts'
import { findingsIn } from './told-findings.ts'

/** Where the API and a worker tell of themselves unless told otherwise. */
const usual = ['http://127.0.0.1:8081', 'http://127.0.0.1:8082']
const usualApis = ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']

/**
 * The service ends an examination after 25 seconds, whatever hangs; so what hangs is told, and not
 * blamed on the port.
 */
const EXAMINATION_SECONDS_MAX = 40

export type Examined = { readonly url: string; readonly findings: readonly Finding[] }

/** Beside an API at its usual address on this machine, its operations ports are tried unasked. */
export async function askOperations(
  given: readonly string[],
  apiUrl: string,
  signal: AbortSignal,
): Promise<Examined[]> {
  const isUsual = given.length === 0 && usualApis.includes(apiUrl.replace(/\/+$/, ''))
  const urls = isUsual ? usual : given
  const examined: Examined[] = []
  for (const url of urls) {
    const findings = await findingsAt(url, signal)
    const isAbsent = findings.some(({ name }) => name === 'operations-reachable')
    if (!isUsual || !isAbsent) examined.push({ url, findings })
  }
  return examined
}

async function findingsAt(url: string, signal: AbortSignal): Promise<readonly Finding[]> {
  try {
    const address = `${url.replace(/\/+$/, '')}/doctor`
    const { status, body } = await ask(address, signal, {}, EXAMINATION_SECONDS_MAX)
    if (status !== 200) return [unreachable(url, `it answers ${status}`)]
    return findingsIn(body.toString('utf8')) ?? [unreachable(url, 'something else answers')]
  } catch (error) {
    if (error instanceof NoAnswer) return [unreachable(url, error.message)]
    throw error
  }
}

const unreachable = (url: string, why: string): Finding => ({
  name: 'operations-reachable',
  state: 'fault',
  detail: `Nothing is told at ${url}: ${why}.`,
  cure: 'See that the process runs (a worker that finds no sandbox ends at once, and its last line says why), and that this is its OPERATIONS_PORT or WORKER_OPERATIONS_PORT, as reached from here.',
})

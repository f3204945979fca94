import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit/settings'

const run = promisify(execFile)

export type Load = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Record<string, string>
  /** Request body. Each # is replaced by a number, so that titles differ as they do in practice. */
  readonly body: object
  readonly seconds: number
  readonly connections: number
  /** Paths that are requested one after the other, instead of the path of `url`. */
  readonly paths?: readonly string[]
}

export type Tally = {
  readonly requests: number
  readonly perSecond: number
  readonly p99Ms: number
}

const script = ({ method, headers, body, paths = [] }: Load) => `
wrk.method = '${method}'
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers['${name}'] = '${value}'`)
  .join('\n')}
local paths = { ${paths.map((path) => `'${path}'`).join(', ')} }
local number = math.random(1000000)
request = function()
  number = number + 1
  local body = nil
  if wrk.method == 'POST' then body = string.gsub('${JSON.stringify(body)}', '#', number) end
  local path = nil
  if #paths > 0 then path = paths[number % #paths + 1] end
  return wrk.format(nil, path, nil, body)
end
done = function(summary, latency)
  local errors = summary.errors
  print(string.format('RESULT %d %d %d %d', summary.requests, summary.duration,
    latency:percentile(99), errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
`

const folder = mkdtempSync(join(tmpdir(), 'load-'))
let wrk: Promise<string> | undefined

/** The path of wrk. The first call installs wrk if it is missing. */
function findWrk(): Promise<string> {
  wrk ??= run(join(root, 'stack/load-tools')).then(({ stdout }) => stdout.trim())
  return wrk
}

/**
 * Sends the load with wrk. Each connection sends a request when the previous response has
 * arrived.
 */
export async function sendLoad(load: Load): Promise<Tally> {
  const file = join(folder, 'load.lua')
  writeFileSync(file, script(load))
  const { stdout } = await run(await findWrk(), [
    '--threads=1',
    `--connections=${load.connections}`,
    `--duration=${load.seconds}s`,
    '--latency',
    // A long timeout, so that the benchmark does not fail on a busy machine.
    '--timeout=30s',
    `--script=${file}`,
    load.url,
  ])
  const [, requests = 0, microseconds = 1, p99 = 0, errors = 0] =
    /RESULT (\d+) (\d+) (\d+) (\d+)/.exec(stdout)?.map(Number) ?? []
  if (requests === 0 || errors > 0) throw new Error(`${errors} requests failed:\n${stdout}`)
  return { requests, perSecond: requests / (microseconds / 1e6), p99Ms: p99 / 1000 }
}
